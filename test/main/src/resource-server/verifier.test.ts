// Access tokens, verified by the documents of an authorization server.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { OAuthError } from '../../../../src/core/errors.ts'
import type { IntrospectionOptions } from '../../../../src/resource-server/introspection-client.ts'
import { createVerifier } from '../../../../src/resource-server/verifier.ts'
import {
  type Handler,
  makeKey,
  signWith,
  startAuthorizationServer,
  status,
} from '../../../support/resource-server/authorization-server.ts'

const API = 'https://api.example.com'
const START = 1_800_000_000
const CREDENTIALS = { client_id: 'a p+i', client_secret: 'söcret:%' }
const METADATA = '/.well-known/oauth-authorization-server'

/** A body that never ends. */
const endless = () =>
  new Readable({
    read() {
      this.push('x'.repeat(65_536))
    },
  })

async function start(t: Test, introspection: IntrospectionOptions | undefined = CREDENTIALS) {
  const server = await startAuthorizationServer(t)
  const clock = { now: START * 1000 }
  const verify = createVerifier({
    issuer: server.issuer,
    audience: [API],
    introspection,
    now: () => clock.now,
  })
  const claims = {
    iss: server.issuer,
    aud: API,
    sub: 'alice',
    client_id: 'app',
    scope: 'a b',
    jti: 'jti',
    iat: START,
    exp: START + 3600,
  }
  const reason = async (token: string) => {
    const validation = await verify(token)
    return validation.valid ? 'valid' : validation.reason
  }
  /** The status of the error if the token cannot be judged now. */
  const failure = (token: string): Promise<number | undefined> =>
    verify(token).then(
      () => undefined,
      (error: OAuthError) => error.status,
    )
  const sign = (changes: object = {}, header: object = {}, key = server.state.keys[0]) =>
    signWith(key ?? makeKey('none'), { ...claims, ...changes }, header)
  const pass = (seconds: number) => {
    clock.now += seconds * 1000
  }
  return { ...server, verify, claims, reason, failure, sign, pass }
}

t.test('a JWT is accepted with its facts', async (t) => {
  const { verify, sign, claims, count } = await start(t)
  const acr = 'urn:example:strong'
  const validation = await verify(sign({ acr, auth_time: START - 5, aud: ['x', `${API}/`] }))
  t.match(validation, {
    valid: true,
    token: {
      subject: 'alice',
      client_id: 'app',
      scope: 'a b',
      acr,
      auth_time: START - 5,
      claims: { jti: 'jti' },
    },
  })
  const own = await verify(sign({ sub: 'app' }))
  t.match(own, { valid: true, token: { subject: '', acr: undefined, auth_time: undefined } })
  t.equal(count('/keys'), 1, 'the key set is fetched once')
  t.ok(claims.exp > START)
})

