// Time-based one-time passwords (RFC 6238) as every app makes them: HMAC-SHA-1, six digits, steps of 30 seconds.
import { Secret, TOTP } from 'otpauth'
import { codeForm } from '../core/visible-text.ts'

const PERIOD = 30
/** Clocks differ: the code before and the next one count, too (RFC 6238 §5.2). */
const WINDOW = 1

const MAX_LABEL = 64

/** 160 bits (RFC 4226 §4). */
export const SECRET_BYTES = 20

const DIGITS = /^\d{6}$/
const MAX_TYPED = 64

/** What an app needs to know. */
export interface TotpSetUp {
  /** An `otpauth:` URI, which the QR code has. */
  readonly uri: string
  /** The secret as people type it: groups of four characters (RFC 4648 §6). */
  readonly key: string
}

/** Returns what an app needs to know of a secret. */
export function setUpOf(
  secret: Buffer,
  { service_name, username }: { service_name: string; username: string },
): TotpSetUp {
  // A picture has no room for the longest names.
  const label = [...username].slice(0, MAX_LABEL).join('')
  const totp = totpOf(secret, service_name, label)
  return { uri: totp.toString(), key: totp.secret.base32.replace(/.{4}(?=.)/g, '$& ') }
}

/** Returns from when on the code of a time step is accepted, in seconds since 1970. */
export const firstUseOf = (step: number): number => (step - WINDOW) * PERIOD

/** Returns the time step of a code, as people type it; undefined if it is not one of the present codes. */
export function stepOf(secret: Buffer, typed: string, now: number): number | undefined {
  const token = codeForm(typed.slice(0, MAX_TYPED))
  if (!DIGITS.test(token)) return undefined
  const delta = totpOf(secret).validate({ token, timestamp: now, window: WINDOW })
  return delta === null ? undefined : TOTP.counter({ period: PERIOD, timestamp: now }) + delta
}

function totpOf(secret: Buffer, issuer = '', label = ''): TOTP {
  const bytes = new Uint8Array(secret)
  return new TOTP({
    issuer,
    label,
    secret: new Secret({ buffer: bytes.buffer }),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD,
  })
}
