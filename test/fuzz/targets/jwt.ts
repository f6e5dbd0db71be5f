import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import type { SigningAlg } from '../../../src/core/signing-algs.ts'
import { VerifiedTokens } from '../../../src/keys/verified-jws.ts'
import { signAccessToken, verifyAccessJwt } from '../../../src/tokens/access-jwt.ts'
import { verifyIdToken } from '../../../src/tokens/id-token.ts'
import { type Target, twoParts } from '../target.ts'
import { SPELLINGS, spelled } from './spelling.ts'

type Json = Record<string, unknown>

const ISSUER = 'https://auth.example.com'
const NOW = 1_800_000_000
const EXPIRY = NOW + 900
const KID = 'the-kid'
// One signature per token: an ECDSA key would sign each time differently.
const ALG: SigningAlg = 'EdDSA'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const KEY = { kid: KID, alg: ALG, publicKey, signature_length: 64 }
const context = {
  settings: { issuer: ISSUER, demo: false },
  keys: {
    verificationKey: (kid: string) => (kid === KID ? KEY : undefined),
    verified: new VerifiedTokens(),
    notBefore: 0,
  },
  now: () => NOW * 1000,
} as const

const ACCESS_HEADER = `{"alg":"${ALG}","kid":"${KID}","typ":"at+jwt"}`
const ID_HEADER = `{"alg":"${ALG}","kid":"${KID}","typ":"JWT"}`
const TIMES = `"iat":${NOW},"exp":${EXPIRY}`
const ACCESS_CLAIMS = `{"iss":"${ISSUER}","sub":"s","aud":"${ISSUER}","client_id":"c","scope":"a","jti":"j",${TIMES}}`
const ID_CLAIMS = `{"iss":"${ISSUER}","sub":"s","aud":"c","sid":"i",${TIMES}}`

const NAMES = 'alg kid typ crit b64 jwk iss sub aud client_id scope jti iat nbf exp sid __proto__'.split(' ')
const VALUES = [
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '""',
    '0',
    '-1',
    '1e400',
    String(NOW),
    String(EXPIRY),
    `${EXPIRY}.5`,
    '"c"',
  ],
  ...[
    '"none"',
    '"HS256"',
    '"ES256"',
    '"JWT"',
    '"at+jwt"',
    '"AT+JWT"',
    '"application/at+jwt"',
    '["b64"]',
    '["exp"]',
  ],
  ...[`"${ISSUER}"`, `["${ISSUER}"]`, `["c","${ISSUER}"]`, `"${ISSUER}/"`],
]

/** JSON text with other or more members; the last of several with one name counts. */
function altered(text: string): fc.Arbitrary<string> {
  const member = fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), fc.json()))
  return fc
    .array(member, { maxLength: 2 })
    .map((members) => members.map(([name, value]) => `,"${name}":${value}`).join(''))
    .map((more) => `${text.slice(0, -1)}${more}}`)
}

const encode = (text: string | Buffer) => Buffer.from(text as string).toString('base64url')

/** A token with exactly these texts as its header and claims, signed by the real key. */
function tokenOf(header: string, claims: string): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${encode(sign(null, Buffer.from(input), privateKey))}`
}

function objectOf(json: string): Json {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** Whether a header names the one key and algorithm and the wanted type (RFC 7515 §4.1.9), and no extension. */
function isRight({ alg, kid, typ, crit }: Json, wanted: string): boolean {
  const media_type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : ''
  return alg === ALG && kid === KID && media_type === wanted && crit === undefined
}

const areStrings = (...values: unknown[]) => values.every((value) => typeof value === 'string')
const areNumbers = (...values: unknown[]) => values.every((value) => typeof value === 'number')

/** JWT access tokens that the real key signed (RFC 9068 §4). An input is a header and claims on two lines. */
export const accessJwt: Target = {
  name: 'access-jwt',
  words: [...NAMES.map((name) => `,"${name}":`), ...VALUES],
  inputs: fc.tuple(altered(ACCESS_HEADER), altered(ACCESS_CLAIMS)).map((parts) => parts.join('\n')),
  check(input) {
    const [header, claims] = twoParts(input.toWellFormed())
    const validation = verifyAccessJwt(context, tokenOf(header, claims))
    if (!validation.valid) return
    const { iss, aud, sub, client_id, scope = '', jti, iat, exp, nbf = NOW } = objectOf(claims)
    assert.ok(isRight(objectOf(header), 'at+jwt'))
    assert.equal(iss, ISSUER)
    const audience = [aud].flat()
    assert.ok(audience.length > 0 && areStrings(...audience))
    assert.ok(areStrings(sub, client_id, scope, jti) && areNumbers(iat, exp, nbf))
    assert.ok(Number(exp) > NOW && Number(nbf) <= NOW)
    const subject = sub === client_id ? '' : sub
    assert.deepEqual(validation.token, {
      jti,
      client_id,
      subject,
      scope,
      expires_at: new Date(Number(exp) * 1000),
      ...(audience.length === 1 && audience[0] === ISSUER ? {} : { audience }),
    })
  },
}

/** The id_token_hint that the real key signed (OpenID Connect Core §3.1.2.1); the input is as above. */
export const idTokenHint: Target = {
  name: 'id-token-hint',
  words: accessJwt.words,
  inputs: fc.tuple(altered(ID_HEADER), altered(ID_CLAIMS)).map((parts) => parts.join('\n')),
  check(input) {
    const [header, claims] = twoParts(input.toWellFormed())
    const hint = verifyIdToken(context, tokenOf(header, claims))
    if (hint === undefined) return
    const { iss, aud, sub, sid, iat, exp } = objectOf(claims)
    assert.ok(isRight(objectOf(header), 'jwt'))
    assert.equal(iss, ISSUER)
    assert.ok(areStrings(aud, sub, sid ?? '') && areNumbers(iat, exp))
    assert.deepEqual(hint, { client_id: aud, sub, ...(sid === undefined ? {} : { sid }) })
  },
}

const signing = { key: { kid: KID, alg: ALG, privateKey }, ttl: 900 } as const
const issued = { jti: 'j', client_id: 'c', subject: 's', scope: 'a' }
const VALID = signAccessToken(context, signing, issued)

/** Texts around a valid token, of which `$h`, `$b` and `$s` are the parts: only the token itself is accepted. */
export const jwtSpelling: Target = {
  name: 'jwt-spelling',
  ...SPELLINGS,
  check(input) {
    const token = spelled(input, VALID)
    const { valid } = verifyAccessJwt(context, token)
    assert.equal(valid, token === VALID)
  },
}
