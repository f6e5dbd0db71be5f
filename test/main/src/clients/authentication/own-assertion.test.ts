// Client authentication by assertions that the client signed itself (private_key_jwt, RFC 7523 §3), at each endpoint that
// authenticates clients.

import t, { type Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../../../src/clients/record/client-record.ts'
import { writeRestoreMark } from '../../../../../src/keys/restore-mark.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { changeClient, createClient } from '../../../../support/records.ts'
import {
  type Answer,
  basic,
  CLIENTS,
  codeRequest,
  ISSUER,
  SECRET,
  type Service,
  startService,
} from '../../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  keySetOf,
  trust,
} from '../../../../support/trusted-issuer.ts'

const [KEY, OTHER, RSA] = [issuerKey('key'), issuerKey('other'), issuerKey('rsa', 'RS256')]
const { client_secret_hash: _, ...BARE } = CLIENTS.web
const CLIENT = {
  ...BARE,
  client_id: 'billing',
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: keySetOf(KEY, RSA),
  can_introspect: true,
  grant_types: [...BARE.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
} as const satisfies ClientDefinition
const TOKEN_URL = `${ISSUER}/oauth2/token`

const assertion = (overrides: Claims = {}, header: Claims = {}) =>
  assertionOf(KEY, claimsOf('billing', 'billing', overrides), header)
const proof = (jwt = assertion()) => ({ client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion: jwt })
const credentials = ({ token }: Pick<Service, 'token'>, form: Record<string, string>, headers = {}) =>
  token({ grant_type: 'client_credentials', ...form }, headers)
const now = () => Math.floor(Date.now() / 1000)

async function knowing(t: Test, more: Partial<ClientDefinition> = {}): Promise<Service> {
  const service = await startService(t)
  await createClient(service.storage, 'billing', formatClient({ ...CLIENT, ...more }))
  return service
}

async function refuses(service: Service, wanted: readonly [string, string, RegExp?][]): Promise<void> {
  for (const [name, jwt, reason = /./] of wanted) {
    const { status, json, headers } = await credentials(service, proof(jwt))
    t.match({ status, json }, { status: 401, json: { error: 'invalid_client' } }, name)
    t.match(json.error_description, reason, name)
    t.match(headers['www-authenticate'], /^Basic/, name)
  }
}

t.test('a client authenticates by its key at every endpoint', async (t) => {
  const service = await knowing(t)
  const { status, json } = await credentials(service, proof())
  t.match({ status, json }, { status: 200, json: { scope: 'api.read api.write' } })
  const issued = { token: String(json.access_token) }
  const { json: found } = await service.post('/oauth2/introspect', { ...issued, ...proof() })
  t.match(found, { active: true, client_id: 'billing' })
  t.equal((await service.post('/oauth2/revoke', { ...issued, ...proof() })).status, 200)
  const code = codeRequest(await service.code({ client_id: 'billing' }), { client_id: 'billing' })
  t.equal((await service.token(code)).json.error, 'invalid_client', 'not without')
  t.equal((await service.token({ ...code, ...proof() })).status, 200)
  const devices = await service.post('/oauth2/device_authorization', { scope: 'openid', ...proof() })
  t.equal(devices.status, 200)
})

t.test('an assertion authenticates once, for whatever it is used', async (t) => {
  const service = await knowing(t)
  const once = proof()
  const answers = await Promise.all([1, 2, 3, 4].map(() => credentials(service, once)))
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
  t.match(service.log.join(''), '"event":"assertion_replayed"')
  const again = await service.post('/oauth2/introspect', { token: 'x', ...once })
  t.match(again.json, { error: 'invalid_client', error_description: /used before/ })
})

t.test('of two replicas that get an assertion at once, one accepts it', async (t) => {
  const storage = new MemoryStorage()
  await createClient(storage, 'billing', formatClient(CLIENT))
  const replicas = [await startService(t, { storage }), await startService(t, { storage })]
  for (let round = 0; round < 5; round += 1) {
    const once = proof()
    const answers = await Promise.all(replicas.map((replica) => credentials(replica, once)))
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 401])
  }
})

