// Many concurrent requests to three replicas. STORM_ROUNDS=2000 makes a long run.

import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { createInitialAccessToken } from '../../../../src/clients/registration/initial-access-token.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import type { Server } from '../../../support/proof/client.ts'
import { type Entry, History } from '../../../support/proof/history.ts'
import { PROOF_CLIENTS, startReplica } from '../../../support/proof/replica.ts'
import {
  assertGood,
  assertListed,
  type Sea,
  Storm,
  stormOfAssertions,
  stormOfCodes,
  stormOfInvitations,
  stormOfRefreshes,
  tally,
  tokensOf,
} from '../../../support/proof/storm.ts'
import {
  stormOfBrowsers,
  stormOfClientAssertions,
  stormOfProofs,
  stormOfRequestUris,
} from '../../../support/proof/storm-of-single-uses.ts'
import { createClient } from '../../../support/records.ts'
import { type RedisServer, startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { registerClient, startReady } from '../../../support/server.ts'
import { ISSUER } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../support/trusted-issuer.ts'

const ROUNDS = Number(process.env.STORM_ROUNDS ?? 8)
const WIDTH = 12
const NAMES = ['one', 'two', 'three'] as const
// The limit of every file (.taprc), and more for a long run by hand.
t.setTimeout(300_000 + ROUNDS * 4000)

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())

async function sea(t: Test, prefix: string, refresh_retry_window = 30): Promise<Sea> {
  const replicas: Server[] = []
  const options = { url: server.url, prefix, refresh_retry_window }
  for (const name of NAMES) replicas.push(await startReplica(t, name, options))
  return { redis, prefix, replicas, history: new History(), width: WIDTH }
}

t.test('one code in many concurrent requests yields tokens once, and the replays revoke them', async (t) => {
  const place = await sea(t, 'codes:')
  for (const client of ['app', 'jwt-web', 'tv', 'agent'] as const)
    await stormOfCodes(t, place, ROUNDS, client)
  assertGood(t, place.history)
  await assertListed(t, place)
})

t.test('an invitation that many clients use at once registers as many as it allows', async (t) => {
  const place = await sea(t, 'invitations:')
  const storage = redisStorage(t, server, 'invitations:')
  const invite = (uses: number) => createInitialAccessToken({ storage, now: Date.now() }, { uses, ttl: 60 })
  await stormOfInvitations(t, place, ROUNDS, invite)
})

t.test(
  'one assertion in many concurrent requests yields one token, as a grant or as authentication',
  async (t) => {
    const place = await sea(t, 'assertions:')
    const storage = redisStorage(t, server, 'assertions:')
    const [key, ci] = [issuerKey(), 'https://ci.example.com']
    await trust(storage, key, { issuer: ci })
    const { client_secret_hash: _, ...base } = PROOF_CLIENTS.gateway
    for (const format of ACCESS_TOKEN_FORMATS) {
      const grant_types = [JWT_BEARER, 'client_credentials'] as const
      const client = {
        ...base,
        client_id: format,
        access_token_format: format,
        grant_types,
        assertion_issuer: ci,
      }
      await createClient(storage, format, formatClient(client))
      const assertion = () => assertionOf(key, claimsOf(ci, format))
      await stormOfAssertions(t, place, ROUNDS, () => ({ grant_type: JWT_BEARER, assertion: assertion() }))
      await stormOfAssertions(t, place, ROUNDS, () => ({
        grant_type: 'client_credentials',
        client_assertion_type: CLIENT_ASSERTION_TYPE,
        client_assertion: assertion(),
      }))
    }
  },
)

t.test('one request_uri in many browsers yields one code', async (t) => {
  const place = await sea(t, 'request-uris:')
  for (const client of ['fapi', 'jwt-fapi'] as const) {
    await stormOfRequestUris(t, place, ROUNDS, client)
    await stormOfBrowsers(t, place, ROUNDS, client)
  }
  assertGood(t, place.history)
})

