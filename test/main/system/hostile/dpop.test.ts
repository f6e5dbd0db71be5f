// DPoP proofs of an attacker: they leave nothing in Redis, and what Node makes of repeated headers helps nobody.
import { Redis } from 'ioredis'
import t from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { DEVICE_GRANT, storeDevices } from '../../../support/device.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { onRedis } from '../../../support/matrix.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { basic, codeRequest, SECRET, startService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

onRedis(
  t,
  'a caller with neither a token nor a code leaves nothing in Redis',
  async (t, { storage, keys, server }) => {
    const redis = new Redis(server.url)
    t.teardown(() => redis.disconnect())
    const service = await startService(t, { storage })
    await storeDevices(storage)
    const client = dpopClient(service)
    const bound = await client.token(codeRequest(await service.code()))
    const access_token = String(bound.json.access_token)
    const { access_token: jwt } = await jwtOf()
    const stored = async () => (await redis.keys(`${keys.prefix}*`)).sort()
    // It is noted after the answer.
    await until('what alice did is noted', async () =>
      (await stored()).some((key) => key.includes(':activity:')),
    )
    const before = await stored()

    const stranger = dpopClient(service)
    const unknown = newToken(newFamilyId())
    const secret = `${access_token.slice(0, -4)}AAAA`
    for (const path of ['/api/resource', '/userinfo']) {
      for (const token of [unknown, secret, access_token, jwt, 'x']) {
        t.equal((await stranger.get(path, token)).status, 401, `${path} ${token.slice(0, 10)}`)
      }
    }
    for (const form of [
      codeRequest(unknown),
      { grant_type: 'refresh_token', client_id: 'app', refresh_token: unknown },
      { grant_type: 'refresh_token', client_id: 'app', refresh_token: String(bound.json.refresh_token) },
      { grant_type: DEVICE_GRANT, client_id: 'tv', device_code: unknown },
      { grant_type: 'client_credentials', client_id: 'app' },
      { grant_type: 'unknown', client_id: 'app' },
    ]) {
      t.equal((await stranger.token(form)).status, 400, JSON.stringify(form))
    }
    t.strictSame(await stored(), before)
    t.equal((await client.get('/userinfo', access_token)).status, 200, 'its owner')
    t.equal((await stored()).length, before.length + 1, 'one proof')
    for (const key of await stored()) {
      if (key.includes(':proof:')) t.ok((await redis.ttl(key)) > 0, `${key} expires`)
    }

    async function jwtOf() {
      const issuer = await startService(t, { storage, access_token_format: 'jwt' })
      const { json } = await dpopClient(issuer).token(codeRequest(await issuer.code()))
      return { access_token: String(json.access_token) }
    }
  },
)

t.test('several DPoP headers are refused, equal ones too', async (t) => {
  const service = await startService(t)
  const client = dpopClient(service)
  const { json } = await client.token({ grant_type: 'client_credentials' }, basic('service'))
  const send = await listen(service.fastify)
  const { authorization } = basic('service', SECRET)
  const proof = () => client.proof('/oauth2/token')
  const own = (dpop: readonly string[]) =>
    send(
      request(
        'POST /oauth2/token',
        [`Authorization: ${authorization}`, `Content-Type: ${FORM}`, ...dpop],
        'grant_type=client_credentials',
      ),
    )
  const same = proof()
  for (const [name, headers] of [
    ['two', [`DPoP: ${proof()}`, `DPoP: ${proof()}`]],
    ['twice the same', [`DPoP: ${same}`, `dpop: ${same}`]],
    ['one is empty', [`DPoP: ${same}`, 'DPoP: ']],
    ['in one header', [`DPoP: ${same}, ${same}`]],
    ['three', [`DPoP: x`, `dPoP: ${same}`, 'DPOP: y']],
  ] as const) {
    const { status, body } = await own(headers)
    t.match({ status, body }, { status: 400, body: /invalid_dpop_proof/ }, name)
  }
  t.equal((await own([`DPoP: ${same}`])).status, 200, 'alone')

  const { authorization: bound, dpop } = client.withToken(json.access_token)
  const ask = (headers: readonly string[]) =>
    send(request('GET /api/resource', [`Authorization: ${bound}`, ...headers]))
  t.equal((await ask([`DPoP: ${dpop}`, `DPoP: ${dpop}`])).status, 401)
  t.equal((await ask([`DPoP: ${dpop}`])).status, 200)
})

t.test('the target of a request does not move its proof to another path', async (t) => {
  const service = await startService(t)
  const client = dpopClient(service)
  const { json } = await client.token({ grant_type: 'client_credentials' }, basic('service'))
  const send = await listen(service.fastify)
  const statusOf = async (target: string, htu: string) => {
    const { authorization, dpop } = client.withToken(json.access_token, htu)
    const answer = await send(request(`GET ${target}`, [`Authorization: ${authorization}`, `DPoP: ${dpop}`]))
    return answer.status
  }
  t.equal(await statusOf('/%61pi/resource', '/api/resource'), 200, 'the same path in other words')
  t.equal(await statusOf('http://other.example/api/resource', '/api/resource'), 200, 'an absolute target')
  t.equal(await statusOf('/api/resource', '/api/other'), 401)
  t.equal(await statusOf('/api/resource', '/api//resource'), 401)
  t.equal(await statusOf('/api/resource', '/API/resource'), 401)
  t.equal(await statusOf('/api/resource', '/api%2Fresource'), 401)
})
