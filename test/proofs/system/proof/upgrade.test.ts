// Replicas are replaced by those of this version under load, and by those of the last release again.
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { NEW_PASSWORD, PASSWORD, RELYING_PARTIES, userRecord } from '../../../support/accounts.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { type OtherVersion, previousVersion } from '../../../support/previous-version.ts'
import { nodeArgs, ROOT, run, type ServerProcess } from '../../../support/process.ts'
import { Client, type Server, type Way } from '../../../support/proof/client.ts'
import { type Entry, History, succeeded } from '../../../support/proof/history.ts'
import { PROOF_CLIENTS } from '../../../support/proof/replica.ts'
import { assertGood, tokensOf } from '../../../support/proof/storm.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { registerClient, startReady } from '../../../support/server.ts'
import { ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture } from '../../../support/visitor.ts'

const ACTORS = ['app', 'web', 'jwt-app', 'jwt-web'] as const
/** How often an actor begins anew with two versions side by side, and at most in all; milliseconds between two rounds. */
const ROUNDS = 1
const MOST = 500
const PACE = 100

type Version = OtherVersion & { readonly name: string }
type Seat = Server & { up: boolean; process: ServerProcess; version: Version }

const redis = await startRedis(t)
const client = new Redis(redis.url)
t.teardown(() => client.disconnect())
for (const definition of [...Object.values(PROOF_CLIENTS), RELYING_PARTIES.own])
  await registerClient(redis, definition)
for (const name of ['alice', 'bob'])
  await redis.cli(
    'HSET',
    `redmint:user:${name}`,
    ...Object.entries(await userRecord(`sub-of-${name}`)).flat(),
  )

const entry = (program: 'server.ts' | 'cli.ts') => ({ args: nodeArgs(program), cwd: ROOT })
const former: Version = { name: 'former', ...(await previousVersion(t)) }
const present: Version = { name: 'present', server: entry('server.ts'), command: entry('cli.ts') }

const ENVIRONMENT = {
  ...{ REDIS_URL: redis.url, ISSUER, DEMO: 'public', BEARER_CHECK_REVOCATION: 'true' },
  // The balancer of the test notices at once.
  SHUTDOWN_DELAY: '1',
}
const seats: Seat[] = []
/** Starts a replica in a seat. */
async function sit(index: number, version: Version): Promise<void> {
  const process = await startReady(t, ENVIRONMENT, version.server)
  const name = `${version.name} at ${index}`
  seats[index] = { name, address: process.address, up: true, process, version }
}
let asked = 0
/** The replica that the balancer chooses for the next request. */
function choose(): Server {
  const ready = seats.filter(({ up }) => up)
  asked += 1
  const seat = ready[asked % ready.length]
  if (seat === undefined) throw new Error('no replica is ready')
  return seat
}

const history = new History()
const rounds = new Map<string, number>()
let is_over = false
/** Sends a request, and repeats it after a 503 at the same replica, unless that one went away. */
function answered(actor: Client, send: (server: Server, way: Way) => Promise<Entry>): Promise<Entry> {
  let server = choose()
  return actor.untilAnswered((way) => {
    if (server.up === false) server = choose()
    return send(server, way)
  })
}
/** A client that gets codes, tokens and refreshed tokens, and uses them, until the upgrade is over. */
async function act(name: (typeof ACTORS)[number]): Promise<void> {
  const actor = new Client(history, PROOF_CLIENTS[name])
  const gateway = new Client(history, PROOF_CLIENTS.gateway)
  for (let round = 0; !is_over && round < MOST; round++) {
    const { outcome } = await answered(actor, (server, way) => actor.authorize(server, way))
    const code = outcome.code ?? ''
    let [tokens] = tokensOf([await answered(actor, (server, way) => actor.redeem(server, code, way))])
    for (let refreshed = 0; tokens !== undefined && refreshed < 2; refreshed++) {
      const { access_token, refresh_token } = tokens
      await answered(actor, (server, way) => actor.use(server, access_token, 'api', way))
      await answered(gateway, (server, way) => gateway.use(server, access_token, 'introspect', way))
      ;[tokens] = tokensOf([
        await answered(actor, (server, way) => actor.refresh(server, refresh_token, way)),
      ])
    }
    await answered(gateway, (server, way) => gateway.ownToken(server, way))
    rounds.set(name, round + 1)
    await pause(PACE)
  }
}
async function untilAllWentOn(): Promise<void> {
  const before = new Map(rounds)
  await until('each client went on', () =>
    ACTORS.every((name) => (rounds.get(name) ?? 0) >= (before.get(name) ?? 0) + ROUNDS),
  )
}

