// How many bytes of Redis a token, a family and a session take. docs/operations.md names the same figures.
import { readFile } from 'node:fs/promises'
import { Redis } from 'ioredis'
import t from 'tap'
import { newFamilyId, newSid, newToken } from '../../../../../../src/core/token-string.ts'
import { createSession } from '../../../../../../src/sessions/session-store.ts'
import { newOperation } from '../../../../../../src/tokens/derived-tokens.ts'
import { redeemCode, useRefreshToken } from '../../../../../../src/tokens/token-families.ts'
import { newSuccessor, saveCode } from '../../../../../support/records.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { openAt, PREFIX, writable } from '../../../../../support/storage/redis/support.ts'

/** The most bytes, as MEMORY USAGE counts them: without the places in the tables of keys and expiries. Sorted sets take some more by chance. */
const LIMITS = {
  'a token of the client credentials grant': 360,
  'a sign-in with its access token and refresh token': 3300,
  'the same after a refresh': 4000,
  'a session with one client and one sign-in': 520,
}

const CLIENT = { client_id: 'reports', scope: 'api.read api.write' }
const SUBJECT = '0a6f1c2e-6f0e-4b7e-9a57-1c2d3e4f5a6b'
const TTL = { access_token_ttl: 900, refresh_token_ttl: 2_592_000 }

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())
const { storage } = openAt(t, server.url)
await writable(storage)

/** The bytes of all keys that match a pattern. */
async function bytesOf(pattern: string): Promise<number> {
  const keys = await redis.keys(PREFIX + pattern)
  t.not(keys.length, 0, pattern)
  const bytes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
  return bytes.reduce<number>((sum, each) => sum + Number(each), 0)
}

/** Redeems a code with everything that a usual one has. Returns the family id and the refresh token. */
async function signIn() {
  const grant = newFamilyId()
  const code = newToken(grant)
  const refresh_token = newToken(grant)
  const bound = { ...CLIENT, redirect_uri: 'https://app.example/callback', code_challenge: 'x'.repeat(43) }
  const user = {
    subject: SUBJECT,
    username: 'alice@company.example',
    sid: newSid(),
    auth_time: 1_700_000_000,
    started_at: '1700000000000',
    session_started_at: '1700000000000',
  }
  await saveCode(storage, code, { ...bound, ...user, amr: 'pwd', nonce: 'n'.repeat(22) }, 60)
  const attempt = {
    ...bound,
    ...TTL,
    operation: newOperation(),
    access_token: newToken(grant),
    refresh_token,
  }
  t.match(await redeemCode(storage, code, attempt), { outcome: 'ok' })
  return { grant, refresh_token }
}

t.test('what a token, a family and a session take in Redis', async (t) => {
  const token = newToken(newFamilyId())
  await storage.families.saveClientToken({ token, ...CLIENT }, 900)

  const unused = await signIn()
  const { grant, refresh_token } = await signIn()
  const refreshed = await useRefreshToken(storage, refresh_token, {
    client_id: CLIENT.client_id,
    allowed_scopes: CLIENT.scope,
    operation: crypto.randomUUID(),
    access_token: newToken(grant),
    access_token_ttl: 900,
    successor: { token: newSuccessor(refresh_token), answered: 'opaque 1700000000 900' },
    retry_window: 30,
  })
  t.match(refreshed, { outcome: 'ok' })

  const started = { sid: newSid(), username: 'alice@company.example', sub: SUBJECT, auth_time: 1_700_000_000 }
  const joined = new Map([[unused.grant, { client_id: CLIENT.client_id, joined_at: Date.now() }]])
  const clients = new Set([CLIENT.client_id])
  const session = {
    ...started,
    amr: 'pwd',
    acr: '1',
    started_at: 1_700_000_000_000,
    last_used_at: 1_700_000_000_000,
    browser: 'Samsung Internet on Android',
    address: '2001:db8:1234:5678::',
    ends_at: Date.now() + 3_600_000,
    clients,
    families: joined,
  }
  await createSession(storage, 'd'.repeat(43), session, 3600)

  const patterns = [`token:{${token.slice(0, 16)}}*`, `*{${unused.grant}}*`, `*{${grant}}*`, 'session:*']
  const operations = await readFile('docs/operations.md', 'utf8')
  for (const [i, [name, limit]] of Object.entries(LIMITS).entries()) {
    const bytes = await bytesOf(patterns[i] ?? '')
    t.ok(bytes <= limit, `${name}: ${bytes} bytes, at most ${limit}`)
    // MEMORY USAGE of Valkey 8.1 is a third less than that of Redis 7.0.
    t.ok(bytes > 0.5 * limit, `${name}: ${bytes} bytes, so ${limit} is no empty promise`)
    t.match(
      operations,
      `| ${name} | ${limit.toLocaleString('en')} |`,
      'docs/operations.md has the same limit',
    )
  }
})
