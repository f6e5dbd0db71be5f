// JWTs of every kind, one target. An input is a header and claims, and perhaps a spelling, on three lines.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { readRequestObject } from '../../../../src/authorize/request-object.ts'
import { type OwnAssertionContext, proveByKey } from '../../../../src/clients/authentication/own-assertion.ts'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { isObject, parseObject } from '../../../../src/core/json.ts'
import { verifyProof } from '../../../../src/dpop/proof.ts'
import { readAssertion } from '../../../../src/issuers/verify-assertion.ts'
import { VerifiedTokens } from '../../../../src/keys/verified-jws.ts'
import { verifyAccessJwt } from '../../../../src/tokens/access-jwt.ts'
import { verifyIdToken } from '../../../../src/tokens/id-token.ts'
import { inheritedNames } from '../../inherited-names.ts'
import { type Target, unlessRefusedLater } from '../target.ts'

type Json = Readonly<Record<string, unknown>>

const ISSUER = 'https://auth.example.com'
const ENDPOINT = `${ISSUER}/oauth2/token`
const TOKEN = 'an-access-token'
const NOW = 1_800_000_000
const EXPIRY = NOW + 900
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
const now = () => NOW * 1000
const settings = { issuer: ISSUER, demo: false, groups_claim: 'groups' } as const
const keys = {
  verificationKey: (kid: string) => (kid === KID ? KEY : undefined),
  verified: new VerifiedTokens(),
  notBefore: 0,
}
const context: OwnAssertionContext = {
  clients: { cached: known, read: async (client_id) => known(client_id) },
  client_keys: {
    find: async (_client, kid, alg) => ((kid ?? KID) === KID && alg === ALG ? KEY : undefined),
  },
  described_assertions: { take: () => true },
  keys,
  settings,
  now,
}

/** A kind of JWT: a right one, how it is read, and what holds for each that is accepted. */
interface Kind {
  readonly header: Json
  readonly claims: Json
  readonly types: readonly unknown[]
  /** Returns what is read; undefined: refused. */
  read(jwt: string): unknown
  check(claims: Json, read: unknown, header: Json): void
}

const areStrings = (...values: unknown[]) => values.every((value) => typeof value === 'string')
const areNumbers = (...values: unknown[]) => values.every((value) => typeof value === 'number')
const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= max

/** Whether a claim is a number in these bounds, or absent and may be. */
function isWithin(value: unknown, from: number, to: number, may_be_absent = false): boolean {
  if (value === undefined) return may_be_absent
  return typeof value === 'number' && value >= from && value <= to
}

/** An octet of a URI without its escape, if it needs none (RFC 3986 §2.3). */
function unescaped(octet: string): string {
  const character = decodeURIComponent(octet)
  return /[\w.~-]/.test(character) ? character : octet
}

const OF_KEY = { alg: ALG, kid: KID }
const TIMES = { iat: NOW, exp: EXPIRY }

