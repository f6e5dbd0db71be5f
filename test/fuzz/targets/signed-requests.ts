import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { readRequestObject } from '../../../src/authorize/request-object.ts'
import { formatClient, parseClient } from '../../../src/clients/client-record.ts'
import { type OwnAssertionContext, proveByKey } from '../../../src/clients/own-assertion.ts'
import { isObject, parseObject } from '../../../src/core/json.ts'
import { verifyProof } from '../../../src/dpop/proof.ts'
import { readAssertion } from '../../../src/issuers/verify-assertion.ts'
import { inheritedNames } from '../../support/inherited-names.ts'
import { type Target, twoParts, unlessRefusedLater } from '../target.ts'
import { SPELLINGS, spelled } from './spelling.ts'

type Json = Readonly<Record<string, unknown>>

const ISSUER = 'https://auth.example.com'
const ENDPOINT = `${ISSUER}/oauth2/token`
const TOKEN = 'an-access-token'
const NOW = 1_800_000_000
const KID = 'the-kid'
const CLIENT_ID = 'c'
// One signature per text: an ECDSA key would sign each time differently.
const ALG = 'EdDSA'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const { kty, crv, x } = publicKey.export({ format: 'jwk' })
const JWK = { kty, crv, x }
const JKT = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
const ATH = createHash('sha256').update(TOKEN).digest('base64url')
const KEY = { kid: KID, alg: ALG, publicKey, signature_length: 64 } as const

const parsed = parseClient(
  CLIENT_ID,
  formatClient({
    client_id: CLIENT_ID,
    client_name: 'Client',
    redirect_uris: ['https://a.example/cb'],
    allowed_scopes: ['openid'],
    grant_types: ['authorization_code'],
    is_public: false,
    disabled: false,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: JSON.stringify({ keys: [{ ...JWK, kid: KID }] }),
  }),
)
assert.ok(parsed.ok)
const CLIENT = parsed.record
const known = (client_id: string) => (client_id === CLIENT_ID ? CLIENT : undefined)
const context: OwnAssertionContext = {
  clients: { cached: known, read: async (client_id) => known(client_id) },
  client_keys: {
    find: async (_client, kid, alg) => ((kid ?? KID) === KID && alg === ALG ? KEY : undefined),
  },
  described_assertions: { take: () => true },
  keys: { notBefore: 0 },
  settings: { issuer: ISSUER },
  now: () => NOW * 1000,
}

const NAMES = [
  ...'alg kid typ crit b64 jwk jku x5c iss sub aud exp nbf iat jti __proto__'.split(' '),
  ...'htm htu ath nonce client_id request request_uri max_age claims resource scope state'.split(' '),
]
const VALUES = [
  ...'null true [] {} "" 0 -1 1e400 "c" "j" "none" "HS256" "ES256" "JWT" "POST" "GET" "post"'.split(' '),
  ...'"dpop+jwt" "DPoP+jwt" "application/dpop+jwt" "oauth-authz-req+jwt" "at+jwt"'.split(' '),
  ...'"client-authentication+jwt" ["exp"] "a\\u0000b" "\\ud800" 9007199254740993'.split(' '),
  ...[NOW, NOW - 61, NOW - 60, NOW + 10, NOW + 11, NOW + 300, NOW + 331, NOW + 3600].map(String),
  ...[ISSUER, ENDPOINT, `${ENDPOINT}?a#b`, `${ISSUER}/`, ENDPOINT.toUpperCase()].flatMap((url) => [
    `"${url}"`,
    `["${url}"]`,
    `["${url}","x"]`,
  ]),
  ...['"$k"', JSON.stringify({ ...JWK, d: 'AA' }), JSON.stringify({ kty: 'oct', k: 'AA' })],
  ...['"x"'.replace('x', 'x'.repeat(257)), `"${ATH}"`],
]

const encode = (text: string | Buffer) => Buffer.from(text as string).toString('base64url')

