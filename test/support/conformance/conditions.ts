// The conditions of the suite for a response, failures and warnings; each function is a group of them.
import { createHash } from 'node:crypto'
import { type JWK, type JWTPayload, jwtVerify } from 'jose'
import type { Test } from 'tap'
import type { Answer } from '../service.ts'

/** The claims of each scope and their JSON types (OpenID Connect Core §5.1, §5.4). */
export const SCOPE_CLAIMS = {
  profile: {
    name: 'string',
    given_name: 'string',
    family_name: 'string',
    middle_name: 'string',
    nickname: 'string',
    preferred_username: 'string',
    profile: 'string',
    picture: 'string',
    website: 'string',
    gender: 'string',
    birthdate: 'string',
    zoneinfo: 'string',
    locale: 'string',
    updated_at: 'number',
  },
  email: { email: 'string', email_verified: 'boolean' },
  address: { address: 'object' },
  phone: { phone_number: 'string', phone_number_verified: 'boolean' },
} as const

const ADDRESS = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country']
const SKEW = 300

// RFC 6749 §4.1.2.1 and §5.2: no quotes, no backslash, no line breaks.
const ERROR_TEXT = /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/
// RFC 6749 Appendix A.
const VISIBLE = /^[\x20-\x7E]+$/

/** A secret string: at least 128 bits long, with at least the entropy of 96 random bits. */
export function checkEntropy(t: Test, text: string, name: string): void {
  t.match(text, VISIBLE, `${name} has visible characters only`)
  t.ok(text.length * 8 >= 128, `${name} is long enough`)
  const shares = [...new Set(text)].map((character) => (text.split(character).length - 1) / text.length)
  const perCharacter = shares.reduce((sum, share) => sum - share * Math.log2(share), 0)
  t.ok(perCharacter * text.length > 96, `${name} is random enough`)
}

/** The parameters of an error response of either endpoint, without `state` and `iss`. */
export function checkErrorTexts(t: Test, told: Readonly<Record<string, unknown>>): void {
  t.match(told.error, ERROR_TEXT)
  if (told.error_description !== undefined) t.match(told.error_description, ERROR_TEXT)
  if (told.error_uri !== undefined) t.ok(URL.canParse(String(told.error_uri)), 'error_uri is a URI')
}

/** An error response of the token endpoint. */
export function checkTokenError(t: Test, { status, headers, json }: Answer, error: string): void {
  t.equal(status, 400)
  t.match(headers['content-type'], /^application\/json(; *charset=utf-8)?$/i)
  t.equal(json.error, error)
  checkErrorTexts(t, json)
}

/** A success response of the token endpoint. */
export function checkTokenResponse(t: Test, { status, headers, json, text }: Answer): void {
  t.equal(status, 200, text)
  t.match(headers['content-type'], /^application\/json(; *charset=utf-8)?$/i)
  t.match(headers['cache-control'], /\bno-store\b/)
  if (headers.pragma !== undefined) t.match(headers.pragma, /\bno-cache\b/)
  t.match(json.token_type, /^bearer$/i)
  t.ok(Number.isInteger(json.expires_in) && Number(json.expires_in) > 0, 'expires_in is a number of seconds')
  checkEntropy(t, String(json.access_token), 'the access token')
  checkEntropy(t, String(json.refresh_token), 'the refresh token')
  t.type(json.id_token, 'string')
}

export interface IdTokenFacts {
  id_token: string
  access_token: string
  issuer: string
  client_id: string
  /** Absent if the request had none, and after a refresh. */
  nonce: string | undefined
  keys: readonly JWK[]
  alg: string
  /** Seconds since 1970. */
  now: number
}

/** An id_token: its signature by kid, its claims, and no other claims. */
export async function checkIdToken(t: Test, facts: IdTokenFacts): Promise<JWTPayload> {
  const { id_token, access_token, issuer, client_id, nonce, keys, alg, now } = facts
  const header = JSON.parse(Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString())
  t.equal(header.alg, alg)
  const fitting = keys.filter((key) => key.kid === header.kid && key.alg === header.alg && key.use === 'sig')
  t.equal(fitting.length, 1, 'exactly one key has the kid, the alg and the use')
  const [key] = fitting
  if (key === undefined) throw new Error('no key')
  const { payload } = await jwtVerify(id_token, key, {
    issuer,
    audience: client_id,
    currentDate: new Date(now * 1000),
  })
  const { iat = 0, exp = 0, auth_time, sub = '' } = payload
  t.ok(Number.isInteger(iat) && iat <= now + SKEW && iat > now - SKEW, 'iat')
  t.ok(Number.isInteger(exp) && exp > iat, 'exp')
  t.ok(Number.isInteger(auth_time) && Number(auth_time) <= now + SKEW, 'auth_time')
  t.match(sub, /^[\x20-\x7E]{1,255}$/)
  t.equal(payload.nonce, nonce)
  t.equal(payload.at_hash, leftHalf(access_token, alg))
  t.type(payload.acr, 'string')
  t.ok(Array.isArray(payload.amr) && payload.amr.every((value) => typeof value === 'string'), 'amr')
  t.type(payload.sid, 'string')
  t.strictSame(
    Object.keys(payload).sort(),
    ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub']
      .concat(nonce === undefined ? [] : ['nonce'])
      .sort(),
    'and nothing that was not asked for',
  )
  return payload
}

function leftHalf(access_token: string, alg: string): string {
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(access_token)
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** User information: its sub, and exactly these claims in their JSON types. */
export function checkUserInfo(
  t: Test,
  { status, headers, json }: Answer,
  expected: { sub: string | undefined; claims?: Readonly<Record<string, string>>; now: number },
): void {
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json(; *charset=utf-8)?$/i)
  t.ok(expected.sub)
  t.equal(json.sub, expected.sub, 'the sub of the id_token')
  const { claims = {} } = expected
  t.strictSame(Object.keys(json).sort(), ['sub', ...Object.keys(claims)].sort(), 'all claims and no others')
  for (const [name, type] of Object.entries(claims)) t.type(json[name], type, name)
  const { address, birthdate, updated_at } = json
  if (address !== undefined) {
    t.ok(Object.keys(address as object).every((name) => ADDRESS.includes(name)))
    for (const text of Object.values(address as object)) t.type(text, 'string')
  }
  if (birthdate !== undefined) t.match(birthdate, /^\d{4}(-\d\d-\d\d)?$/)
  if (updated_at !== undefined) {
    t.ok(Number(updated_at) > Date.UTC(1990) / 1000 && Number(updated_at) < expected.now + SKEW, 'updated_at')
  }
}