const KINDS: readonly Kind[] = [
  // Access tokens (RFC 9068 §4).
  {
    header: { ...OF_KEY, typ: 'at+jwt' },
    claims: { iss: ISSUER, sub: 's', aud: ISSUER, client_id: CLIENT_ID, scope: 'a', jti: 'j', ...TIMES },
    types: ['at+jwt'],
    read(jwt) {
      const validation = verifyAccessJwt({ settings, keys, now }, jwt)
      return validation.valid ? validation.token : undefined
    },
    check({ iss, aud, sub, client_id, scope = '', jti, iat, exp, nbf = NOW }, read) {
      assert.equal(iss, ISSUER)
      const audience = [aud].flat()
      assert.ok(audience.length > 0 && areStrings(...audience))
      assert.ok(areStrings(sub, client_id, scope, jti) && areNumbers(iat, exp, nbf))
      assert.ok(Number(exp) > NOW && Number(nbf) <= NOW)
      const subject = sub === client_id ? '' : sub
      const for_others = audience.length === 1 && audience[0] === ISSUER ? {} : { audience }
      const expires_at = new Date(Number(exp) * 1000)
      assert.deepEqual(read, { jti, client_id, subject, scope, expires_at, issued_at: iat, ...for_others })
    },
  },
  // Hints (OpenID Connect Core §3.1.2.1).
  {
    header: { ...OF_KEY, typ: 'JWT' },
    claims: { iss: ISSUER, sub: 's', aud: CLIENT_ID, sid: 'i', ...TIMES },
    types: ['jwt'],
    read: (jwt) => verifyIdToken({ settings, keys }, jwt),
    check({ iss, aud, sub, sid, iat, exp }, read) {
      assert.equal(iss, ISSUER)
      assert.ok(areStrings(aud, sub, sid ?? '') && areNumbers(iat, exp))
      assert.deepEqual(read, { client_id: aud, sub, ...(sid === undefined ? {} : { sid }) })
    },
  },
  // DPoP proofs (RFC 9449 §4.3).
  {
    header: { typ: 'dpop+jwt', alg: ALG, jwk: '$k' },
    claims: { jti: 'j', htm: 'POST', htu: ENDPOINT, iat: NOW, ath: ATH },
    types: ['dpop+jwt'],
    read(jwt) {
      const found = verifyProof(jwt, { method: 'POST', url: ENDPOINT, access_token: TOKEN, now: now() })
      return found.ok ? found : undefined
    },
    check({ jti, htm, htu, iat, exp, nbf, ath, nonce }, read, { jwk }) {
      assert.ok(isObject(jwk) && !('d' in jwk), 'a public key')
      assert.ok(isText(jti, 256) && htm === 'POST' && ath === ATH)
      assert.ok(isWithin(iat, NOW - 60, NOW + 10) && isWithin(nbf, Number.NEGATIVE_INFINITY, NOW + 10, true))
      assert.ok(exp === undefined || (typeof exp === 'number' && exp > NOW))
      const { origin, pathname } = new URL(String(htu))
      assert.equal(origin + pathname.replace(/%[0-7][\da-f]/gi, unescaped), ENDPOINT)
      const ends_at = Number(iat) + 60
      assert.deepEqual(read, { ok: true, proof: { jkt: JKT, alg: ALG, jti, htu: ENDPOINT, ends_at } })
      assert.ok(nonce === undefined || typeof nonce === 'string')
    },
  },
  // Assertions of clients (private_key_jwt, RFC 7523 §3).
  {
    header: { ...OF_KEY, typ: 'JWT' },
    claims: { iss: CLIENT_ID, sub: CLIENT_ID, aud: ISSUER, exp: NOW + 60, iat: NOW, jti: 'j' },
    types: [undefined, 'jwt', 'client-authentication+jwt'],
    async read(jwt) {
      const unverified = readAssertion(jwt)
      if (typeof unverified === 'string') return undefined
      const presentation = { endpoint: ENDPOINT, client_id: undefined }
      const found = await unlessRefusedLater('invalid_client', proveByKey(context, unverified, presentation))
      return found && { is_own: found.client === CLIENT, ttl: found.single_use.ttl }
    },
    check({ iss, sub, aud, jti, exp, nbf, iat }, read) {
      assert.deepEqual([iss, sub, [aud].flat()], [CLIENT_ID, CLIENT_ID, [ISSUER]])
      assert.ok(isText(jti, 1024) && isWithin(exp, NOW - 29, NOW + 330))
      for (const time of [nbf, iat]) assert.ok(isWithin(time, Number.NEGATIVE_INFINITY, NOW + 30, true))
      const { is_own, ttl } = read as { is_own: boolean; ttl: number }
      assert.ok(is_own && ttl >= Number(exp) + 30 - NOW, 'its id is kept as long as it is valid')
    },
  },
  // Request objects (RFC 9101 §6).
  {
    header: { ...OF_KEY, typ: 'oauth-authz-req+jwt' },
    claims: {
      ...{ iss: CLIENT_ID, client_id: CLIENT_ID, aud: ISSUER, nbf: NOW, exp: NOW + 300 },
      ...{ response_type: 'code', scope: 'openid', state: 'a state' },
    },
    types: [undefined, 'jwt', 'oauth-authz-req+jwt'],
    read: (jwt) => unlessRefusedLater('invalid_request_object', readRequestObject(context, jwt, CLIENT)),
    check(claims, read) {
      const { iss, client_id, aud, sub, nbf, exp, iat } = claims
      assert.deepEqual([iss, client_id], [CLIENT_ID, CLIENT_ID])
      assert.ok([aud].flat().includes(ISSUER), 'for this server')
      assert.ok(sub !== CLIENT_ID && !('request' in claims) && !('request_uri' in claims))
      assert.ok(isWithin(nbf, NOW - 3630, NOW + 30) && isWithin(exp, NOW - 29, Number(nbf) + 3600))
      assert.ok(isWithin(iat, Number.NEGATIVE_INFINITY, NOW + 30, true))
      const parameters = read as object
      assert.deepEqual(inheritedNames(parameters), [])
      for (const [name, value] of Object.entries(parameters)) {
        assert.ok(Object.hasOwn(claims, name), 'nothing but its claims')
        assert.ok(typeof value === 'string' && value.isWellFormed())
        // RFC 6749 Appendix A: no ASCII control character. Those from U+0080 are characters as others.
        assert.match(value, /^[\P{Cc}\x80-\x9f]*$/u)
        if (typeof claims[name] === 'string' && name !== 'claims') assert.equal(value, claims[name])
      }
    },
  },
]