t.test('a JWT is refused for one wrong thing', async (t) => {
  const { reason, sign, claims, state } = await start(t)
  const [key] = state.keys
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'first' })}.${encode(claims)}`
  const hmac = createHmac('sha256', JSON.stringify(key?.jwk)).update(input).digest('base64url')
  const none = `${encode({ alg: 'none', typ: 'at+jwt', kid: 'first' })}.${encode(claims)}.`
  const table: [name: string, token: string][] = [
    ['alg none', none],
    ['HS256 with the public key as the secret', `${input}.${hmac}`],
    ['an id_token', sign({}, { typ: 'JWT' })],
    ['no typ', sign({}, { typ: undefined })],
    ['a logout token', sign({}, { typ: 'logout+jwt' })],
    ['another key of the same name', sign({}, {}, makeKey('first'))],
    ['no kid', sign({}, { kid: undefined })],
    ['an extension', sign({}, { crit: ['b64'] })],
    ['another issuer', sign({ iss: 'https://other.example.com' })],
    ['the issuer with a slash', sign({ iss: `${claims.iss}/` })],
    ['another audience', sign({ aud: 'https://other.example.com' })],
    ['a longer audience', sign({ aud: `${API}/v1` })],
    ['an empty list of audiences', sign({ aud: [] })],
    ['an audience that is no string', sign({ aud: { [API]: true } })],
    ['expired', sign({ exp: START })],
    ['an exp that is no number', sign({ exp: `${START + 60}` })],
    ['not valid yet', sign({ nbf: START + 60 })],
    ['a scope that is no string', sign({ scope: ['a'] })],
    ['bound in an unknown way (RFC 7800 §3.1)', sign({ cnf: { kid: 'x' } })],
    ['bound in a known and in an unknown way', sign({ cnf: { jkt: 'x', kid: 'x' } })],
    ['bound to nothing', sign({ cnf: {} })],
    ['a binding that is no object', sign({ cnf: 'x' })],
    ...['iss', 'aud', 'sub', 'client_id', 'exp', 'iat', 'jti'].map((name): [string, string] => [
      `no ${name}`,
      sign({ [name]: undefined }),
    ]),
    ['characters of no token', 'ä.b.c'],
    ['an empty string', ''],
  ]
  for (const [name, token] of table) t.not(await reason(token), 'valid', name)
  t.equal(await reason(sign()), 'valid')
})

t.test('a rotation is noticed, and unknown keys are not looked for again and again', async (t) => {
  const { reason, sign, state, pass, count } = await start(t)
  const old = sign()
  t.equal(await reason(old), 'valid')
  const next = makeKey('second')
  state.keys.push(next)
  t.equal(await reason(sign({}, {}, next)), 'valid', 'whatever was fetched a moment ago')
  for (let i = 0; i < 50; i++) await reason(sign({}, { kid: `unknown-${i}` }))
  t.equal(count('/keys'), 2, 'fifty unknown keys cause no request')
  t.equal(await reason(old), 'valid')

  state.keys.shift()
  t.equal(await reason(old), 'valid', 'the key set of up to five minutes ago')
  pass(300)
  t.equal(await reason(old), 'its key is unknown', 'a withdrawn key')

  pass(-3600)
  const third = makeKey('third')
  state.keys.push(third)
  const claims = { iat: START - 3600, exp: START }
  t.equal(await reason(sign(claims, {}, third)), 'valid', 'the clock was set back')
})

t.test('keys for other algorithms may have the same kid (RFC 7517 §4.5)', async (t) => {
  const { reason, sign, state } = await start(t)
  const [first] = state.keys
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'EdDSA', use: 'sig' }
  state.keys.push({ kid: 'first', privateKey, jwk })
  t.equal(await reason(sign({}, {}, first)), 'valid')
  t.equal(await reason(sign({}, { alg: 'EdDSA' }, first)), 'its signature is invalid')
  t.equal(await reason(sign({}, { alg: 'RS256' }, first)), 'its key is unknown')
  t.equal(await reason(sign({}, { alg: 'Ed25519' }, first)), 'its signature is invalid', 'RFC 9864: EdDSA')
})

t.test('an outage is survived with the keys that are there, for a day', async (t) => {
  const { reason, failure, sign, state, pass } = await start(t)
  const exp = START + 172_800
  const token = sign({ exp })
  t.equal(await reason(token), 'valid')
  state.instead.set('/keys', status(500)).set(METADATA, status(502))
  pass(3600)
  t.equal(await reason(token), 'valid')
  const unknown = sign({ exp }, {}, makeKey('second'))
  t.equal(await failure(unknown), 503, 'a token by a key that may be new cannot be judged')
  pass(86_400)
  t.equal(await failure(token), 503)
  state.instead.clear()
  pass(1)
  t.equal(await reason(token), 'valid', 'the server is back')
})

t.test('without keys the answer is 503, until the server answers', async (t) => {
  const { verify, failure, reason, sign, state, pass, issuer } = await start(t)
  const token = sign()
  const body =
    (text: string): Handler =>
    (_request, response) =>
      response.end(text)
  const unencrypted = { issuer, jwks_uri: 'http://auth.example.com/keys' }
  const wrong: [why: RegExp, path: string, answer: Handler][] = [
    [
      /names the issuer/,
      METADATA,
      body(JSON.stringify({ issuer: `${issuer}/x`, jwks_uri: `${issuer}/keys` })),
    ],
    [/has no https jwks_uri/, METADATA, body(JSON.stringify(unencrypted))],
    [/JSON object/, METADATA, body('<html>')],
    [/has no keys/, '/keys', body('{}')],
    [/more than 262144 bytes/, '/keys', body(JSON.stringify({ keys: [], pad: 'x'.repeat(262_144) }))],
    [/more than 262144 bytes/, '/keys', (_request, response) => void endless().pipe(response)],
    [/did not answer in 5000 ms/, '/keys', () => undefined],
    [/answered 302/, '/keys', (_request, response) => response.writeHead(302, { location: '/moved' }).end()],
  ]
  state.instead.set('/moved', body(JSON.stringify({ keys: state.keys.map(({ jwk }) => jwk) })))
  for (const [why, path, answer] of wrong) {
    state.instead.set(path, answer)
    pass(400)
    const error: OAuthError | undefined = await verify(token).then(
      () => undefined,
      (error) => error,
    )
    t.equal(error?.status, 503)
    t.match(error?.cause, { message: why })
    state.instead.delete(path)
  }
  t.equal(await failure(token), 503, 'one attempt a second')
  pass(1)
  t.equal(await reason(token), 'valid')
})

t.test('metadata is found by OpenID Connect Discovery, too', async (t) => {
  const { reason, sign, state, issuer } = await start(t)
  state.instead.set(METADATA, status(404))
  state.instead.set('/.well-known/openid-configuration', (_request, response) =>
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })),
  )
  t.equal(await reason(sign()), 'valid')
})

t.test('an opaque token is introspected', async (t) => {
  const { verify, reason, failure, state, claims } = await start(t)
  const active = { active: true, ...claims, token_type: 'Bearer', token_use: 'access_token', acr: 'x' }
  state.introspection = () => active
  t.match(await verify('opaque'), {
    valid: true,
    token: { subject: 'alice', client_id: 'app', scope: 'a b', acr: 'x', claims: { jti: 'jti' } },
  })
  const basic = Buffer.from(String(state.authorization).slice('Basic '.length), 'base64').toString()
  t.equal(basic, 'a+p%2Bi:s%C3%B6cret%3A%25', 'form-encoded (RFC 6749 §2.3.1)')

  const table: [name: string, changes: object][] = [
    ['inactive', { active: false }],
    ['active is no boolean', { active: 'true' }],
    ['a refresh token', { token_use: 'refresh_token', token_type: undefined }],
    ['a token of another type', { token_type: 'mac' }],
    ['of DPoP, and bound to nothing', { token_type: 'DPoP' }],
    ['of DPoP, and bound to a certificate', { token_type: 'DPoP', cnf: { 'x5t#S256': 'x' } }],
    ['another issuer', { iss: 'https://other.example.com' }],
    ['another audience', { aud: ['https://other.example.com'] }],
    ['no audience: it is for the issuer itself', { aud: undefined }],
    ['expired', { exp: START }],
    ['no exp', { exp: undefined }],
    ['no client', { client_id: undefined }],
    ['bound in an unknown way', { cnf: { kid: 'x' } }],
    ['bound to nothing', { cnf: {} }],
  ]
  for (const [name, changes] of table) {
    state.introspection = () => ({ ...active, ...changes })
    t.not(await reason('opaque'), 'valid', name)
  }
  for (const code of [400, 401, 404, 429, 500, 503]) {
    state.instead.set('/introspect', status(code))
    t.equal(await failure('opaque'), 503, `${code} is no answer`)
  }
  state.instead.set('/introspect', (request) => request.socket.destroy())
  t.equal(await failure('opaque'), 503, 'the connection breaks')
})

t.test('a signed answer counts only if the issuer signed it for this API (RFC 9701 §5)', async (t) => {
  const { reason, failure, state, issuer, claims } = await start(t, { ...CREDENTIALS, signed: true })
  const typ = 'token-introspection+jwt'
  const content = { iss: issuer, aud: CREDENTIALS.client_id, iat: START }
  const token_introspection: object = { active: true, ...claims, token_use: 'access_token' }
  const [own = makeKey('none')] = state.keys
  const answerWith = (text: string) =>
    state.instead.set('/introspect', (request, response) => {
      t.equal(request.headers.accept, `application/${typ}`)
      response.end(text)
    })
  answerWith(signWith(own, { ...content, token_introspection }, { typ }))
  t.equal(await reason('opaque'), 'valid')
  answerWith(signWith(own, { ...content, token_introspection: { active: false } }, { typ }))
  t.equal(await reason('opaque'), 'not active')

  const sign = (changes: object, header: object = {}, key = own) =>
    signWith(key, { ...content, token_introspection, ...changes }, { typ, ...header })
  const rows: [what: string, text: string][] = [
    ['JSON', JSON.stringify(token_introspection)],
    ['for another API', sign({ aud: 'another' })],
    ['for nobody', sign({ aud: undefined })],
    ['of another issuer', sign({ iss: 'https://other.example.com' })],
    ['without a time', sign({ iat: undefined })],
    ['without an answer', sign({ token_introspection: undefined })],
    ['with a text as answer', sign({ token_introspection: 'active' })],
    ['of the type of an access token', sign({}, { typ: 'at+jwt' })],
    ['without a type', sign({}, { typ: undefined })],
    ['by an unknown key', sign({}, {}, makeKey('unknown'))],
    ['by a key of the same name', sign({}, {}, makeKey(own.kid))],
    ['not signed', sign({}, { alg: 'none' }).replace(/[^.]*$/, '')],
  ]
  for (const [what, text] of rows) {
    answerWith(text)
    t.equal(await failure('opaque'), 503, what)
  }
})

t.test('a bound token is valid, and says to what it is bound (RFC 9449 §6, RFC 8705 §3)', async (t) => {
  const { verify, sign, state, claims } = await start(t)
  const active = { active: true, ...claims, token_use: 'access_token' }
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'y' }, { jkt: 'x', 'x5t#S256': 'y' }]) {
    t.match(await verify(sign({ cnf })), { valid: true, token: { confirmation: cnf } })
    for (const token_type of 'jkt' in cnf ? ['DPoP', 'dpop', 'Bearer', undefined] : ['Bearer', undefined]) {
      state.introspection = () => ({ ...active, token_type, cnf })
      t.match(await verify('opaque'), { valid: true, token: { confirmation: cnf } }, `${token_type}`)
    }
  }
})

t.test('T22: a token says who acts for its user, and a malformed act makes it invalid', async (t) => {
  const { verify, reason, sign, state, claims } = await start(t)
  const act = { sub: 'b', client_id: 'b', act: { sub: 'a', iss: 'https://other.example.com' } }
  const asOpaque = (changes: object) => {
    state.introspection = () => ({ active: true, ...claims, token_use: 'access_token', ...changes })
    return 'opaque'
  }
  for (const token of [sign({ act }), asOpaque({ act })])
    t.match(await verify(token), { valid: true, token: { subject: 'alice', act } })
  for (const token of [sign(), asOpaque({})])
    t.match(await verify(token), { valid: true, token: { act: undefined } })
  const five = [1, 2, 3, 4, 5].reduce<object | undefined>(
    (inner, n) => ({ sub: `${n}`, act: inner }),
    undefined,
  )
  const nameless = { client_id: 'b' }
  for (const wrong of [
    null,
    'b',
    1,
    true,
    [],
    [act],
    {},
    nameless,
    { sub: '' },
    { sub: 'b', act: nameless },
    five,
  ]) {
    const what = JSON.stringify(wrong)
    t.equal(await reason(sign({ act: wrong })), 'claims of a wrong type', what)
    t.equal(await reason(asOpaque({ act: wrong })), 'claims of a wrong type', what)
  }
})

t.test('without credentials opaque tokens are refused, and nobody is asked', async (t) => {
  const server = await startAuthorizationServer(t)
  const verify = createVerifier({ issuer: server.issuer, audience: [API], now: Date.now })
  t.match(await verify('opaque'), { valid: false })
  t.same(server.state.requests, [])
})

t.test('concurrent requests with one token share an introspection', async (t) => {
  const { reason, state, claims, count } = await start(t)
  state.introspection = () => ({ active: true, ...claims })
  const same = await Promise.all(Array.from({ length: 1000 }, () => reason('opaque')))
  t.same([...new Set(same)], ['valid'])
  t.equal(count('/introspect'), 1)
  t.equal(await reason('opaque'), 'valid')
  t.equal(count('/introspect'), 2, 'by default no answer is kept')
})

// CVE-2026-97468 (Apache CXF): answers were kept by a hash of 32 bits, which another token can have.
t.test('an answer is kept for the whole token, and for no other one', async (t) => {
  const { reason, state, claims, count } = await start(t, { ...CREDENTIALS, cache_seconds: 60 })
  state.introspection = () => ({ active: true, ...claims })
  // Two texts with one hashCode of Java, and two that begin and end alike.
  const [kept, ...others] = ['AaAa', 'BBBB', 'AaBB', 'AaAaA', 'Aaaa', 'AaAa.', 'aaAa']
  t.equal(await reason(kept), 'valid')
  state.introspection = () => ({ active: false })
  for (const other of others) t.equal(await reason(other), 'not active', other)
  t.equal(await reason(kept), 'valid')
  t.equal(count('/introspect'), 1 + others.length)
})

t.test('an answer is kept as long as the API chooses, at most until exp', async (t) => {
  const { reason, failure, state, claims, pass, count } = await start(t, {
    ...CREDENTIALS,
    cache_seconds: 60,
  })
  state.introspection = () => ({ active: true, ...claims })
  t.equal(await reason('opaque'), 'valid')
  state.introspection = () => ({ active: false })
  pass(59)
  t.equal(await reason('opaque'), 'valid', 'revoked, and still accepted')
  t.equal(count('/introspect'), 1)
  pass(1)
  t.equal(await reason('opaque'), 'not active')

  state.introspection = () => ({ active: true, ...claims, exp: START + 90 })
  t.equal(await reason('short'), 'valid')
  pass(30)
  state.instead.set('/introspect', status(503))
  t.equal(await failure('short'), 503, 'expired while its answer was kept')
})

t.test('an issuer that cannot be one is refused with what to do', async (t) => {
  for (const issuer of ['http://auth.example.com', 'auth.example.com', 'https://auth.example.com/?a=b', '']) {
    t.throws(
      () => createVerifier({ issuer, audience: [API], now: Date.now }),
      { message: /is not an https URL without query and fragment: set it/ },
      issuer,
    )
  }
})