t.test('one assertion of a client in many requests at several endpoints authenticates it once', async (t) => {
  const place = await sea(t, 'client-assertions:')
  for (const client of ['fapi', 'jwt-fapi'] as const) await stormOfClientAssertions(t, place, ROUNDS, client)
  assertGood(t, place.history)
})

t.test('one DPoP proof in many concurrent requests is accepted once', async (t) => {
  const place = await sea(t, 'proofs:')
  for (const client of ['fapi', 'jwt-fapi'] as const) {
    await stormOfProofs(t, place, ROUNDS, client)
    await stormOfCodes(t, place, ROUNDS, client)
    await stormOfRefreshes(t, place, ROUNDS, client)
  }
  assertGood(t, place.history)
})

t.test('one refresh token in many concurrent requests gets one successor', async (t) => {
  const place = await sea(t, 'refreshes:')
  await stormOfRefreshes(t, place, ROUNDS, 'app')
  await stormOfRefreshes(t, place, ROUNDS, 'jwt-web')
  assertGood(t, place.history)
})

t.test('without a retry window one refresh succeeds, and the others revoke the family', async (t) => {
  const place = await sea(t, 'strict:', 0)
  const storm = new Storm(place, 'app')
  for (let round = 1; round <= ROUNDS; round++) {
    const { refresh_token, access_token } = await storm.signIn()
    const answers = await storm.refreshAll(refresh_token)
    t.same(tally(answers), { 200: 1, invalid_grant: WIDTH - 1 }, `round ${round}`)
    const won = tokensOf(answers).flatMap(Object.values) as string[]
    t.same(await storm.accepted([access_token, ...won]), [], 'the family is dead')
    t.same(await storm.live(refresh_token), { access_token: 0, refresh_token: 0 })
  }
  assertGood(t, place.history)
})

const ENDINGS: Record<
  string,
  (storm: Storm, family: { code: string; refresh_token: string }) => Promise<Entry>
> = {
  'a replay of its code': (storm, { code }) => storm.replay(code),
  'a revocation': (storm, { refresh_token }) => storm.revoke(refresh_token),
}
for (const [what, end] of Object.entries(ENDINGS)) {
  t.test(`${what} revokes a family in the middle of its refreshes`, async (t) => {
    const place = await sea(t, `${what.replaceAll(' ', '-')}:`)
    const storm = new Storm(place, 'web')
    for (let round = 1; round <= ROUNDS; round++) {
      const family = await storm.signIn()
      const [answers] = await Promise.all([storm.refreshAll(family.refresh_token), end(storm, family)])
      const { 200: won = 0, invalid_grant: lost = 0 } = tally(answers)
      t.equal(won + lost, WIDTH, `round ${round}: each refresh came before or after it`)
      const tokens = [...tokensOf(answers), { access_token: family.access_token }].flatMap(
        Object.values,
      ) as string[]
      t.same(await storm.accepted(tokens), [], 'what was being written is dead too')
      t.same(await storm.live(family.code), { access_token: 0, refresh_token: 0 })
    }
    assertGood(t, place.history)
  })
}

t.test('the same rules hold with replicas in processes of their own', async (t) => {
  const own = await startRedis(t)
  for (const client of Object.values(PROOF_CLIENTS)) await registerClient(own, client)
  const processes = await Promise.all(NAMES.map((name) => startProcess(t, own, name)))
  const connection = new Redis(own.url)
  t.teardown(() => connection.disconnect())
  const place: Sea = {
    redis: connection,
    prefix: 'redmint:',
    replicas: processes,
    history: new History(),
    width: 2 * WIDTH,
  }
  await stormOfCodes(t, place, ROUNDS, 'app')
  await stormOfRefreshes(t, place, ROUNDS, 'app')
  assertGood(t, place.history)
})

async function startProcess(t: Test, { url }: RedisServer, name: string): Promise<Server> {
  const environment = { REDIS_URL: url, ISSUER, DEMO: 'public' }
  const { address } = await startReady(t, { ...environment, BEARER_CHECK_REVOCATION: 'true' })
  return { name, address }
}