/** Where the browsers of people go next; absent: where the balancer says. */
let pinned: Server | undefined
const newBrowser = () => visitorAt(ISSUER, () => (pinned ?? choose()).address)
const signed_in = newBrowser()
const isSignedIn = async () =>
  asDeparture(await signed_in.open(requestUrl({ client_id: 'own', prompt: 'none' }))).told.has('code')

/** A link for a new password, made by the command of a version. */
async function resetLink({ command }: Version): Promise<string> {
  const args = [...command.args, 'user', 'reset-link', 'bob', '--json']
  const program = run(
    t,
    process.execPath,
    args,
    { REDIS_URL: redis.url, ISSUER, DEMO: 'public' },
    command.cwd,
  )
  await program.ended
  return JSON.parse(program.stdout).url
}

let passwords = 0
/** Replaces a replica, and ends at its successor what people began before. */
async function replace(t: Test, index: number, version: Version): Promise<void> {
  const seat = seats[index]
  if (seat === undefined) throw new TypeError('the seat is empty')
  const way = `${seat.version.name} to ${version.name}`
  pinned = seat
  const browser = newBrowser()
  const page = await browser.page(requestUrl({ client_id: 'own' }))
  const link = await resetLink(seat.version)
  pinned = undefined

  seat.up = false
  t.equal((await seat.process.stop()).code, 0, `${seat.name} ends well`)
  await sit(index, version)
  await untilAllWentOn()

  pinned = seats[index]
  const { told } = asDeparture(await signInOn(browser, page, 'alice', PASSWORD))
  t.ok(told.get('code'), `a sign-in that began before ends, ${way}`)
  const other = newBrowser()
  passwords += 1
  const password = `${NEW_PASSWORD}, ${passwords}`
  const changed = await other.submit(await other.page(pathOf(link)), { password })
  t.match(changed, { title: 'Your password is changed' }, `a link from before counts, ${way}`)
  const anew = newBrowser()
  const signed = await signInOn(anew, await anew.page(requestUrl({ client_id: 'own' })), 'bob', password)
  t.ok('location' in signed, `with the new password, ${way}`)
  pinned = undefined
  t.ok(await isSignedIn(), `nobody is signed out, ${way}`)
}

await Promise.all([sit(0, former), sit(1, former)])
asDeparture(await signInOn(signed_in, await signed_in.page(requestUrl({ client_id: 'own' }))))
const actors = Promise.all(ACTORS.map(act))
t.teardown(async () => {
  is_over = true
  await actors
})

t.test('an upgrade under load, one replica after the other', async (t) => {
  await untilAllWentOn()
  await replace(t, 0, present)
  await replace(t, 1, present)
})

t.test('the way back', async (t) => {
  await replace(t, 0, former)
  await replace(t, 1, former)
})

t.test(
  'no client noticed: no request failed, no code counted twice, no token had two successors',
  async (t) => {
    is_over = true
    await actors
    // A busy machine may ask to try again; nothing else may come.
    const failed = history.entries.filter((one) => !succeeded(one) && one.outcome.retry_after === undefined)
    t.strictSame(
      failed.map(({ server, action, outcome }) => ({ server, action, outcome })),
      [],
    )
    t.ok(history.entries.length > 4 * ACTORS.length * ROUNDS * 8, `${history.entries.length} requests`)
    assertGood(t, history)
  },
)
