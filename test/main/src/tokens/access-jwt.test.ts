// A JWT is accepted as access token only if every header and claim is valid (RFC 9068 §4). The tests sign invalid ones
// with the keys of the service, so that only the one invalid part can be the reason for the refusal.

import { createHmac, createPublicKey } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { encode, type Json, signWith, startWithSigner } from '../../../support/jwt-signer.ts'
import { createClient } from '../../../support/records.ts'
import { basic, bearer, CLIENTS, codeRequest, ISSUER, startService } from '../../../support/service.ts'

t.test('a JWT access token has the header and claims of RFC 9068 §2', async (t) => {
  const storage = new MemoryStorage()
  const { token, code, get } = await startService(t, { storage, access_token_format: 'jwt' })
  const keys = createLocalJWKSet((await get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet)
  const issued = [
    ['alice', 'app', 'openid api.read', (await token(codeRequest(await code()))).json],
    [
      'service',
      'service',
      'api.read api.write',
      (await token({ grant_type: 'client_credentials' }, basic('service'))).json,
    ],
  ] as const
  for (const [sub, client_id, scope, { access_token }] of issued) {
    const { payload, protectedHeader } = await jwtVerify(String(access_token), keys)
    t.same(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ'])
    t.has(protectedHeader, { alg: 'ES256', typ: 'at+jwt' })
    const claims = ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub']
    const of_user = sub === client_id ? [] : ['auth_time']
    t.same(Object.keys(payload).sort(), [...claims, ...of_user].sort())
    t.has(payload, { iss: ISSUER, aud: ISSUER, sub, client_id, scope })
    t.match(payload.jti, /^[\w-]{16}\.[\w-]{43}$/)
    t.equal(Number(payload.exp) - Number(payload.iat), 900)
  }
})

t.test('each required claim: missing, wrong, or of a wrong type', async (t) => {
  const { signer, header, claims, now, ask } = await startWithSigner(t)
  const status = (changes: Json) => ask(signWith(signer, header, { ...claims, ...changes }))
  t.equal(await status({}), 200, 'valid')

  const good: [name: string, changes: Json][] = [
    ['several audiences, ours among them', { aud: ['https://other.example.com', ISSUER] }],
    ['no scope', { scope: undefined }],
    ['an unknown claim', { unknown: { x: 1 } }],
    ['nbf in the past', { nbf: now - 1 }],
    ['expires in a minute', { exp: now + 60 }],
  ]
  for (const [name, changes] of good) t.equal(await status(changes), 200, name)

  const bad: [name: string, changes: Json][] = [
    ['another issuer', { iss: 'https://evil.example.net' }],
    ['the issuer with a slash', { iss: `${ISSUER}/` }],
    ['a list of issuers', { iss: [ISSUER] }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['the client as audience, as in an id_token', { aud: 'app' }],
    ['audiences without ours', { aud: ['app', 'https://other.example.com'] }],
    ['an empty list of audiences', { aud: [] }],
    ['no audience', { aud: undefined }],
    ['an audience that is not a string', { aud: { 0: ISSUER } }],
    ['expired', { exp: now - 1 }],
    ['expired long ago', { exp: 0 }],
    ['no exp', { exp: undefined }],
    ['exp as a string', { exp: String(now + 60) }],
    ['exp null', { exp: null }],
    ['not valid yet', { nbf: now + 60 }],
    ['nbf as a string', { nbf: '0' }],
    ['no iat', { iat: undefined }],
    ['iat as a string', { iat: String(now) }],
    ['no sub', { sub: undefined }],
    ['sub as a number', { sub: 1 }],
    ['sub null', { sub: null }],
    ['sub as a list', { sub: ['alice'] }],
    ['no client_id', { client_id: undefined }],
    ['client_id as a list', { client_id: ['app'] }],
    ['client_id as a number', { client_id: 7 }],
    ['no jti', { jti: undefined }],
    ['jti as a number', { jti: 7 }],
    ['scope as a list', { scope: ['openid', 'api.read'] }],
    ['scope as a number', { scope: 7 }],
    ['scope null', { scope: null }],
  ]
  for (const [name, changes] of bad) t.equal(await status(changes), 401, name)
  for (const payload of ['a string', 7, null, [claims]]) {
    t.equal(await ask(signWith(signer, header, payload)), 401, `a payload of ${JSON.stringify(payload)}`)
  }
})

t.test('each header parameter: missing, wrong, or of a wrong type', async (t) => {
  const { signer, signers, header, claims, ask } = await startWithSigner(t)
  const status = (changes: Json) => ask(signWith(signer, { ...header, ...changes }, claims))
  const other = signers.find(({ alg, kid }) => alg === 'ES256' && kid !== signer.kid)
  const jwk = signer.public_jwk
  const bad: [name: string, changes: Json][] = [
    ['typ JWT', { typ: 'JWT' }],
    ['no typ', { typ: undefined }],
    ['another typ', { typ: 'logout+jwt' }],
    ['a typ that is not a string', { typ: ['at+jwt'] }],
    ['an unknown kid', { kid: 'unknown' }],
    ['the kid of another key', { kid: other?.kid }],
    ['no kid', { kid: undefined }],
    ['an empty kid', { kid: '' }],
    ['a kid that is not a string', { kid: [signer.kid] }],
    ['a kid that is a property of Object.prototype', { kid: '__proto__' }],
    ['a kid that is a path', { kid: '../../dev/null' }],
    ['another alg', { alg: 'ES384' }],
    ['the alg of another key', { alg: 'EdDSA' }],
    ['no alg', { alg: undefined }],
    ['with a jwk', { kid: undefined, jwk }],
    ['with a jku', { kid: undefined, jku: 'https://evil.example.net/jwks.json' }],
    ['a critical extension', { crit: ['exp'], exp: 1 }],
    ['an unencoded payload (RFC 7797)', { crit: ['b64'], b64: false }],
  ]
  for (const [name, changes] of bad) t.equal(await status(changes), 401, name)
  t.equal(await status({ typ: 'application/at+jwt' }), 200, 'the long form of typ (RFC 7515 §4.1.9)')
  t.equal(await status({ jwk }), 200, 'a key in the header is ignored')
})

t.test('the signing key is a published key, used with its own algorithm', async (t) => {
  const { signers, header, claims, ask, signer } = await startWithSigner(t)
  for (const { alg, kid, key } of signers) {
    t.equal(
      await ask(signWith({ alg, key }, { ...header, alg, kid }, claims)),
      200,
      `${alg} with a published key`,
    )
    t.equal(
      (await ask(signWith({ alg, key }, { ...header, kid: signer.kid, alg }, claims))) === 200,
      kid === signer.kid,
    )
  }

  const rsa = signers.find(({ alg }) => alg === 'RS256')
  if (rsa === undefined) throw new Error('there is no RS256 key')
  const asPss = signWith({ alg: 'PS256', key: rsa.key }, { ...header, alg: 'PS256', kid: rsa.kid }, claims)
  t.equal(await ask(asPss), 401, 'an RS256 key does not verify PS256')

  const unsigned = `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`
  t.equal(await ask(unsigned), 401, 'alg none is refused')
  for (const alg of ['None', 'NONE', '']) {
    t.equal(await ask(`${encode({ ...header, alg })}.${encode(claims)}.`), 401, `alg "${alg}"`)
  }
  const pem = createPublicKey({ key: { ...rsa.public_jwk }, format: 'jwk' }).export({
    format: 'pem',
    type: 'spki',
  })
  for (const secret of [pem, JSON.stringify(rsa.public_jwk), '']) {
    for (const { kid } of [rsa, signer]) {
      const input = `${encode({ ...header, alg: 'HS256', kid })}.${encode(claims)}`
      const signature = createHmac('sha256', secret).update(input).digest('base64url')
      t.equal(await ask(`${input}.${signature}`), 401, 'HS256 with the public key as secret')
    }
  }
})

t.test('only the canonical base64url encoding of a JWT is accepted (RFC 7515 §2)', async (t) => {
  const { signer, header, claims, ask } = await startWithSigner(t)
  const good = signWith(signer, header, claims)
  const [head, body, signature = ''] = good.split('.')
  t.equal(await ask(good), 200)
  const last = signature.slice(-1)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // A signature of 64 bytes leaves four bits of its last character unused.
  const twins = [...alphabet].filter((character) => {
    const bytes = (text: string) => Buffer.from(text, 'base64url').toString('hex')
    return character !== last && bytes(signature.slice(0, -1) + character) === bytes(signature)
  })
  t.equal(twins.length, 15)
  for (const twin of twins)
    t.equal(await ask(`${head}.${body}.${signature.slice(0, -1)}${twin}`), 401, `…${twin}`)
  const spelled = [
    `${good}==`,
    `${good}=`,
    `${head}=.${body}.${signature}`,
    `${head}. ${body}.${signature}`,
    `${head}.${body}.${signature}.`,
    `.${good}`,
    `${good}!`,
    `${head}.${body}`,
    `${head}.${body}.`,
    `${head}..${signature}`,
    `${head}.${body}.${signature.slice(0, -4)}`,
    `${good}${good}`,
    `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+/`,
  ]
  for (const token of spelled) t.equal(await ask(token), 401, token.slice(-12))
})

t.test('id_tokens, refresh tokens and codes are refused as access tokens', async (t) => {
  const { code, token, get, post, ask } = await startWithSigner(t)
  const { id_token, refresh_token, access_token } = (await token(codeRequest(await code()))).json
  t.equal(decodeProtectedHeader(String(id_token)).typ, 'JWT')
  t.equal(await ask(String(access_token)), 200)
  for (const [name, value] of Object.entries({ id_token, refresh_token, code: await code() })) {
    t.equal(await ask(String(value)), 401, name)
    t.equal((await get('/userinfo', bearer(String(value)))).status, 401, `${name} at the UserInfo endpoint`)
    t.equal((await post('/userinfo', { access_token: String(value) })).status, 401)
  }
})

t.test('an id_token used as access token is refused (RFC 9068 §4)', async (t) => {
  const { signers, claims, ask } = await startWithSigner(t)
  const rsa = signers.find(({ alg }) => alg === 'RS256')
  if (rsa === undefined) throw new Error('there is no RS256 key')
  const askSigned = (header: Json, changes: Json) =>
    ask(signWith(rsa, { alg: 'RS256', kid: rsa.kid, typ: 'at+jwt', ...header }, { ...claims, ...changes }))
  t.equal(await askSigned({}, {}), 200)
  t.equal(await askSigned({ typ: 'JWT' }, {}), 401, 'refused by typ alone')
  t.equal(await askSigned({}, { aud: 'app' }), 401, 'refused by aud alone')
})

t.test('a JWT whose sub is its client_id has no user', async (t) => {
  const { signer, header, claims, get } = await startWithSigner(t)
  const ask = (changes: Json) =>
    get('/api/resource', bearer(signWith(signer, header, { ...claims, ...changes })))
  t.equal((await ask({ sub: 'app' })).json.subject, '')
  t.equal((await ask({ sub: 'alice' })).json.subject, 'alice')
})

t.test('every service accepts both access token formats, whichever it issues', async (t) => {
  const storage = new MemoryStorage()
  const opaque = await startService(t, { storage, access_token_format: 'opaque' })
  const jwt = await startService(t, { storage, access_token_format: 'jwt' })
  for (const issuer of [opaque, jwt]) {
    const { access_token } = (await issuer.token({ grant_type: 'client_credentials' }, basic('service'))).json
    t.equal(String(access_token).split('.').length, issuer === jwt ? 3 : 2)
    for (const { get } of [opaque, jwt]) {
      t.equal((await get('/api/resource', bearer(String(access_token)))).status, 200)
    }
  }
})

t.test('the format of the client overrides the configuration', async (t) => {
  const storage = new MemoryStorage()
  const services = {
    opaque: await startService(t, { storage, access_token_format: 'opaque' }),
    jwt: await startService(t, { storage, access_token_format: 'jwt' }),
  }
  for (const format of ['opaque', 'jwt'] as const) {
    const client_id = `wants-${format}`
    const client = { ...CLIENTS.service, client_id, access_token_format: format }
    await createClient(storage, client_id, formatClient(client))
    for (const { token } of Object.values(services)) {
      const { access_token } = (await token({ grant_type: 'client_credentials' }, basic(client_id))).json
      t.equal(String(access_token).split('.').length, format === 'jwt' ? 3 : 2)
    }
  }
})
