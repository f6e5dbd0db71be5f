import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { onRedis } from '../../support/matrix.ts'
import { reader } from '../../support/plugins/metrics-reader.ts'
import { basic, bearer, codeRequest, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const OWN = { grant_type: 'client_credentials' }

t.test('tokens are counted by grant and format, and refusals by error', async (t) => {
  let ahead = 0
  const { get, token, code, authorize } = await startService(t, { now: () => Date.now() + ahead })
  const read = reader(get, (ms) => {
    ahead += ms
  })
  t.strictSame(await read('redmint_tokens_issued_total'), [])
  const { json } = await token(codeRequest(await code()))
  await token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: String(json.refresh_token) })
  await token(OWN, basic('service'))
  await token(OWN, basic('service'))
  t.strictSame(await read('redmint_tokens_issued_total'), [
    '{grant_type="authorization_code",format="opaque"} 1',
    '{grant_type="client_credentials",format="opaque"} 2',
    '{grant_type="refresh_token",format="opaque"} 1',
  ])

  await token(OWN, basic('service', 'a-wrong-secret'))
  await token({ ...OWN, scope: 'admin' }, basic('service'))
  await authorize({ scope: 'admin' })
  await authorize({ client_id: 'nobody' })
  await get('/api/resource', bearer('nonsense'))
  await get('/api/resource')
  t.strictSame(await read('redmint_refusals_total'), [
    '{endpoint="token",reason="client_credentials_wrong"} 1',
    '{endpoint="token",reason="scope_not_allowed"} 1',
    '{endpoint="authorize",reason="scope_not_allowed"} 1',
    '{endpoint="authorize",reason="client_unknown"} 1',
    '{endpoint="api",reason="token_invalid"} 1',
    '{endpoint="api",reason="token_missing"} 1',
  ])
  t.strictSame(await read('redmint_events_total'), [
    '{event="client_auth_failed"} 1',
    '{event="bearer_refused"} 1',
    '{event="client_added"} 6',
    '{event="resource_changed"} 1',
    '{event="user_added"} 1',
  ])
})

t.test('JWT access tokens are counted as such', async (t) => {
  const { get, token } = await startService(t, { access_token_format: 'jwt' })
  await token(OWN, basic('service'))
  const read = reader(get, () => undefined)
  t.strictSame(await read('redmint_tokens_issued_total'), [
    '{grant_type="client_credentials",format="jwt"} 1',
  ])
})

t.test('the age of a signing key', async (t) => {
  const clock = { now: Date.now() }
  const now = () => clock.now
  const service = await startService(t, { now, storage: new MemoryStorage({ now }) })
  const { keys } = service.fastify.redmint
  const ageOf = async () => {
    // RSA keys are made in the background after a rotation.
    await until('there are two keys of each algorithm', () => keys.ages.length === 8)
    const { text } = await service.get('/actuator/prometheus')
    const ages = [...text.matchAll(/^redmint_signing_key_age_seconds\{alg="(\w+)",status="(\w+)"\} (\S+)$/gm)]
    t.equal(ages.length, 8, 'two of each algorithm')
    return Number(ages.find(([, alg, status]) => alg === 'ES256' && status === 'current')?.[3])
  }
  const before = await ageOf()
  clock.now += 3_600_000
  await keys.reload()
  t.equal(Math.round((await ageOf()) - before), 3600)
  clock.now += 91 * 86_400_000
  await keys.reload()
  t.equal(await ageOf(), 0, 'after a rotation')
})

onRedis(
  t,
  'calls of Redis are counted by what they are for, failed ones included',
  async (t, { storage, server }) => {
    const { token, get } = await startService(t, { storage })
    const timing = () => storage.timings?.['save-client-tokens'] ?? { calls: 0, seconds: 0 }
    t.equal(timing().calls, 0)
    t.equal((await token(OWN, basic('service'))).status, 200)
    t.equal(timing().calls, 1)
    const { seconds } = timing()
    t.ok(seconds > 0)
    await server.cli('CONFIG', 'SET', 'maxmemory', '1')
    t.equal((await token(OWN, basic('service'))).status, 503)
    t.equal(timing().calls, 2)
    t.ok(timing().seconds > seconds)
    const { text } = await get('/actuator/prometheus')
    t.match(text, 'redmint_redis_calls_total{intent="save-client-tokens"} 2\n')
    t.match(text, /redmint_redis_seconds_total\{intent="save-client-tokens"\} 0\.\d+\n/)
  },
)
