import { Secret } from 'otpauth'
import { isObject, parseObject } from '../../../src/core/json.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { movable } from '../../../src/factors/moved-factors.ts'
import { isPasswordHash } from '../../../src/users/password-hash.ts'
import type { Demands } from './keycloak-actions.ts'
import type { Members } from './members.ts'

/** What the credentials of a user become: members of the import file, and factors. */
interface Credentials {
  readonly members: Readonly<Record<string, unknown>>
  readonly factors?: Hash
}

type Json = Readonly<Record<string, unknown>>

interface Stored {
  readonly type: string
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** Whether it had to be changed at the first sign-in. */
  readonly is_temporary: boolean
  /** The two texts with JSON. */
  readonly data: Json
  readonly secret: Json
}

/** The digests of its names, with their bytes. */
const PBKDF2: Readonly<Record<string, readonly [digest: string, bytes: number]>> = {
  pbkdf2: ['sha1', 20],
  'pbkdf2-sha256': ['sha256', 32],
  'pbkdf2-sha512': ['sha512', 64],
}
const SET_UP_ANEW = 'the user has to set up a second step while signing in'
const MIN_SECRET_BYTES = 10

/** Converts the credentials of a user: the password, and the first authenticator app that is one as redmint has it. */
export function readCredentials(
  user: Members,
  now: number,
  { new_password, second_step }: Pick<Demands, 'new_password' | 'second_step'>,
): Credentials {
  let members: Record<string, unknown> = {}
  let factors: Hash | undefined
  let needs_step = second_step
  for (const entry of user.entries('credentials')) {
    const { type, created_at, is_temporary, data, secret } = readStored(entry, now)
    const name = `credentials.${type}`
    if (type === 'password') {
      const read = passwordHash(data, secret)
      if (new_password || is_temporary) user.lost(name, 'it had to be changed: the user needs a new password')
      else if ('problem' in read) user.lost(name, `${read.problem}: the user needs a new password`)
      else {
        members = { ...members, password_hash: read.hash }
        user.kept(name)
      }
    } else if (type === 'otp') {
      const read =
        factors === undefined ? app(data, secret) : { problem: 'redmint has one app for each user' }
      if ('problem' in read) {
        needs_step = true
        user.lost(name, read.problem)
      } else {
        const totp = { secret: read.secret, created_at, last_step: 0, failures: 0 }
        factors = movable({ generation: 0, totp, passkeys: new Map() })
        user.kept(name)
      }
    } else {
      needs_step ||= type === 'webauthn'
      user.lost(name, 'it is bound to Keycloak, or only a digest of it is there')
    }
  }
  if (!needs_step || factors !== undefined) return { members, ...(factors && { factors }) }
  // Without it, a password alone would let somebody in from now on.
  user.changed('second_factor', SET_UP_ANEW)
  return { members: { ...members, second_factor: 'required' } }
}

function readStored(entry: unknown, now: number): Stored {
  const { type, createdDate, temporary, credentialData, secretData } = isObject(entry) ? entry : {}
  const parse = (text: unknown) => (typeof text === 'string' ? (parseObject(text) ?? {}) : {})
  return {
    type: typeof type === 'string' ? type : 'unknown',
    created_at: typeof createdDate === 'number' && Number.isSafeInteger(createdDate) ? createdDate : now,
    is_temporary: temporary === true,
    data: parse(credentialData),
    secret: parse(secretData),
  }
}

function passwordHash(data: Json, secret: Json): { hash: string } | { problem: string } {
  const { algorithm, hashIterations } = data
  const [value, salt] = [base64Of(secret.value), base64Of(secret.salt)]
  if (typeof algorithm !== 'string' || value === undefined || salt === undefined)
    return { problem: 'it has no hash' }
  const pbkdf2 = PBKDF2[algorithm]
  const hash =
    pbkdf2 === undefined
      ? argon2(algorithm, data, salt, value)
      : `$pbkdf2-${pbkdf2[0]}$i=${hashIterations}$${salt}$${firstBlock(value, pbkdf2[1])}`
  if (hash === undefined) return { problem: `redmint does not verify ${algorithm} as it is there` }
  return isPasswordHash(hash) ? { hash } : { problem: `its ${algorithm} is beyond what redmint accepts` }
}

/**
 * Returns the first block of a hash, in base64 without padding. Blocks are computed apart (RFC 8018 §5.2) and one is as long as
 * the digest, so more of them cost the server time, and no attacker any: Keycloak stores four of SHA-1.
 */
function firstBlock(value: string, bytes: number): string {
  return Buffer.from(value, 'base64').subarray(0, bytes).toString('base64').replace(/=+$/, '')
}

/** Returns a PHC string; undefined: it is not argon2id, version 19. */
function argon2(algorithm: string, data: Json, salt: string, value: string): string | undefined {
  const parameters = isObject(data.additionalParameters) ? data.additionalParameters : {}
  const of = (name: string) => {
    const found = parameters[name]
    return Array.isArray(found) ? String(found[0]) : undefined
  }
  // Version 1.3 is 0x13 (RFC 9106 §3.1).
  if (algorithm !== 'argon2' || of('type') !== 'id' || of('version') !== '1.3') return undefined
  return `$argon2id$v=19$m=${of('memory')},t=${data.hashIterations},p=${of('parallelism')}$${salt}$${value}`
}

function app(data: Json, { value }: Json): { secret: string } | { problem: string } {
  const { subType, digits, period, algorithm, secretEncoding } = data
  const fits = subType === 'totp' && digits === 6 && period === 30 && algorithm === 'HmacSHA1'
  if (!fits || typeof value !== 'string')
    return { problem: 'redmint has apps with 6 digits of HMAC-SHA-1 every 30 seconds only' }
  const secret = secretEncoding === 'BASE32' ? fromBase32(value) : Buffer.from(value)
  return secret === undefined || secret.length < MIN_SECRET_BYTES
    ? { problem: 'its secret is too short or malformed' }
    : { secret: secret.toString('base64url') }
}

function fromBase32(text: string): Buffer | undefined {
  return /^[A-Za-z2-7]+=*$/.test(text) ? Buffer.from(Secret.fromBase32(text).buffer) : undefined
}

/** Returns base64 without padding, as PHC strings have it; undefined: it is none. */
function base64Of(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? value.replace(/=+$/, '') : undefined
}
