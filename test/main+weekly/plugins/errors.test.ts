// Secrets, codes and tokens appear in no log line and no error, whatever fails.

import t, { type Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { CODE } from '../../../src/tokens/code-record.ts'
import { forEachStorage, inMemory, onRedis, type Place, spyOn } from '../../support/matrix.ts'
import { listen, request } from '../../support/raw-http.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  codeRequest,
  REDIRECT_URI,
  SECRET,
  type Service,
  startService,
  VERIFIER,
} from '../../support/service.ts'
import { Watch } from '../../support/watch.ts'

const FORM = { grant_type: 'client_credentials' }
const STATE = 'a-state-that-is-nobodys-business'
const NONCE = 'a-nonce-that-is-nobodys-business'
const WRONG_SECRET = 'a-secret-with-a-slip-of-the-pen'
const TYPED = 'what-somebody-typed-by-mistake'
async function startWatched(t: Test, { storage }: Place, watch: Watch, options = {}) {
  const service = await startService(t, { storage, ...options })
  service.fastify.log.level = 'trace'
  for (const json of Object.values(await storage.signing_keys.read())) {
    const { d, p, q } = JSON.parse(json).private_jwk
    for (const part of [d, p, q]) if (part !== undefined) watch.hide(part)
  }
  return service
}

/** Requests a code and records everything secret about it. */
async function codeOf(service: Service, watch: Watch, overrides: Record<string, string> = {}) {
  const answer = watch.seen(await service.authorize({ state: STATE, nonce: NONCE, ...overrides }))
  return watch.hide(answer.redirect.get('code'))
}

async function tokensOf(service: Service, watch: Watch) {
  const code = await codeOf(service, watch)
  const { json } = watch.seen(await service.token(codeRequest(code)))
  return {
    code,
    access_token: watch.hide(json.access_token),
    refresh_token: watch.hide(json.refresh_token),
    id_token: watch.hide(json.id_token),
  }
}

async function authorizeInEveryWay(service: Service, watch: Watch) {
  const given = { state: STATE, nonce: NONCE }
  for (const overrides of [
    {},
    { client_id: TYPED },
    { redirect_uri: `${REDIRECT_URI}?${TYPED}` },
    { scope: TYPED },
  ]) {
    const request = authorizationRequest({ ...given, ...overrides })
    // The redirect returns what the client sent; that is intended.
    if (!('scope' in overrides)) {
      // The page of demo mode shows the redirect_uri.
      const accept = 'redirect_uri' in overrides ? 'application/json' : 'text/html'
      watch.seen(await service.get(`/oauth2/authorize?${new URLSearchParams(request)}`, { accept }))
    } else await service.post('/oauth2/authorize', request)
  }
  await service.post('/oauth2/authorize', authorizationRequest({ ...given, response_type: TYPED }))
  watch.seen(await service.get(`/oauth2/authorize?state=${STATE}&state=${STATE}`))
  watch.seen(await service.get(`/oauth2/authorize?state=${STATE}%zz`))
}

