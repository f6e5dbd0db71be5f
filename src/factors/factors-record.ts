import { parseObject } from '../core/json.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'
import { USER } from '../users/user-kind.ts'

/** The secret of an authenticator app. */
export interface TotpFactor {
  /** Sealed. */
  readonly secret: string
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** When the first app was set up in whose place this one is; in milliseconds since 1970, absent: it is the first. */
  readonly has_since?: number
  /** The highest time step that was accepted (RFC 6238 §5.2). */
  readonly last_step: number
  /** How many codes were wrong in all, without those before a right one in the same sign-in. */
  readonly failures: number
}

/** The codes for somebody who lost the second step. */
export interface RecoveryCodes {
  /** Those that are left, as digests. */
  readonly digests: readonly string[]
  /** Those that were used, as digests. */
  readonly used: readonly string[]
  /** In milliseconds since 1970. */
  readonly created_at: number
}

/** A passkey (WebAuthn Level 3 §4). */
export interface Passkey {
  readonly name: string
  /** COSE, base64url. */
  readonly public_key: string
  readonly counter: number
  readonly created_at: number
  /** In milliseconds since 1970; absent: never. */
  readonly last_used_at?: number
  /** The browser that used it last, in words. */
  readonly browser?: string
  /** Whether it may be on several devices (WebAuthn Level 3 §6.1.3). */
  readonly backup_eligible: boolean
  readonly backed_up: boolean
  /** Whether its device asked for a fingerprint, a face or a PIN when it was made. */
  readonly user_verified: boolean
  readonly transports: readonly string[]
  readonly aaguid: string
}

/** What a person has besides, or instead of, a password. */
export interface Factors {
  /** Counts up with each change of a factor, so that what was bound to the old ones ends. */
  readonly generation: number
  /**
   * The random id that passkeys have for this person (WebAuthn Level 3 §5.4.3 user.id), base64url; absent: no passkey
   * was made.
   */
  readonly user_handle?: string
  readonly totp?: TotpFactor
  readonly recovery?: RecoveryCodes
  /** By credential id, base64url. */
  readonly passkeys: ReadonlyMap<string, Passkey>
}

export const NO_FACTORS: Factors = { generation: 0, passkeys: new Map() }

const PASSKEY = 'passkey:'

/** The field of a passkey in the hash. */
export const passkeyField = (id: string) => `${PASSKEY}${id}`

/**
 * What people have besides, or instead of, a password, by username: `factors:{redmint:user:<username>}`. It is in the
 * slot of the user, so that one step can change both.
 */
export const FACTORS: Kind<Factors> = {
  name: 'factors',
  beside: USER.name,
  format: formatFactors,
  parse: parseFactors,
}

/** Formats factors as the hash to store. */
export function formatFactors({ generation, user_handle, totp, recovery, passkeys }: Factors): Hash {
  return {
    generation: String(generation),
    ...(user_handle !== undefined && { user_handle }),
    ...(totp && { totp: JSON.stringify(totp) }),
    ...(recovery && { recovery: JSON.stringify(recovery) }),
    ...Object.fromEntries([...passkeys].map(([id, passkey]) => [passkeyField(id), JSON.stringify(passkey)])),
  }
}

/** Whether the person has something that a second step can ask for. */
export const hasSecondStep = ({ totp }: Factors): boolean => totp !== undefined

function parseFactors(hash: Hash): Parsed<Factors> {
  const reader = new FieldReader(hash)
  // What is there and cannot be read is a problem: a person must not seem to have nothing besides a password.
  const json = <T>(field: string, members: readonly (keyof T & string)[] = []): T | undefined => {
    const text = hash[field]
    if (text === undefined) return undefined
    const found = parseObject(text)
    if (found !== undefined && members.every((member) => Object.hasOwn(found, member))) return found as T
    reader.fail(field, 'must be a JSON object with all its members')
    return undefined
  }
  const generation = reader.integer('generation', { min: 0, max: 1e14, unit: 'changes' }) ?? 0
  const totp = json<TotpFactor>('totp', ['secret', 'last_step', 'failures'])
  const recovery = json<RecoveryCodes>('recovery', ['digests', 'used'])
  const user_handle = reader.optional('user_handle')
  const passkeys = new Map<string, Passkey>()
  for (const field of Object.keys(hash)) {
    if (!field.startsWith(PASSKEY)) continue
    const passkey = json<Passkey>(field)
    if (passkey) passkeys.set(field.slice(PASSKEY.length), passkey)
  }
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  const record: Factors = {
    generation,
    ...(user_handle !== undefined && { user_handle }),
    ...(totp && { totp }),
    ...(recovery && { recovery }),
    passkeys,
  }
  return { ok: true, record }
}
