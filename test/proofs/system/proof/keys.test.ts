// All records that clients leave in Redis expire, and at no time is there a key without an expiry.

import { Redis } from 'ioredis'
import t from 'tap'
import { CONSOLE_TTL } from '../../../../src/console/client.ts'
import { CLOCK_SKEW } from '../../../../src/core/clock-skew.ts'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { OutcomeKeeper } from '../../../../src/service/outcome-keeper.ts'
import { newCookieValue, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { startAdmin } from '../../../support/admin.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { session } from '../../../support/contract/session-contract.ts'
import { Client, type Server } from '../../../support/proof/client.ts'
import { type Entry, History, succeeded } from '../../../support/proof/history.ts'
import { check, describe } from '../../../support/proof/history-check.ts'
import { PROOF_CLIENTS, startReplica } from '../../../support/proof/replica.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { scene } from '../../../support/scene.ts'
import { basic } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const PREFIX = 'redmint:'
// One for each secret of a client, not for each sign-in.
const SECRET_USES = 'secret-use:'
/** One for all users who signed in. */
const LAST_SIGN_INS = 'last-sign-ins'
/** What is left for a secret or a user, and not for a sign-in. */
const OF_EACH = [SECRET_USES, LAST_SIGN_INS, 'activity:', 'order:']
/** Records of operators, and the lists and indexes of these. */
const FOR_EVER = [
  'client:',
  'user:',
  'resource:',
  'sign-in-name:',
  'issuer:',
  'provider:',
  'signing-keys',
  'sealing-keys',
  'names:',
  'words:',
  LAST_SIGN_INS,
  'administrators:',
]
/** Seconds: longer than a client needs on a busy machine. */
const LIFETIMES = {
  code_ttl: 60,
  access_token_ttl: 60,
  id_token_ttl: 60,
  refresh_token_ttl: 90,
  explain_max: 0,
}
/** Milliseconds: a grant record outlives its last refresh token by the lifetime of an access token. */
const LONGEST = (LIFETIMES.refresh_token_ttl + LIFETIMES.access_token_ttl) * 1000
/** Milliseconds: lists name a grant until its last token could have expired, if that lived for a day. */
const LISTED = LONGEST + 60_000 + 25 * 3_600_000
/** Milliseconds: the lifetime of the operator's own token. */
const ACCESS_TOKEN_TTL = 900_000
/** Milliseconds. */
const WINDOW = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Milliseconds: entries of one moment end one after the other, so that they keep their order. */
const IN_ORDER = 1000
/** Milliseconds: the default of SESSION_TTL. */
const SESSION_TTL = DAY
/** Milliseconds: what stays longer than tokens. */
const LONGER: Readonly<Record<string, number>> = {
  'sessions-of:': LISTED,
  'grants-of-user:': LISTED,
  'grants-of-client:': LISTED,
  'consents-of:': LISTED,
  // What operators leave.
  'admin-request:': DAY,
  'removed-client:': DAY,
  // A server that works on it renews it.
  endings: DAY + 60_000,
  'indexes:': 2 * DAY,
  // What servers leave of themselves and of what they saw.
  'servers:': WINDOW,
  'server-ids': WINDOW + IN_ORDER,
  'server-issuers': 7 * DAY + IN_ORDER,
  [SECRET_USES]: 400 * DAY,
  'day-counts': 25 * HOUR,
  'party-outcomes': 90 * DAY,
  'upkeep:': 3 * DAY,
  audit: 400 * DAY,
  'activity:': 90 * DAY + IN_ORDER,
  'order:': 90 * DAY + IN_ORDER,
  // What people and operators leave at pages: of a session until it ends.
  'session:': SESSION_TTL,
  'newest-sessions:': SESSION_TTL + HOUR,
  'upstream-sessions:': SESSION_TTL + HOUR,
  'browsers:': 90 * DAY,
  'console-session:': HOUR / 2,
  'console-form:': HOUR / 2,
  // A form that was sent.
  'challenge:': CONSOLE_TTL * 1000 + WINDOW,
  'user-invitation:': 7 * DAY,
  // Until the window of their counter ends.
  'failures:': WINDOW,
  'lockouts:': WINDOW,
  'signal:': WINDOW,
}
/** Milliseconds: the allowed clock skew for JWTs. */
const SKEW = CLOCK_SKEW * 1000
const LIVES = 60
const ACTORS = 4

// Every key and its remaining lifetime at one moment.
const SAMPLE = `
  local sample = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    sample[#sample + 1] = { key, redis.call('PTTL', key) }
  end
  return sample`

// Moves the expiry of all keys as if time had passed.
const PASS = `
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    local left = redis.call('PTTL', key)
    if left > 0 then redis.call('PEXPIRE', key, math.max(1, left - ARGV[2])) end
  end`

/** The keys that would stay too long, and the number of keys that expire. */
async function sample(redis: Redis, longest = LONGEST): Promise<{ wrong: string[]; passing: number }> {
  const keys = (await redis.eval(SAMPLE, 0, PREFIX)) as [string, number][]
  const ours = keys.filter(([key]) => !FOR_EVER.some((kind) => key.startsWith(PREFIX + kind)))
  const longestOf = (key: string) =>
    Object.entries(LONGER).find(([kind]) => key.startsWith(PREFIX + kind))?.[1] ?? longest
  const wrong = ours.filter(([key, left]) => left < 0 || left > longestOf(key))
  // Only the kind of the key is shown, not the token.
  return { wrong: wrong.map(([key, left]) => `${key.split('{')[0]} ${left}`), passing: ours.length }
}

/** Everything that can come of one sign-in. Some requests are refused on purpose. */
async function live(
  user: Client,
  owner: Client,
  gateway: Client,
  server: Server,
  turn: number,
): Promise<void> {
  const thief = { honest: false }
  await user.authorize(server)
  await owner.ownToken(server)
  const { code = '' } = (await user.authorize(server)).outcome
  const tokens = tokensOf(await user.redeem(server, code))
  const [next, again] = await Promise.all([
    user.refresh(server, tokens.refresh_token),
    user.refresh(server, tokens.refresh_token),
  ])
  await user.use(server, tokensOf(again).access_token, 'userinfo')
  await gateway.use(server, tokensOf(next).access_token, 'introspect')
  const ends = [
    () => user.revoke(server, tokensOf(next).access_token),
    () => user.revoke(server, tokensOf(next).refresh_token),
    () => user.redeem(server, code, thief),
    () => gateway.use(server, tokensOf(next).access_token, 'api'),
  ]
  await ends[turn % ends.length]?.()
}

function tokensOf(entry: Entry) {
  if (!succeeded(entry)) throw new Error(`${entry.outcome.status} instead of tokens`)
  const { access_token = '', refresh_token = '' } = entry.outcome
  return { access_token, refresh_token }
}

const { url } = await startRedis(t)
const redis = new Redis(url)
t.teardown(() => redis.disconnect())

t.test('the check finds a key without an expiry', async (t) => {
  await redis.set(`${PREFIX}grant:{left}`, '1')
  await redis.set(`${PREFIX}token:{long}`, '1', 'PX', LONGEST + 60_000)
  await redis.set(`${PREFIX}token:{right}`, '1', 'PX', LONGEST)
  const { wrong, passing } = await sample(redis)
  t.match(wrong.sort(), [/^redmint:grant: -1$/, /^redmint:token: \d+$/])
  t.equal(passing, 3)
  await redis.flushall()
})

for (const [name, own, skew] of [
  ['app', 'web', 0],
  ['jwt-app', 'jwt-web', SKEW],
] as const) {
  t.test(`the records of ${LIVES} sign-ins of ${name} all expire`, async (t) => {
    const server = await startReplica(t, 'one', { url, prefix: PREFIX, ...LIFETIMES })
    const history = new History()
    const [user, owner, gateway] = [name, own, 'gateway' as const].map(
      (client) => new Client(history, PROOF_CLIENTS[client]),
    ) as [Client, Client, Client]
    const size = async () =>
      (await redis.keys('*')).filter((key) => !OF_EACH.some((kind) => key.startsWith(PREFIX + kind))).length
    const before = await size()

    let samples = 0
    let most = 0
    let over = false
    const wrong = new Set<string>()
    const watch = async () => {
      while (!over) {
        const found = await sample(redis, LONGEST + skew)
        samples += 1
        most = Math.max(most, found.passing)
        for (const key of found.wrong) wrong.add(key)
      }
    }
    const act = async (actor: number) => {
      for (let turn = actor; turn < LIVES; turn += ACTORS) await live(user, owner, gateway, server, turn)
    }
    const watched = watch()
    try {
      await Promise.all(Array.from({ length: ACTORS }, (_, actor) => act(actor)))
    } finally {
      over = true
      await watched
    }
    t.ok(samples > 5, `${samples} looks`)
    t.ok(most > LIVES, `${most} keys at once`)
    t.same([...wrong], [])
    t.same(check(history).map(describe), [])

    await redis.eval(PASS, 0, PREFIX, LISTED + skew)
    await until('Redis is back at its first size', async () => {
      return (await size()) === before
    })
  })
}

t.test('what the console and its background work keep expires', async (t) => {
  await redis.flushall()
  const storage = redisStorage(t, { url }, PREFIX)
  const { operator, visitor } = await scene(t, {
    with: ['console'],
    storage,
    keepers: { every: 20 },
    sign_in_window: WINDOW / 1000,
  })
  const outcomes = new LastOutcomes()
  const google = { party: 'provider', name: 'google' } as const
  outcomes.succeeded(google, Date.now())
  outcomes.failed({ ...google, step: 'token', code: 'invalid_client' }, Date.now())
  await new OutcomeKeeper({ storage, outcomes, log: SILENT }).close()
  const from_there = session({ upstream_session: 'there', ends_at: Date.now() + HOUR })
  await createSession(storage, sessionIdOf(newCookieValue()), from_there, HOUR / 1000)
  const ada = await operator()
  await ada.page('/console/people/alice')
  await ada.submit(await ada.page('/console/people/bob/disable'), {})
  await ada.submit(await ada.page('/console/invitations/new'), { email: 'carol@example.com' })
  // Its session is over.
  await visitor().submit(await ada.page('/console/people/bob/enable'), {})

  const kinds = [
    ...['console-form:', 'console-session:', 'challenge:', 'day-counts', 'upkeep:clients', 'upkeep:servers'],
    ...['upkeep:people', 'party-outcomes', 'newest-sessions:', 'upstream-sessions:', 'user-invitation:'],
  ]
  const missing = async () => {
    const keys = await redis.keys(`${PREFIX}*`)
    return kinds.filter((kind) => !keys.some((key) => key.startsWith(PREFIX + kind)))
  }
  await until('all of them are there', async () => (await missing()).length === 0)
  // The token of an operator lives as long as a session at the console.
  const { wrong } = await sample(redis, CONSOLE_TTL * 1000)
  t.same(wrong, [])
})

t.test('what operators leave expires, but for records and their names', async (t) => {
  await redis.flushall()
  const storage = redisStorage(t, { url }, PREFIX)
  const windows = { client_auth_failures: 2, client_auth_window: WINDOW / 1000 }
  const { call, tokenOf, token } = await startAdmin(t, { storage, ...windows })
  const operator = { token: await tokenOf('redmint:read', 'redmint:write') }
  const keyed = { ...operator, headers: { 'idempotency-key': 'once' } }
  const done = async (status: number, method: string, path: string, more: object = operator) => {
    const answer = await call(method, path, more)
    t.equal(answer.status, status, `${method} ${path}`)
    return answer
  }
  await done(201, 'POST', '/clients', { ...keyed, body: { client_id: 'shop' } })
  for (let i = 0; i < 3; i += 1) await token({ grant_type: 'client_credentials' }, basic('shop', 'wrong'))
  const { items } = (await done(200, 'GET', '/limits')).json as { items: { id: string }[] }
  await done(200, 'DELETE', `/limits/${items[0]?.id}`)
  await done(201, 'POST', '/users', { ...operator, body: { username: 'alice' } })
  await done(200, 'DELETE', '/users/alice/sessions')
  const { headers } = await done(200, 'GET', '/clients/shop')
  await done(200, 'DELETE', '/clients/shop', { ...operator, headers: { 'if-match': String(headers.etag) } })

  const { wrong } = await sample(redis, ACCESS_TOKEN_TTL)
  t.same(wrong, [])
  const kinds = (await redis.keys('*')).map((key) => key.slice(PREFIX.length))
  for (const kind of ['admin-request:', 'removed-client:', 'endings', 'signal:', 'names:client', 'servers:'])
    t.ok(
      kinds.some((key) => key.startsWith(kind)),
      kind,
    )
  await until('servers have ended it', async () => (await redis.zcard(`${PREFIX}endings`)) === 0)
})