async function askForTokensInEveryWay(service: Service, watch: Watch) {
  const { token, fastify, get } = service
  const { code } = await tokensOf(service, watch)
  watch.seen(await token(codeRequest(code)))
  const fresh = await codeOf(service, watch)
  for (const form of [
    codeRequest(fresh, { code_verifier: watch.hide('another-verifier-of-forty-three-characters..') }),
    codeRequest(fresh, { redirect_uri: 'https://other.example.com/' }),
    codeRequest(fresh, { client_id: 'nobody' }),
    codeRequest(watch.hide(`${fresh}x`)),
    codeRequest(TYPED),
    { ...codeRequest(fresh), grant_type: TYPED },
    { ...FORM, client_id: 'service', client_secret: SECRET },
    { ...FORM, client_id: 'service', client_secret: WRONG_SECRET },
    { ...FORM, client_id: SECRET },
    { ...FORM, client_id: 'app', client_secret: SECRET },
  ]) {
    const answer = watch.seen(await token(form))
    if (answer.json.access_token !== undefined) watch.hide(answer.json.access_token)
  }
  for (const headers of [
    basic('service'),
    basic('service', WRONG_SECRET),
    basic(SECRET),
    { authorization: `Basic ${SECRET}` },
    { authorization: `Basic ${Buffer.from(SECRET).toString('base64')}` },
    { authorization: `Basic ${Buffer.from(`service:${SECRET}%zz`).toString('base64')}` },
    { authorization: `Basic ${Buffer.from(`service:${SECRET}\n`).toString('base64')}` },
    bearer(SECRET),
  ]) {
    watch.hide(headers.authorization)
    const answer = watch.seen(await token(FORM, headers))
    if (answer.json.access_token !== undefined) watch.hide(answer.json.access_token)
    watch.seen(await token({ ...FORM, client_id: 'service', client_secret: SECRET }, headers))
  }
  const bodies: [type: string, payload: string][] = [
    ['application/json', JSON.stringify({ ...FORM, client_secret: SECRET, code: fresh })],
    ['text/plain', `client_secret=${SECRET}`],
    ['application/x-www-form-urlencoded', `client_secret=${SECRET}&client_secret=${SECRET}`],
    ['application/x-www-form-urlencoded', `client_secret=${SECRET}%zz&code=${fresh}`],
    ['application/x-www-form-urlencoded', `${SECRET}=${fresh}&${SECRET}=x`],
    ['application/x-www-form-urlencoded', `client_secret=${SECRET}&x=${'x'.repeat(20_000)}`],
    [`text/${SECRET}`, SECRET],
    [`${SECRET}`, SECRET],
  ]
  for (const [type, payload] of bodies) {
    const url = `/oauth2/token?code=${fresh}&client_secret=${SECRET}`
    const headers = { 'content-type': type, origin: 'https://spa.example.com', cookie: `session=${SECRET}` }
    await fastify.inject({ method: 'POST', url, headers, payload })
  }
  watch.seen(await get(`/oauth2/token?code=${fresh}&code_verifier=${VERIFIER}`))
  watch.seen(await get(`/callback?code=${fresh}&state=${STATE}`))
}

async function useTokensInEveryWay(service: Service, watch: Watch, { editToken }: Place) {
  const { get, post } = service
  const tokens = await tokensOf(service, watch)
  for (const token of Object.values(tokens)) {
    for (const spelled of [token, watch.hide(`${token}x`), watch.hide(token.split('').reverse().join(''))]) {
      watch.seen(await get('/api/resource', bearer(spelled)))
      watch.seen(await get('/userinfo', bearer(spelled)))
      watch.seen(await post('/userinfo', { access_token: spelled }))
      watch.seen(await post('/userinfo', { access_token: spelled }, bearer(spelled)))
      watch.seen(await get(`/api/resource?access_token=${spelled}`))
      watch.seen(await get(`/userinfo?access_token=${spelled}`, { authorization: spelled }))
    }
  }
  const { access_token } = tokens
  if (access_token.split('.').length === 3) return
  for (const fields of [
    { revoked: 'true' },
    { revoked: TYPED },
    { type: TYPED },
    { expires_at: TYPED },
    { jti: TYPED },
  ]) {
    await editToken(access_token, fields)
    watch.seen(await get('/api/resource', bearer(access_token)))
  }
}

for (const access_token_format of ['opaque', 'jwt'] as const) {
  forEachStorage(t, `no secret is logged in any flow, ${access_token_format}`, async (t, makeStorage) => {
    const watch = new Watch(STATE, NONCE, WRONG_SECRET, TYPED)
    const place = await makeStorage(watch.log)
    const service = await startWatched(t, place, watch, { access_token_format })
    await authorizeInEveryWay(service, watch)
    await askForTokensInEveryWay(service, watch)
    await useTokensInEveryWay(service, watch, place)
    watch.check(t, service)
  })
}

