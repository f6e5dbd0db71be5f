import { deflateRawSync } from 'node:zlib'
import { ISSUER } from '../../support/service.ts'
import {
  byEveryKey,
  encode,
  forge,
  keyFor,
  rightClaims,
  rightHeader,
  signer,
  stolenKeys,
  tokenFaults,
} from './forge.ts'
import { each, siege, words } from './siege.ts'

siege('unencoded and compressed payloads are refused (b64, zip)', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const text = JSON.stringify(rightClaims())
  for (const key of keys.slice(0, 4)) {
    const raw = (header: object) => {
      const input = `${encode({ ...rightHeader(key), ...header })}.${text}`
      return `${input}.${signer(key.alg, key.privateKey)(Buffer.from(input)).toString('base64url')}`
    }
    const unencoded = { b64: false, crit: ['b64'] }
    const tokens = [
      ...[raw(unencoded), raw({ b64: false }), raw({}), forge(key, { header: rightHeader(key, unencoded) })],
      forge(key, { header: rightHeader(key, { zip: 'DEF' }), payload: deflateRawSync(text) }),
    ]
    t.strictSame(await tokenFaults(service, ...tokens), [], key.alg)
  }
})

siege('a payload or header that is not a JSON object or repeats a member is refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const claims = JSON.stringify(rightClaims())
  const inner = claims.slice(1, -1)
  const tails = words(String.raw`
    ,"iss":"https://evil.example" ,"iss":null ,"\u0069ss":"evil" ,"aud":"app" ,"aud":[] ,"sub":1
    ,"client_id":null ,"exp":1 ,"exp":"1" ,"exp":1e400 ,"exp":-1e400 ,"nbf":1e400 ,"scope":[] ,"jti":{} , ,,
    ,x //`)
  const wraps = words('[$] "$" $x $$ {"__proto__":$} {"constructor":{"prototype":$}} {"claims":$} ($) $; {$}')
  const others = words(
    `null true 1 "alice" [] {} {"iss":"${ISSUER}"} ${'{'.repeat(3000)} ${'['.repeat(3000)}`,
  )
  const bytes = [Buffer.from(claims.replace('alice', 'al\xffice'), 'latin1'), Buffer.from(claims, 'utf16le')]
  const payloads = [
    ...tails.map((tail) => `{${inner}${tail}}`),
    ...wraps.map((wrap) => wrap.replaceAll('$', claims)),
    ...[...others, ...bytes, '', ' ', claims.slice(0, -1), claims.replaceAll('"', "'"), Buffer.alloc(100)],
  ]
  const es256 = keyFor(keys, 'ES256')
  await each(t, 'payload', payloads, (payload) => tokenFaults(service, forge(es256, { payload })))
  await each(t, 'header', keys.slice(0, 4), (key) => {
    const header = JSON.stringify(rightHeader(key))
    const tails = words(
      String.raw`,"alg":"none" ,"alg":null ,"\u0061lg":"none" ,"kid":"x" ,"typ":"JWT" ,"crit":["x"] ,`,
    )
    const headers = [
      ...tails.map((tail) => `${header.slice(0, -1)}${tail}}`),
      ...wraps.map((wrap) => wrap.replaceAll('$', header)),
      ...['', 'null', '[]', '1', '{}', header.slice(0, -1), header.replaceAll('"', "'")],
    ]
    return tokenFaults(service, ...headers.map((text) => forge(key, { header: text })))
  })
})

siege('valid tokens of another kind are refused', async (t, service) => {
  const { id_token, refresh_token, access_token } = await service.tokens()
  const [keys, code] = [await stolenKeys(t, service), await service.code()]
  service.writes.length = 0
  const absent = { client_id: undefined, scope: undefined, jti: undefined }
  const id = { ...absent, sub: 'alice', aud: 'app', auth_time: 1, nonce: 'a nonce' }
  const others = [
    ...[id_token, refresh_token, code, `${access_token}.x`, `x.${access_token}`, `${id_token}.x`],
    ...byEveryKey(keys, (key) => ({ header: rightHeader(key, { typ: 'JWT' }), payload: rightClaims(id) })),
    ...byEveryKey(keys, () => ({ payload: rightClaims(id) })),
    ...byEveryKey(keys, () => ({ payload: rightClaims({ ...id, aud: [ISSUER, 'app'] }) })),
    ...byEveryKey(keys, (key) => ({ header: rightHeader(key, { typ: 'JWT' }) })),
  ]
  await each(t, 'as an access token', others, (token) => tokenFaults(service, token))
})

siege('oversized tokens are refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const key = keyFor(keys, 'ES256')
  for (const size of [10_000, 1_000_000]) {
    const fill = 'A'.repeat(size)
    const long = [
      ...[fill, `${fill}.${fill}.${fill}`, `${'.'.repeat(size)}`, `${fill}..`, `..${fill}`, `.${fill}.`],
      ...[forge(key, { signature: () => Buffer.alloc(size) }), `${forge(key)}${fill}`],
      forge(key, { header: rightHeader(key, { kid: fill }) }),
      forge(key, { payload: rightClaims({ iss: fill }) }),
    ]
    await each(t, `${size} characters`, long, (token) => tokenFaults(service, token))
  }
})
