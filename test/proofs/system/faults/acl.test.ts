// A Redis user with exactly the rights of docs/keyspace.md: everything works, and every right is needed.

import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { RedisLocation } from '../../../../src/config/redis-location.ts'
import type { AuditEntries } from '../../../../src/core/audit-entries.ts'
import { requiredRights } from '../../../../src/storage/redis/connection/rights.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { signInCalls } from '../../../support/contract/calls.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { ready } from '../../../support/faults/requests.ts'
import { startReplica, tokensOf } from '../../../support/lifecycle.ts'
import { blocks, readText, section } from '../../../support/markdown.ts'
import { createClient, isWatching, readClient } from '../../../support/records.ts'
import { type RedisServer, startCluster, startRedis } from '../../../support/redis-server.ts'
import { scene } from '../../../support/scene.ts'
import { basic, bearer } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const PASSWORD = 'hush'
const [LINE = ''] = blocks(section(await readText('docs/keyspace.md'), 'Who may write'), 'sh')
const GRANTED = [...LINE.matchAll(/ '?\+([a-z|]+)/g)].map(([, name = '']) => name)
/** The keys that redmint doctor looks for: a stricter user has these alone. */
const KEYS = requiredRights('redmint:', new RedisKeys('redmint:'), { cluster: false, waits: false })
  .map(([right]) => right)
  .filter((right) => right.startsWith('~'))
/** Who examines Redis asks for this, and does without it. */
const OPTIONAL = 'config|get'
/** The commands that were run, by their names in Redis. */
const used = new Set<string>()

/** Creates the user on a server with the command of the page. */
async function addUser({ url }: RedisServer): Promise<void> {
  await promisify(execFile)('sh', ['-euc', LINE], { env: { ...process.env, REDIS_URL: url, PASSWORD } })
}

const narrow = ({ cli }: RedisServer) => cli('ACL', 'SETUSER', 'redmint', 'resetkeys', ...KEYS)
const locationOf = ({ url }: RedisServer): RedisLocation => ({
  kind: 'single',
  url: url.replace('//', `//redmint:${PASSWORD}@`),
})

/** Asserts that no command was denied, and records which commands were run. */
async function checkRights(t: Test, servers: readonly RedisServer[]): Promise<void> {
  for (const { cli } of servers) {
    const denied = [...(await cli('ACL', 'LOG')).matchAll(/^object\n(.*)$/gm)].map(([, name = '']) => name)
    t.same(
      denied.filter((name) => name !== OPTIONAL),
      [],
      'nothing was denied',
    )
    const stats = await cli('INFO', 'commandstats')
    for (const [, name = ''] of stats.matchAll(/^cmdstat_(\S+?):/gm)) used.add(name)
  }
}

/** Every operation of a service, and the commands of an operator. */
async function live(t: Test, location: RedisLocation): Promise<void> {
  const open = (wait_replicas = 0) => {
    const storage = openRedis(location, new RedisKeys('redmint:'), SILENT, wait_replicas)
    const close = storage.close.bind(storage)
    t.teardown(close)
    return storage
  }
  const storage = open()
  const service = await startReplica(t, { open: () => storage }, { storage })
  await until('changes are reported', () => isWatching(storage))
  await ready(service)
  const { get, codeFor, redeem, signIn, refresh, revoke, introspect } = service
  t.equal((await get('/.well-known/jwks.json')).status, 200)
  t.match((await get('/actuator/prometheus')).text, 'redmint_logout_queue_length 0')

  const code = await codeFor('web')
  const first = tokensOf(await redeem('web', code))
  const second = tokensOf(await refresh('web', first.refresh_token))
  t.equal(tokensOf(await refresh('web', first.refresh_token)).refresh_token, second.refresh_token, 'a retry')
  tokensOf(await refresh('fixed', (await signIn('fixed')).refresh_token))
  for (const path of ['/userinfo', '/api/resource']) {
    t.equal((await get(path, bearer(second.access_token))).status, 200, path)
  }
  t.match(await introspect('gateway', second.access_token), { json: { active: true } })
  t.equal((await service.token({ grant_type: 'client_credentials' }, basic('service'))).status, 200)
  t.equal((await service.token({ grant_type: 'client_credentials' }, basic('service', 'x'))).status, 401)
  t.equal((await revoke('web', second.access_token)).status, 200)
  t.equal((await redeem('web', code)).status, 400, 'a replay')
  t.match(await introspect('web', second.refresh_token), { json: { active: false } })
  t.equal((await revoke('web', (await signIn('web')).refresh_token)).status, 200)
  const jwt = await startReplica(t, { open: () => storage }, { storage, access_token_format: 'jwt' })
  const { access_token } = await jwt.signIn('web')
  t.equal((await jwt.revoke('web', access_token)).status, 200)
  t.match(await jwt.introspect('gateway', access_token), { json: { active: false } })

  for (const call of Object.values(signInCalls(storage))) await call()
  await storage.lists.page({ list: 'sessions-of', owner: 'alice' }, { limit: 1 })
  await storage.records.page(USER, { limit: 1 })
  await keepTrail(storage)

  // More replicas than exist: every operation is withdrawn.
  const waiting = open(2)
  const careful = await startReplica(t, { open: () => waiting }, { storage: waiting })
  const [untold, kept] = [await codeFor('web'), await signIn('web')]
  t.equal((await careful.redeem('web', untold)).status, 503)
  t.equal((await careful.refresh('web', kept.refresh_token)).status, 503)
  t.equal((await redeem('web', untold)).status, 200)
  t.equal((await refresh('web', kept.refresh_token)).status, 200)

  const { redmint } = createCli({
    storage: open(),
    environment: { REDIS_URL: 'redis://127.0.0.1:1', DEMO: 'public' },
  })
  for (const command of [
    'client add billing --scope api.read',
    'client update billing --name Billing --clear-scopes',
    'client show billing',
    'client list',
    'client disable billing',
    'client rotate-secret billing',
    'client remove billing --yes',
    'user add bob',
    'user list',
    'user remove bob --yes',
    'keys list',
    'keys rotate',
    `token inspect ${kept.access_token}`,
    `token revoke ${kept.access_token}`,
  ]) {
    const { code, stderr } = await redmint(command.split(' '))
    t.equal(code, 0, `${command.slice(0, 20)}: ${stderr}`)
  }
}

/** Uses the audit trail and the list of what happened to a user. */
async function keepTrail({ trail, bounded, records }: Storage) {
  const told: AuditEntries = { entries: [{ text: '{}' }], ttl: 60 }
  await records.create({ kind: USER, id: 'told', hash: { sub: 'told' }, told })
  await records.change(USER, 'told', { set: {}, ttl: Number.POSITIVE_INFINITY })
  await trail.collect()
  await trail.append('one', told)
  await trail.append('two', told)
  await trail.seal(undefined, 'block', 60)
  await trail.size()
  await trail.blocks({ limit: 1 })
  await trail.read({ limit: 10, is_reverse: true })
  const [, second] = await trail.read({ limit: 10 })
  await trail.trim(second?.id ?? '', told)
  const activity = { activity_of: 'told' }
  for (const name of ['one', 'two', 'three'])
    await bounded.put(
      activity,
      [{ name, text: 'a text', kind: 'kind' }],
      { max: 2, ttl: 60_000 },
      new Map([['kind', 1]]),
    )
  await bounded.read(activity)
  await bounded.drop(activity, 'two')
  await bounded.drop(activity)
  await bounded.put({ notices_of: 'told' }, [{ name: 'one', text: 'a text' }], { max: 2, ttl: 60_000 })
  await bounded.drop({ notices_of: 'told' })
}

t.test('the rights suffice on a single Redis, and each key is one that is looked for', async (t) => {
  const redis = await startRedis(t)
  await addUser(redis)
  await narrow(redis)
  await redis.cli('CONFIG', 'RESETSTAT')
  await live(t, locationOf(redis))
  await checkRights(t, [redis])
})

t.test('the rights suffice for the console and what it keeps in the background', async (t) => {
  const redis = await startRedis(t)
  await addUser(redis)
  await narrow(redis)
  const storage = openRedis(locationOf(redis), new RedisKeys('redmint:'), SILENT)
  t.teardown(() => storage.close())
  const { operator } = await scene(t, { with: ['console'], storage, keepers: { every: 20 } })
  const ada = await operator()
  t.equal((await ada.page('/console/server')).status, 200)
  t.match((await ada.page('/console/people/alice')).text, 'Ways to sign in')
  await ada.submit(await ada.page('/console/people/bob/disable'), {})
  await ada.submit(await ada.page('/console/invitations/new'), { email: 'carol@example.com' })
  for (const key of ['day-counts', 'upkeep:people', 'newest-sessions:all'])
    await until(key, async () => (await redis.cli('EXISTS', `redmint:${key}`)) === '1')
  await checkRights(t, [redis])
})

t.test('the rights suffice on a Cluster with moving slots and a failover', async (t) => {
  const { masters, replicas } = await startCluster(t, { replicas: 1 })
  const servers = [...masters, ...replicas]
  for (const server of servers) {
    await addUser(server)
    await server.cli('CONFIG', 'RESETSTAT')
  }
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const location = { kind: 'cluster', nodes, username: 'redmint', password: PASSWORD } as const
  await live(t, location)

  const storage = openRedis(location, new RedisKeys('redmint:'), SILENT)
  t.teardown(() => storage.close())
  const read = () => readClient(storage, 'moving').catch(() => undefined)
  await until('it can be read', async () => (await read()) === undefined)
  await createClient(storage, 'moving', { client_name: 'Moving' })
  const slot = await (masters[0] as RedisServer).cli('CLUSTER', 'KEYSLOT', 'redmint:client:moving')
  const [from, to] = await ends(masters, 'redmint:client:moving')
  await to.cli('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await from.cli('CLUSTER', 'MYID'))
  await from.cli('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await to.cli('CLUSTER', 'MYID'))
  await from.cli('MIGRATE', '127.0.0.1', String(to.port), 'redmint:client:moving', '0', '1000')
  t.strictSame(await readClient(storage, 'moving'), { client_name: 'Moving' }, 'ASK is followed')
  for (const { cli } of [to, from])
    await cli('CLUSTER', 'SETSLOT', slot, 'NODE', await to.cli('CLUSTER', 'MYID'))

  const [heir] = replicas
  await heir?.cli('CLUSTER', 'FAILOVER', 'TAKEOVER')
  await until('the driver has noticed', async () => /cmdstat_readwrite:/.test(await statsOf(heir)))
  await checkRights(t, servers)
})

t.test('every right is used, and every command of the scripts is allowed', async (t) => {
  t.ok(GRANTED.length > 20)
  t.strictSame(
    GRANTED.filter((name) => !used.has(name)),
    [],
    'unused rights',
  )
  const files = await readdir('src/storage/redis/scripts', { recursive: true })
  const scripts = files.filter((name) => name.endsWith('.lua'))
  const texts = await Promise.all(scripts.map((name) => readText(`src/storage/redis/scripts/${name}`)))
  const called = texts.flatMap((text) => [...text.matchAll(/redis\.call\('([A-Z]+)'/g)])
  t.strictSame(
    called.map(([, name = '']) => name.toLowerCase()).filter((name) => !GRANTED.includes(name)),
    [],
    'commands of scripts without a right',
  )
})

const statsOf = (server: RedisServer | undefined) => server?.cli('INFO', 'commandstats') ?? ''

/** The master of a key, and another master. */
async function ends(masters: readonly RedisServer[], key: string): Promise<[RedisServer, RedisServer]> {
  const holds = await Promise.all(
    masters.map(async ({ cli }) => (await cli('--scan', '--pattern', key)) !== ''),
  )
  const from = masters[holds.indexOf(true)]
  const to = masters[holds.indexOf(false)]
  if (from === undefined || to === undefined) throw new Error('no master holds the key')
  return [from, to]
}