const NAMES = [
  ...'alg kid typ crit b64 jwk jku x5c iss sub aud exp nbf iat jti sid __proto__'.split(' '),
  ...'htm htu ath nonce client_id request request_uri max_age claims resource scope state'.split(' '),
]
const VALUES = [
  ...'null true [] {} "" 0 -1 1e400 "c" "j" "none" "HS256" "ES256" "JWT" "POST" "GET" "post"'.split(' '),
  ...'"dpop+jwt" "DPoP+jwt" "application/dpop+jwt" "oauth-authz-req+jwt" "at+jwt" "AT+JWT"'.split(' '),
  ...'"client-authentication+jwt" ["exp"] ["b64"] "a\\u0000b" "\\ud800" 9007199254740993'.split(' '),
  ...[NOW, NOW - 61, NOW - 60, NOW + 10, NOW + 11, NOW + 300, NOW + 331, EXPIRY, NOW + 3600].map(String),
  ...[ISSUER, ENDPOINT, `${ENDPOINT}?a#b`, `${ISSUER}/`, ENDPOINT.toUpperCase()].flatMap((url) => [
    `"${url}"`,
    `["${url}"]`,
    `["${url}","x"]`,
  ]),
  ...['"$k"', JSON.stringify({ ...JWK, d: 'AA' }), JSON.stringify({ kty: 'oct', k: 'AA' })],
  ...[`"${'x'.repeat(257)}"`, `"${ATH}"`],
]
const SPELLINGS = ['$h', '$b', '$s', '.', '=', 'A', '-', '+']
/** Puts the key, which is another one in each run, into a header. */
const withKey = (header: string) => header.replaceAll('"$k"', JSON.stringify(JWK))
const encode = (text: string | Buffer) => Buffer.from(text as string).toString('base64url')

/** A JWS with exactly these texts as its header and claims, signed by the real key. */
function signed(header: string, claims: string): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${encode(sign(null, Buffer.from(input), privateKey))}`
}

/** JSON text with other or more members; the last of several with one name counts. */
function altered(right: Json): fc.Arbitrary<string> {
  const member = fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), fc.json()))
  return fc
    .array(member, { maxLength: 2 })
    .map((members) => members.map(([name, value]) => `,"${name}":${value}`).join(''))
    .map((more) => `${JSON.stringify(right).slice(0, -1)}${more}}`)
}

const spellings = fc
  .array(fc.oneof(fc.constantFrom(...SPELLINGS), fc.string({ maxLength: 2 })), { maxLength: 9 })
  .map((parts) => `\n${parts.join('')}`)

/** Returns the text of a spelling with the parts of a JWS. */
function spelled(spelling: string, jws: string): string {
  const [$h = '', $b = '', $s = ''] = jws.split('.')
  return spelling.replace(/\$[hbs]/g, (name) => ({ $h, $b, $s })[name] ?? '')
}

/** Whether a header has the algorithm of the key, its kid, one of these types (RFC 7515 §4.1.9), and no extension. */
function isRight({ alg, kid = KID, typ, crit, b64, jwk }: Json, types: readonly unknown[]): boolean {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  const is_named = jwk === undefined ? kid === KID : typeof kid === 'string'
  return alg === ALG && is_named && types.includes(type) && crit === undefined && b64 === undefined
}

/**
 * JWTs that the real key signed. Of the spelling `$h`, `$b` and `$s` are the parts; without one the JWT is as it should be. A
 * JWT is accepted as one kind at most (RFC 8725 §3.12), in one spelling, and only with the right header and claims.
 */
export const jwt: Target = {
  name: 'jwt',
  words: [...NAMES.map((name) => `,"${name}":`), ...VALUES, ...SPELLINGS, '\n', '==', '%2e', '\u200b'],
  inputs: fc
    .tuple(
      fc.oneof(...KINDS.map(({ header, claims }) => fc.tuple(altered(header), altered(claims)))),
      fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: spellings }),
    )
    .map(([[header, claims], spelling]) => `${header}\n${claims}${spelling}`),
  async check(input) {
    const [given = '', claims = '', ...spelling] = input.toWellFormed().split('\n')
    const header = withKey(given)
    const right = signed(header, claims)
    const text = spelling.length === 0 ? right : spelled(spelling.join('\n'), right)
    let accepted = 0
    for (const kind of KINDS) {
      const read = await kind.read(text)
      const is_own = given === JSON.stringify(kind.header) && claims === JSON.stringify(kind.claims)
      if (is_own) assert.equal(read !== undefined, text === right, 'a right one is accepted')
      if (read === undefined) continue
      accepted += 1
      assert.equal(text, right, 'one spelling')
      const [head, body] = [parseObject(header), parseObject(claims)]
      assert.ok(head !== undefined && body !== undefined, 'objects')
      assert.ok(isRight(head, kind.types))
      kind.check(body, read, head)
    }
    assert.ok(accepted <= 1, 'as one kind')
  },
}