t.test('one method, as it is registered', async (t) => {
  const { client_secret_hash } = CLIENTS.web
  const service = await knowing(t, { client_secret_hash })
  const attempt = async (name: string, error: string, form: Record<string, string>, headers = {}) =>
    t.equal((await credentials(service, form, headers)).json.error, error, name)
  await attempt('its old secret', 'invalid_client', { client_id: 'billing', client_secret: SECRET })
  await attempt('its old secret by Basic', 'invalid_client', {}, basic('billing'))
  await attempt('a secret as well', 'invalid_request', { ...proof(), client_secret: SECRET })
  await attempt('Basic as well', 'invalid_request', proof(), basic('billing'))
  await attempt('nothing', 'invalid_client', { client_id: 'billing' })
  const { client_assertion, client_assertion_type } = proof()
  await attempt('no type', 'invalid_request', { client_assertion })
  await attempt('no assertion', 'invalid_request', { client_assertion_type })
  const saml = { client_assertion, client_assertion_type: client_assertion_type.replace('jwt', 'saml2') }
  await attempt('another type', 'invalid_client', saml)
  const { token_endpoint_auth_method: __, ...other } = { ...CLIENT, client_id: 'other', client_secret_hash }
  await createClient(service.storage, 'other', formatClient(other))
  const foreign = proof(assertionOf(KEY, claimsOf('other', 'other')))
  await attempt('a key of a client that is registered for a secret', 'invalid_client', foreign)
})

t.test('an assertion of a client is about this client', async (t) => {
  const service = await knowing(t)
  await createClient(
    service.storage,
    'shop',
    formatClient({ ...CLIENT, client_id: 'shop', jwks: keySetOf(OTHER) }),
  )
  const same = /its iss, its sub and the client_id are not the same/
  t.equal((await credentials(service, { ...proof(), client_id: 'billing' })).status, 200)
  t.match((await credentials(service, { ...proof(), client_id: 'shop' })).json, {
    error: 'invalid_client',
    error_description: same,
  })
  const about = (iss: string, sub: unknown) => assertionOf(KEY, claimsOf(iss, 'x', { sub }))
  await refuses(service, [
    ['of another client', about('shop', 'shop'), /not signed with a key of a client/],
    ['about another client', about('billing', 'shop'), /trusts no other issuers/],
    ['by another client', about('shop', 'billing'), /trusts no other issuers/],
    ['about several', about('billing', ['billing'])],
  ])
  const named = { ...proof(about('billing', 'shop')), client_id: 'billing' }
  t.match((await credentials(service, named)).json, { error: 'invalid_client', error_description: same })
})

t.test('the audience is the issuer and nothing else', async (t) => {
  const service = await knowing(t)
  t.equal((await credentials(service, proof(assertion({ aud: [ISSUER] })))).status, 200, 'a list of one')
  const wrong: unknown[] = [
    [ISSUER, 'https://other.example.com'],
    [ISSUER, ISSUER],
    [[ISSUER]],
    [],
    undefined,
    `${ISSUER}/`,
    ISSUER.slice(0, -1),
    `${ISSUER}.evil.example`,
    ISSUER.toUpperCase(),
    TOKEN_URL,
    'https://other.example.com',
    { iss: ISSUER },
  ]
  const reason = new RegExp(`its aud must be ${ISSUER} and nothing else`)
  await refuses(
    service,
    wrong.map((aud) => [JSON.stringify(aud) ?? 'none', assertion({ aud }), reason]),
  )
})

