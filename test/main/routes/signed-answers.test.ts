// Introspection responses (RFC 9701) and user information (OpenID Connect Core §5.3.2) as signed JWTs.
import { forEachService, type Lifecycle, pass } from '../../support/lifecycle.ts'
import { changeClient, createClient } from '../../support/records.ts'
import { basic, bearer, ISSUER } from '../../support/service.ts'
import { verified } from '../../support/signed-answer.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  keySetOf,
} from '../../support/trusted-issuer.ts'

const JWT = 'application/token-introspection+jwt'

const introspect = (service: Lifecycle, client: string, token: string, accept?: string) =>
  service.post('/oauth2/introspect', { token }, { ...basic(client), ...(accept && { accept }) })

/** Sets a field, and waits until the service knows it. */
async function setField(service: Lifecycle, client: string, field: string, value: string) {
  await changeClient(service.storage, client, { set: { [field]: value }, unset: [] })
  const { clients } = service.fastify.redmint
  await pass(service, 0, async () => {
    const found: Record<string, unknown> = { ...(await clients.find(client)) }
    return found[field] === value
  })
}

forEachService('a resource server that accepts a JWT gets one', async (t, start) => {
  const service = await start()
  const { access_token, refresh_token } = await service.signIn('web')
  const { json: plain } = await introspect(service, 'gateway', access_token)
  const before = Math.floor(service.now() / 1000)
  const answer = await introspect(service, 'gateway', access_token, JWT)
  t.equal(answer.status, 200)
  t.equal(answer.headers['content-type'], JWT)
  t.equal(answer.headers['cache-control'], 'no-store')
  const options = {
    audience: 'gateway',
    typ: 'token-introspection+jwt',
    currentDate: new Date(service.now()),
  }
  const { header, claims } = await verified(service, answer.text, options)
  t.match(header, { alg: 'RS256', kid: String })
  t.same(Object.keys(claims).sort(), ['aud', 'iat', 'iss', 'token_introspection'], 'no sub and no exp')
  t.ok(Number(claims.iat) >= before)
  t.strictSame(claims.token_introspection, plain)
  for (const token of [refresh_token, 'unknown', answer.text]) {
    const inactive = await introspect(service, 'gateway', token, JWT)
    const { claims } = await verified(service, inactive.text, options)
    t.strictSame(claims.token_introspection, { active: false })
  }
  t.equal((await service.get('/api/resource', bearer(answer.text))).status, 401, 'it is no access token')
})

forEachService('the header Accept decides by its preferences', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  const cases: [string, boolean][] = [
    [`${JWT}, application/json;q=0.9`, true],
    ['Application/Token-Introspection+JWT', true],
    [`application/json, ${JWT};q=0.5`, false],
    [`${JWT};q=0`, false],
    ['application/json', false],
    ['application/jwt', false],
    ['*/*', false],
    ['application/*', false],
    ['text/html', false],
  ]
  for (const [accept, signed] of cases) {
    const { status, headers } = await introspect(service, 'web', access_token, accept)
    t.equal(status, 200)
    t.equal(headers['content-type'] === JWT, signed, accept)
  }
})

forEachService('a client with introspection_signed_response_alg gets nothing but JWTs', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  await setField(service, 'gateway', 'introspection_signed_response_alg', 'ES256')
  for (const accept of [undefined, 'application/json']) {
    const answer = await introspect(service, 'gateway', access_token, accept)
    t.equal(answer.headers['content-type'], JWT)
    const { header, claims } = await verified(service, answer.text, { audience: 'gateway' })
    t.equal(header.alg, 'ES256')
    t.match(claims.token_introspection, { active: true, client_id: 'web' })
  }
  const other = await introspect(service, 'web', access_token)
  t.match(other.json, { active: true }, 'another client gets JSON')
})

forEachService('what a client with a profile gets is never signed with RS256', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  const key = issuerKey()
  for (const [client_id, fields, alg] of [
    ['bank', {}, 'ES256'],
    ['other-bank', { id_token_signed_response_alg: 'EdDSA' }, 'EdDSA'],
  ] as const) {
    const record = { profile: 'fapi2', jwks: keySetOf(key), can_introspect: 'true', ...fields }
    await createClient(service.storage, client_id, { grant_types: 'client_credentials', ...record })
    const form = {
      token: access_token,
      client_assertion_type: CLIENT_ASSERTION_TYPE,
      client_assertion: assertionOf(key, claimsOf(client_id, client_id)),
    }
    const answer = await service.post('/oauth2/introspect', form, { accept: JWT })
    const { header, claims } = await verified(service, answer.text, { audience: client_id })
    t.equal(header.alg, alg, 'that of its id_tokens, whatever ID_TOKEN_ALG is')
    t.match(claims.token_introspection, { active: true })
  }
})

forEachService('a caller that does not authenticate gets no JWT', async (t, start) => {
  const { post, signIn } = await start()
  const { access_token } = await signIn('web')
  const send = (form: Record<string, string>, headers = {}) =>
    post('/oauth2/introspect', { token: access_token, ...form }, { accept: JWT, ...headers })
  for (const answer of [
    await send({}),
    await send({ client_id: 'app' }),
    await send({}, basic('web', 'x')),
  ]) {
    t.match(answer, { status: 401, json: { error: 'invalid_client' } })
    t.match(answer.headers['content-type'], 'application/json')
  }
})

forEachService('user information is a JWT for a client that registered one', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  const plain = await service.get('/userinfo', bearer(access_token))
  t.match(plain.headers['content-type'], /^application\/json/)
  await setField(service, 'web', 'userinfo_signed_response_alg', 'ES256')
  const byPost = await service.post('/userinfo', { access_token })
  for (const answer of [await service.get('/userinfo', bearer(access_token)), byPost]) {
    t.equal(answer.status, 200)
    t.equal(answer.headers['content-type'], 'application/jwt')
    t.equal(answer.headers['cache-control'], 'no-store')
    const { header, claims } = await verified(service, answer.text, { audience: 'web', typ: 'JWT' })
    t.equal(header.alg, 'ES256')
    t.strictSame(claims, { ...plain.json, iss: ISSUER, aud: 'web' }, 'no exp and no iat')
  }
  const hint = { client_id: 'web', id_token_hint: byPost.text, subject: undefined }
  t.equal((await service.authorize(hint)).redirect.get('error'), 'invalid_request', 'it is no id_token')
  const refused = await service.get('/userinfo', bearer(byPost.text))
  t.equal(refused.status, 401, 'nor an access token')
  t.match(refused.headers['content-type'], 'application/json', 'errors are plain')
  const other = await service.signIn('app')
  t.match((await service.get('/userinfo', bearer(other.access_token))).json, { sub: 'alice' })
})

forEachService('an algorithm that SIGNING_ALGS lacks is an error of the server', async (t, start) => {
  const service = await start({ signing_algs: ['ES256', 'RS256'] })
  const { access_token } = await service.signIn('web')
  await setField(service, 'web', 'userinfo_signed_response_alg', 'EdDSA')
  await setField(service, 'web', 'introspection_signed_response_alg', 'EdDSA')
  t.match(await service.get('/userinfo', bearer(access_token)), {
    status: 500,
    json: { error: 'server_error' },
  })
  const introspected = await introspect(service, 'web', access_token)
  t.match(introspected, { status: 500, json: { error: 'server_error' } })
})