/** A JWS with exactly these texts as its header and claims, signed by the real key. */
function signed(header: string, claims: string): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${encode(sign(null, Buffer.from(input), privateKey))}`
}

/** JSON text with other or more members; the last of several with one name counts. */
function altered(text: string): fc.Arbitrary<string> {
  const member = fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), fc.json()))
  return fc
    .array(member, { maxLength: 2 })
    .map((members) => members.map(([name, value]) => `,"${name}":${value}`).join(''))
    .map((more) => `${text.slice(0, -1)}${more}}`)
}

const inputsFrom = (header: Json, claims: Json) =>
  fc.tuple(altered(JSON.stringify(header)), altered(JSON.stringify(claims))).map((parts) => parts.join('\n'))
const words = [...NAMES.map((name) => `,"${name}":`), ...VALUES]

/** Whether a header has the algorithm of the key, one of these types (RFC 7515 §4.1.9), and no extension. */
function isRight({ alg, typ, crit, b64 }: Json, types: readonly unknown[]): boolean {
  const media_type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  return alg === ALG && types.includes(media_type) && crit === undefined && b64 === undefined
}

/** Whether a claim is a number in these bounds, or absent and may be. */
function isWithin(value: unknown, from: number, to: number, may_be_absent = false): boolean {
  if (value === undefined) return may_be_absent
  return typeof value === 'number' && value >= from && value <= to
}

const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= max

function jsonOf(text: string): Json {
  const value = parseObject(text)
  assert.ok(value !== undefined, 'only an object is accepted')
  return value
}

/** An octet of a URI without its escape, if it needs none (RFC 3986 §2.3). */
function unescaped(octet: string): string {
  const character = decodeURIComponent(octet)
  return /[\w.~-]/.test(character) ? character : octet
}

const PROOF = { typ: 'dpop+jwt', alg: ALG, jwk: '$k' }
/** Puts the key, which is another one in each run, into a header. */
const withKey = (header: string) => header.replaceAll('"$k"', JSON.stringify(JWK))
const PROOF_CLAIMS = { jti: 'j', htm: 'POST', htu: ENDPOINT, iat: NOW, ath: ATH }
const verify = (proof: string) =>
  verifyProof(proof, { method: 'POST', url: ENDPOINT, access_token: TOKEN, now: NOW * 1000 })

/** DPoP proofs that the real key signed (RFC 9449 §4.3). An input is a header, with `"$k"` for the key, and claims on two lines. */
export const dpopProof: Target = {
  name: 'dpop-proof',
  words,
  inputs: inputsFrom(PROOF, PROOF_CLAIMS),
  check(input) {
    const [given, claims] = twoParts(input.toWellFormed())
    const header = withKey(given)
    const proof = verify(signed(header, claims))
    if (!proof.ok) return
    const { jti, htm, htu, iat, exp, nbf, ath, nonce } = jsonOf(claims)
    assert.ok(isRight(jsonOf(header), ['dpop+jwt']))
    assert.ok(isObject(jsonOf(header).jwk) && !('d' in Object(jsonOf(header).jwk)), 'a public key')
    assert.ok(isText(jti, 256) && htm === 'POST' && ath === ATH)
    assert.ok(isWithin(iat, NOW - 60, NOW + 10) && isWithin(nbf, Number.NEGATIVE_INFINITY, NOW + 10, true))
    assert.ok(exp === undefined || (typeof exp === 'number' && exp > NOW))
    const { origin, pathname } = new URL(String(htu))
    assert.equal(origin + pathname.replace(/%[0-7][\da-f]/gi, unescaped), ENDPOINT)
    const ends_at = Number(iat) + 60
    assert.deepEqual(proof, { ok: true, proof: { jkt: JKT, alg: ALG, jti, htu: ENDPOINT, ends_at } })
    assert.ok(nonce === undefined || typeof nonce === 'string')
  },
}

const ASSERTION = { typ: 'JWT', alg: ALG, kid: KID }
const ASSERTION_CLAIMS = { iss: CLIENT_ID, sub: CLIENT_ID, aud: ISSUER, exp: NOW + 60, iat: NOW, jti: 'j' }

/** Returns the client that an assertion proves; undefined if it is refused. */
async function proven(jwt: string) {
  const unverified = readAssertion(jwt)
  if (typeof unverified === 'string') return undefined
  const presentation = { endpoint: ENDPOINT, client_id: undefined }
  return await unlessRefusedLater('invalid_client', proveByKey(context, unverified, presentation))
}

/** Assertions of a client that its key signed (private_key_jwt, RFC 7523 §3); the input is as above. */
export const clientAssertion: Target = {
  name: 'client-assertion',
  words,
  inputs: inputsFrom(ASSERTION, ASSERTION_CLAIMS),
  async check(input) {
    const [header, claims] = twoParts(input.toWellFormed())
    const found = await proven(signed(header, claims))
    if (found === undefined) return
    const { iss, sub, aud, jti, exp, nbf, iat } = jsonOf(claims)
    assert.ok(isRight(jsonOf(header), [undefined, 'jwt', 'client-authentication+jwt']))
    assert.ok([undefined, KID].includes(jsonOf(header).kid as string | undefined))
    assert.deepEqual([iss, sub, [aud].flat()], [CLIENT_ID, CLIENT_ID, [ISSUER]])
    assert.ok(isText(jti, 1024) && isWithin(exp, NOW - 29, NOW + 330))
    for (const time of [nbf, iat]) assert.ok(isWithin(time, Number.NEGATIVE_INFINITY, NOW + 30, true))
    assert.equal(found.client, CLIENT)
    assert.ok(found.single_use.ttl >= Number(exp) + 30 - NOW, 'its id is kept as long as it is valid')
  },
}

const OBJECT = { typ: 'oauth-authz-req+jwt', alg: ALG, kid: KID }
const OBJECT_CLAIMS = {
  ...{ iss: CLIENT_ID, client_id: CLIENT_ID, aud: ISSUER, nbf: NOW, exp: NOW + 300 },
  ...{ response_type: 'code', scope: 'openid', state: 'a state' },
}
const parametersIn = (jwt: string) =>
  unlessRefusedLater('invalid_request_object', readRequestObject(context, jwt, CLIENT))

/** Request objects that the key of the client signed (RFC 9101 §6); the input is as above. */
export const requestObject: Target = {
  name: 'request-object',
  words,
  inputs: inputsFrom(OBJECT, OBJECT_CLAIMS),
  async check(input) {
    const [header, text] = twoParts(input.toWellFormed())
    const parameters = await parametersIn(signed(header, text))
    if (parameters === undefined) return
    const claims = jsonOf(text)
    const { iss, client_id, aud, sub, nbf, exp, iat } = claims
    assert.ok(isRight(jsonOf(header), [undefined, 'jwt', 'oauth-authz-req+jwt']))
    assert.deepEqual([iss, client_id], [CLIENT_ID, CLIENT_ID])
    assert.ok([aud].flat().includes(ISSUER), 'for this server')
    assert.ok(sub !== CLIENT_ID && !('request' in claims) && !('request_uri' in claims))
    assert.ok(isWithin(nbf, NOW - 3630, NOW + 30) && isWithin(exp, NOW - 29, Number(nbf) + 3600))
    assert.ok(isWithin(iat, Number.NEGATIVE_INFINITY, NOW + 30, true))
    assert.deepEqual(inheritedNames(parameters), [])
    for (const [name, value] of Object.entries(parameters)) {
      assert.ok(Object.hasOwn(claims, name), 'nothing but its claims')
      assert.ok(typeof value === 'string' && value.isWellFormed())
      // RFC 6749 Appendix A: no ASCII control character. Those from U+0080 are characters as others.
      assert.match(value, /^[\P{Cc}\x80-\x9f]*$/u)
      if (typeof claims[name] === 'string' && name !== 'claims') assert.equal(value, claims[name])
    }
  },
}

/** The three, each with whether it is accepted. */
const KINDS = [
  {
    jws: signed(withKey(JSON.stringify(PROOF)), JSON.stringify(PROOF_CLAIMS)),
    isAccepted: async (jws: string) => verify(jws).ok,
  },
  {
    jws: signed(JSON.stringify(ASSERTION), JSON.stringify(ASSERTION_CLAIMS)),
    isAccepted: async (jws: string) => (await proven(jws)) !== undefined,
  },
  {
    jws: signed(JSON.stringify(OBJECT), JSON.stringify(OBJECT_CLAIMS)),
    isAccepted: async (jws: string) => (await parametersIn(jws)) !== undefined,
  },
]

/** Texts around a valid one of each, of which `$h`, `$b` and `$s` are the parts: only itself is accepted, and only as what it is. */
export const signedSpelling: Target = {
  name: 'signed-spelling',
  ...SPELLINGS,
  async check(input) {
    for (const { jws } of KINDS) {
      const text = spelled(input, jws)
      for (const { jws: own, isAccepted } of KINDS) assert.equal(await isAccepted(text), text === own)
    }
  },
}