// draft-ietf-oauth-security-topics-update §2.1, audience injection: another server names an endpoint of this one as its own
// token endpoint, has the client sign for it at an endpoint of its own, and presents here what it got.
t.test('what a client signs for the endpoints of another server is refused at each of ours', async (t) => {
  const urls = ['token', 'par', 'revoke', 'introspect', 'device_authorization'].map(
    (path) => `/oauth2/${path}`,
  )
  for (const assertion_audience of [undefined, 'issuer', 'endpoint'] as const) {
    const service = await startService(t)
    const more = assertion_audience && { assertion_audience }
    await createClient(service.storage, 'billing', formatClient({ ...CLIENT, ...more }))
    for (const url of urls) {
      const send = async (aud: unknown) =>
        (
          await service.post(url, {
            grant_type: 'client_credentials',
            token: 'x',
            ...proof(assertion({ aud })),
          })
        ).json
      for (const injected of [
        ...urls.filter((other) => other !== url).map((other) => ISSUER + other),
        `${ISSUER}/`,
      ])
        t.equal(
          (await send(injected)).error,
          'invalid_client',
          `${assertion_audience}: ${injected} at ${url}`,
        )
      const own = (await send(ISSUER + url)).error
      t.equal(
        own === 'invalid_client',
        assertion_audience !== 'endpoint',
        `${assertion_audience}: its own URL at ${url}`,
      )
      t.not((await send(ISSUER)).error, 'invalid_client', `${assertion_audience}: the issuer at ${url}`)
    }
  }
})

t.test('the audience of a client with assertion_audience issuer is no list', async (t) => {
  const service = await knowing(t, { assertion_audience: 'issuer' })
  t.equal((await credentials(service, proof())).status, 200)
  await refuses(service, [['a list of one', assertion({ aud: [ISSUER] })]])
})

t.test('an old client may name the endpoint that it asks', async (t) => {
  const service = await knowing(t, { assertion_audience: 'endpoint' })
  t.equal((await credentials(service, proof(assertion({ aud: TOKEN_URL })))).status, 200)
  t.equal((await credentials(service, proof())).status, 200, 'and the issuer')
  const ask = (aud: unknown) =>
    service.post('/oauth2/introspect', { token: 'x', ...proof(assertion({ aud })) })
  t.equal((await ask(`${ISSUER}/oauth2/introspect`)).status, 200)
  t.equal((await ask(TOKEN_URL)).status, 401, 'not another endpoint')
  await refuses(service, [['both', assertion({ aud: [ISSUER, TOKEN_URL] })]])
})

t.test('an assertion lives for a short time', async (t) => {
  const service = await knowing(t)
  const accepted: Claims[] = [
    { exp: now() + 300 },
    { iat: undefined },
    { nbf: now() + 20, iat: now() + 20 },
    { exp: now() - 20, iat: now() - 60 },
  ]
  for (const claims of accepted)
    t.equal((await credentials(service, proof(assertion(claims)))).status, 200, JSON.stringify(claims))
  await refuses(service, [
    ['no exp', assertion({ exp: undefined }), /without an exp/],
    ['exp as a text', assertion({ exp: `${now() + 60}` }), /without an exp/],
    ['expired', assertion({ exp: now() - 40 }), /expired/],
    ['exp far ahead', assertion({ exp: now() + 400, iat: undefined }), /longer than 300 seconds/],
    ['made long ago', assertion({ iat: now() - 290, exp: now() + 60 }), /longer than 300 seconds/],
    ['iat ahead', assertion({ iat: now() + 90 }), /issued in the future/],
    ['nbf ahead', assertion({ nbf: now() + 90 }), /not valid yet/],
    ['nbf as a text', assertion({ nbf: '0' }), /not a number/],
    ['no jti', assertion({ jti: undefined }), /without a jti/],
    ['an empty jti', assertion({ jti: '' }), /without a jti/],
    ['jti as a number', assertion({ jti: 7 }), /without a jti/],
    ['a long jti', assertion({ jti: 'x'.repeat(1025) }), /without a jti/],
  ])
})

t.test('what could be used before a restore is refused after it', async (t) => {
  const storage = new MemoryStorage()
  await createClient(storage, 'billing', formatClient(CLIENT))
  await writeRestoreMark(storage, now() - 30)
  const service = await startService(t, { storage })
  await refuses(service, [
    ['before the mark', assertion({ iat: now() - 35 }), /before the restore mark/],
    ['by a clock that is ahead', assertion({ iat: now() - 5 }), /before the restore mark/],
    ['without iat', assertion({ iat: undefined }), /before the restore mark/],
  ])
  t.equal((await credentials(service, proof(assertion({ iat: now() + 5 })))).status, 200)
})

