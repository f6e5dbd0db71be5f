// Replicas of the previous version and of this one on one Redis, as during an upgrade without a stop.
import { isDeepStrictEqual } from 'node:util'
import { Redis } from 'ioredis'
import t from 'tap'
import { RELYING_PARTIES, userRecord } from '../../../support/accounts.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { previousVersion } from '../../../support/previous-version.ts'
import { History } from '../../../support/proof/history.ts'
import { PROOF_CLIENTS } from '../../../support/proof/replica.ts'
import {
  assertGood,
  type Sea,
  Storm,
  stormOfCodes,
  stormOfRefreshes,
  tally,
} from '../../../support/proof/storm.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, bearer, CLIENTS, codeRequest, ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture } from '../../../support/visitor.ts'

const ROUNDS = 6
const WIDTH = 12

const LATER = { ...CLIENTS.web, client_id: 'later' }

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())
for (const client of Object.values(PROOF_CLIENTS)) await registerClient(server, client)
for (const client of [RELYING_PARTIES.own, LATER]) await registerClient(server, client)
// A field that neither version knows, as a later one may write it.
await server.cli('HSET', 'redmint:client:later', 'of_a_later_version', 'a value')
await server.cli('HSET', 'redmint:user:alice', ...Object.entries(await userRecord('sub-of-alice')).flat())

const { server: previous } = await previousVersion(t)
const environment = { REDIS_URL: server.url, ISSUER, DEMO: 'public', BEARER_CHECK_REVOCATION: 'true' }
const start = async (name: string, entry?: typeof previous) => {
  const { address } = await startReady(t, environment, entry)
  return { name, address }
}
const replicas = await Promise.all([
  start('previous one', previous),
  start('present one'),
  start('previous two', previous),
  start('present two'),
])
const versions = replicas.slice(0, 2).map(({ name, address }) => ({ name, address, ...visit(address) }))

const sea = (): Sea => ({ redis, prefix: 'redmint:', replicas, history: new History(), width: WIDTH })

t.test('one code in many concurrent requests to both versions yields tokens once', async (t) => {
  const place = sea()
  await stormOfCodes(t, place, ROUNDS, 'app')
  await stormOfCodes(t, place, ROUNDS, 'jwt-web')
  assertGood(t, place.history)
})

t.test('one refresh token in many concurrent requests to both versions gets one successor', async (t) => {
  const place = sea()
  await stormOfRefreshes(t, place, ROUNDS, 'app')
  await stormOfRefreshes(t, place, ROUNDS, 'jwt-web')
  assertGood(t, place.history)
})

t.test('a family ends at both versions in the middle of its refreshes', async (t) => {
  const place = sea()
  const storm = new Storm(place, 'web')
  for (let round = 1; round <= ROUNDS; round++) {
    const { code, access_token, refresh_token } = await storm.signIn()
    const end = round % 2 === 0 ? storm.replay(code) : storm.revoke(refresh_token)
    const [answers] = await Promise.all([storm.refreshAll(refresh_token), end])
    const { 200: won = 0, invalid_grant: lost = 0 } = tally(answers)
    t.equal(won + lost, WIDTH, `round ${round}: each refresh came before or after it`)
    t.same(await storm.accepted([access_token]), [])
    t.same(await storm.live(code), { access_token: 0, refresh_token: 0 })
  }
  assertGood(t, place.history)
})

t.test('both versions publish the same keys', async () => {
  // The keys that sign next follow the first ones.
  await until('the key sets are the same', async () => {
    const [one, other] = await Promise.all(versions.map(({ get }) => get('/.well-known/jwks.json')))
    return one?.status === 200 && isDeepStrictEqual(one.json, other?.json)
  })
})

for (const [first, second] of [versions, versions.toReversed()]) {
  if (first === undefined || second === undefined) throw new TypeError('there are two versions')
  const way = `from the ${first.name} to the ${second.name}`

  t.test(`a user who signed in stays signed in and signs out, ${way}`, async (t) => {
    let asked = 0
    // Each request goes to the other version.
    const browser = visitorAt(ISSUER, () => ([first, second][asked++ % 2] ?? first).address)
    const request = requestUrl({ client_id: 'own' })
    const { told } = asDeparture(await signInOn(browser, await browser.page(request)))
    const tokens = await first.token(codeRequest(told.get('code') ?? '', { client_id: 'own' }))
    t.equal(tokens.status, 200)
    for (let i = 0; i < 4; i++) {
      const silent = asDeparture(await browser.open(requestUrl({ client_id: 'own', prompt: 'none' })))
      t.ok(silent.told.get('code'), 'signed in')
    }
    const { id_token, access_token, refresh_token } = tokens.json as Record<string, string>
    t.equal((await second.get('/userinfo', bearer(String(access_token)))).json.sub, 'sub-of-alice')
    const refresh = { grant_type: 'refresh_token', client_id: 'own', refresh_token: String(refresh_token) }
    t.equal((await second.token(refresh)).status, 200)
    await browser.open(`/oauth2/logout?${new URLSearchParams({ id_token_hint: String(id_token) })}`)
    const silent = asDeparture(await browser.open(requestUrl({ client_id: 'own', prompt: 'none' })))
    t.equal(silent.told.get('error'), 'login_required')
  })

  t.test(`a secret and a field that it does not know are no obstacle, ${way}`, async (t) => {
    for (const replica of [first, second]) {
      const { status, json } = await replica.token({ grant_type: 'client_credentials' }, basic('later'))
      t.equal(status, 200, replica.name)
      for (const { api } of [first, second]) t.equal((await api(String(json.access_token))).status, 200)
    }
  })

  t.test(`a revoked token is refused, ${way}`, async (t) => {
    const { access_token } = await first.signIn()
    t.equal((await second.api(access_token)).status, 200)
    const form = new URLSearchParams({ client_id: 'app', token: access_token })
    await fetch(`${second.address}/oauth2/revoke`, { method: 'POST', body: form })
    for (const { api } of [first, second]) t.equal((await api(access_token)).status, 401)
  })
}
