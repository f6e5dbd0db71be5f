// The UserInfo endpoint (OpenID Connect Core §5.3, RFC 6750 §2).
import t from 'tap'
import { forEachService } from '../../support/matrix.ts'
import { basic, bearer, codeRequest, type Service, startService } from '../../support/service.ts'

async function userToken({ code, token }: Service, scope = 'openid') {
  const { json } = await token(codeRequest(await code({ scope })))
  return String(json.access_token)
}

forEachService(
  t,
  'the token is accepted by GET, in the POST header and in the POST body',
  async (t, start) => {
    const service = await start()
    const { get, post, fastify } = service
    const access_token = await userToken(service)
    const bodyless = await fastify.inject({ method: 'POST', url: '/userinfo', headers: bearer(access_token) })
    const answers = {
      GET: await get('/userinfo', bearer(access_token)),
      'POST, header and an empty form': await post('/userinfo', {}, bearer(access_token)),
      'POST, header and a form with another field': await post('/userinfo', { x: 'y' }, bearer(access_token)),
      'POST, body': await post('/userinfo', { access_token }),
    }
    for (const [name, { status, json, headers }] of Object.entries(answers)) {
      t.equal(status, 200, name)
      t.same(json, { sub: 'alice' })
      t.match(headers['content-type'], /^application\/json/)
      t.equal(headers['cache-control'], 'no-store')
    }
    t.equal(bodyless.statusCode, 200, 'POST without a body')
  },
)

t.test('a token by two methods is refused (RFC 6750 §2)', async (t) => {
  const service = await startService(t)
  const access_token = await userToken(service)
  const both = await service.post('/userinfo', { access_token }, bearer(access_token))
  t.equal(both.status, 400, 'in header and body')
  t.equal(both.json.error, 'invalid_request')
  t.match(both.headers['www-authenticate'], /^Bearer realm="redmint", error="invalid_request", error_desc/)
  const differing = await service.post('/userinfo', { access_token: 'x' }, bearer(access_token))
  t.equal(differing.status, 400, 'also if they differ')
})

t.test('a token in the query or in a cookie is ignored', async (t) => {
  const service = await startService(t)
  const access_token = await userToken(service)
  t.equal((await service.get(`/userinfo?access_token=${access_token}`)).status, 401)
  t.equal((await service.get('/userinfo', { cookie: `access_token=${access_token}` })).status, 401)
  const { statusCode } = await service.fastify.inject({
    method: 'GET',
    url: '/userinfo',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `access_token=${access_token}`,
  })
  t.equal(statusCode, 401, 'also in the body of a GET')
})

forEachService(t, 'no token and bad tokens: 401', async (t, start) => {
  const service = await start()
  for (const answer of [
    await service.get('/userinfo'),
    await service.post('/userinfo', {}),
    await service.post('/userinfo', { access_token: '' }),
    await service.get('/userinfo', basic('service')),
  ]) {
    t.equal(answer.status, 401)
    t.match(
      answer.headers['www-authenticate'],
      /^Bearer realm="redmint", DPoP realm="redmint", algs="[^"]+"$/,
    )
  }
  const { refresh_token, id_token } = (await service.token(codeRequest(await service.code()))).json
  for (const bad of ['nonsense', String(refresh_token), String(id_token)]) {
    for (const answer of [
      await service.get('/userinfo', bearer(bad)),
      await service.post('/userinfo', { access_token: bad }),
    ]) {
      t.equal(answer.status, 401)
      t.equal(answer.json.error, 'invalid_token')
      t.match(answer.headers['www-authenticate'], /error="invalid_token"/)
    }
  }
})

t.test('a token without openid: 403', async (t) => {
  const service = await startService(t)
  const access_token = await userToken(service, 'api.read')
  const { status, json, headers } = await service.get('/userinfo', bearer(access_token))
  t.equal(status, 403)
  t.equal(json.error, 'insufficient_scope')
  t.match(
    headers['www-authenticate'],
    /^Bearer realm="redmint", error="insufficient_scope", .*scope="openid"$/,
  )
  t.notOk(Object.hasOwn(json, 'sub'))
})

t.test('a token without a user: 401, whatever its scope', async (t) => {
  const service = await startService(t)
  for (const scope of ['openid', 'openid api.read', 'api.read']) {
    const { json } = await service.token({ grant_type: 'client_credentials', scope }, basic('web'))
    t.equal(json.scope, scope)
    const answer = await service.get('/userinfo', bearer(String(json.access_token)))
    t.equal(answer.status, 401)
    t.match(answer.json, { error: 'invalid_token', error_description: /issued to a client, not for a user/ })
    // RFC 6750 §3.1.
    t.match(answer.headers['www-authenticate'], /^Bearer realm="redmint", error="invalid_token", /)
    t.notOk(Object.hasOwn(answer.json, 'sub'))
  }
})

t.test('the sub is the same as in the id_token', async (t) => {
  const service = await startService(t)
  for (const subject of ['alice', 'bob@example.com', '|~!#$%&', 'a'.repeat(255)]) {
    const { json } = await service.token(codeRequest(await service.code({ subject })))
    const [, payload] = String(json.id_token).split('.')
    const { sub } = JSON.parse(Buffer.from(String(payload), 'base64url').toString())
    const answer = await service.get('/userinfo', bearer(String(json.access_token)))
    t.equal(answer.json.sub, subject)
    t.equal(answer.json.sub, sub)
  }
})