t.test('the type and the algorithm are those of the record', async (t) => {
  const service = await knowing(t)
  for (const typ of ['client-authentication+jwt', 'application/client-authentication+jwt', 'jwt', undefined])
    t.equal((await credentials(service, proof(assertion({}, { typ })))).status, 200, String(typ))
  const rsa = (alg: string) => assertionOf({ ...RSA, alg: alg as 'RS256' }, claimsOf('billing', 'billing'))
  t.equal((await credentials(service, proof(rsa('RS256')))).status, 200)
  await refuses(service, [
    ['an access token', assertion({}, { typ: 'at+jwt' }), /its typ must be/],
    ['a logout token', assertion({}, { typ: 'logout+jwt' }), /its typ must be/],
    ['a DPoP proof', assertion({}, { typ: 'dpop+jwt' }), /its typ must be/],
    ['an algorithm that the key is not for', rsa('PS256'), /not signed with a key/],
  ])
  await changeClient(service.storage, 'billing', { set: { token_endpoint_auth_signing_alg: 'ES256' } })
  await refuses(service, [['an algorithm that the record excludes', rsa('RS256'), /not signed with a key/]])
  t.equal((await credentials(service, proof())).status, 200)
})

t.test('the answer does not say whether there is such a client', async (t) => {
  const service = await knowing(t, { assertion_audience: 'endpoint' })
  await createClient(service.storage, 'off', formatClient({ ...CLIENT, client_id: 'off', disabled: true }))
  const answerOf = async (client_id: string, claims: Claims): Promise<Partial<Answer>> => {
    const jwt = assertionOf({ ...OTHER, kid: 'key' }, claimsOf(client_id, client_id, claims))
    const { status, text, headers } = await credentials(service, proof(jwt))
    return { status, text, headers: { ...headers, date: undefined } }
  }
  for (const claims of [{}, { aud: TOKEN_URL }, { exp: 1 }]) {
    const of_nobody = await answerOf('nobody', claims)
    for (const client_id of ['billing', 'service', 'app', 'off']) {
      const { headers: _, ...answer } = await answerOf(client_id, claims)
      const { headers: __, ...expected } = of_nobody
      t.strictSame(answer, expected, `${client_id} ${JSON.stringify(claims)}`)
    }
  }
  t.match(service.log.join(''), /its signature is invalid/, 'the log does')
  const { text = '' } = await answerOf('billing', { aud: TOKEN_URL })
  t.match(text, /that the jwks_uri of the client answers, or its aud must be https:/, 'its aud may be right')
})

t.test('an assertion of a trusted issuer is another one, even by the same names', async (t) => {
  const url = 'https://idp.example.com'
  const service = await startService(t, { trusted_issuers: true })
  await trust(service.storage, OTHER, { issuer: url })
  await createClient(service.storage, url, formatClient({ ...CLIENT, client_id: url }))
  const workload = { ...BARE, client_id: 'job', assertion_issuer: url }
  await createClient(service.storage, 'job', formatClient(workload))
  const jti = 'one-jti'
  const own = proof(assertionOf(KEY, claimsOf(url, url, { jti })))
  const of_issuer = proof(assertionOf(OTHER, claimsOf(url, 'job', { jti })))
  t.equal((await credentials(service, own)).status, 200)
  t.equal((await credentials(service, of_issuer)).status, 200, 'the same jti is not the same id')
  const forged = proof(assertionOf(OTHER, claimsOf(url, url)))
  t.equal(
    (await credentials(service, forged)).status,
    401,
    'an issuer does not sign for a client of its name',
  )
  const both = { ...CLIENT, client_id: 'both', assertion_issuer: url }
  await createClient(service.storage, 'both', formatClient(both))
  const about = proof(assertionOf(OTHER, claimsOf(url, 'both')))
  t.equal((await credentials(service, about)).status, 401, 'a record with both ways is malformed')
})