forEachStorage(t, 'no secret is logged or answered when storage fails', async (t, makeStorage) => {
  const watch = new Watch(STATE, NONCE, WRONG_SECRET, TYPED)
  const place = await makeStorage(watch.log)
  const spy = spyOn(place.storage)
  const service = await startWatched(t, { ...place, storage: spy.storage }, watch)
  for (const fault of [new StorageUnavailable('away'), new TypeError('unexpected')]) {
    const { access_token } = await tokensOf(service, watch)
    const code = await codeOf(service, watch)
    spy.fault = fault
    const status = fault instanceof StorageUnavailable ? 503 : 500
    for (const answer of [
      await service.token(codeRequest(code)),
      await service.token(FORM, basic('service')),
      await service.token({ ...FORM, client_id: 'service', client_secret: SECRET }),
      await service.get('/api/resource', bearer(access_token)),
      await service.get('/userinfo', bearer(access_token)),
      await service.authorize({ state: STATE, nonce: NONCE }),
    ]) {
      t.equal(watch.seen(answer).status, status)
      if (status === 500) t.notMatch(answer.text, 'unexpected', 'the response does not show the cause')
      else t.match(answer.headers['retry-after'], /^[1-5]$/)
    }
    spy.fault = undefined
  }
  watch.check(t, service)
})

t.test('no secret in a request target is logged, however it is encoded', async (t) => {
  const watch = new Watch(STATE, NONCE, WRONG_SECRET, TYPED)
  const service = await startWatched(t, await inMemory(), watch)
  const send = await listen(service.fastify)
  const { access_token } = await tokensOf(service, watch)
  for (const target of [
    `/userinfo?access_token=${access_token}`,
    `/userinfo#access_token=${access_token}`,
    `http://localhost/userinfo?access_token=${access_token}`,
    `http://service:${SECRET}@localhost/userinfo`,
    `/%zz?access_token=${access_token}`,
    `/userinfo%?access_token=${access_token}`,
    `/%c3?client_secret=${SECRET}`,
    `?client_secret=${SECRET}`,
  ]) {
    const { text, status } = await send(request(`GET ${target}`))
    const shown = target.slice(0, 12)
    t.ok(status >= 400, `${status} for ${shown}`)
    t.same(watch.leaks(text), [], `the answer to ${shown}`)
  }
  for (const line of service.log) t.same(watch.leaks(line), [], 'a log line')
})

onRedis(t, 'error replies of Redis are not logged with their keys and arguments', async (t, place) => {
  const watch = new Watch(STATE, NONCE, WRONG_SECRET, TYPED)
  const { server, keys } = place
  const service = await startWatched(t, place, watch)
  const { access_token } = await tokensOf(service, watch)
  const code = await codeOf(service, watch)
  const callEverything = async () => {
    watch.seen(await service.token(codeRequest(code)))
    watch.seen(await service.token(FORM, basic('service')))
    watch.seen(await service.get('/api/resource', bearer(access_token)))
    watch.seen(await service.get('/userinfo', bearer(access_token)))
    watch.seen(await service.authorize({ state: STATE, nonce: NONCE }))
  }
  const statuses = () => watch.answers.slice(-5).map(({ status }) => status)

  await server.cli('CONFIG', 'SET', 'maxmemory', '1')
  await callEverything()
  t.ok(statuses().includes(503), `out of memory: ${statuses()}`)
  await server.cli('CONFIG', 'SET', 'maxmemory', '0')

  for (const key of [
    keys.record(CODE, code),
    keys.token(access_token),
    keys.record(CLIENT, 'service'),
    keys.record(CLIENT, 'app'),
  ]) {
    await server.cli('SET', key, TYPED)
  }
  await callEverything()
  t.ok(statuses().includes(500), `records of a wrong type: ${statuses()}`)

  await server.cli('ACL', 'SETUSER', 'default', '-hgetall', '-evalsha', '-eval')
  await callEverything()
  t.notOk(statuses().includes(200), `forbidden commands: ${statuses()}`)
  await server.cli('ACL', 'SETUSER', 'default', '+@all')

  await server.stop()
  await callEverything()
  t.same([...new Set(statuses())], [503], 'Redis is away')
  await server.restart()
  watch.check(t, service)
})
