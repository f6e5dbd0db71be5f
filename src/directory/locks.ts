import { type ReadEntry, textsOf } from './entry.ts'

/** Whether a value of an attribute locks its entry. @param now milliseconds since 1970 */
type Lock = (value: string, now: number) => boolean

const isTrue: Lock = (value) => value.toUpperCase() === 'TRUE'
/** A flag of userAccountControl ([MS-ADTS] §2.2.16): the account is disabled. */
const ACCOUNT_DISABLED = 0x2
/** 1601 and 1970 are so many milliseconds apart ([MS-DTYP] §2.3.3). */
const SINCE_1601 = 11_644_473_600_000
/** What accountExpires has if an account never expires ([MS-ADA1] §2.3). */
const NEVER = ['0', '9223372036854775807']
/** What pwdAccountLockedTime has if an administrator locked an entry (draft-behera-ldap-password-policy §5.3.3). */
const LOCKED_FOR_GOOD = '000001010000Z'

/**
 * The attributes by which directories say that nobody may sign in by an entry, whatever is shown: who has a passkey shows no
 * password that the directory could refuse. A lock after wrong passwords, which ends by itself, is none of them.
 */
const LOCKS: Readonly<Record<string, Lock>> = {
  // Active Directory.
  userAccountControl: (value) => (Number(value) & ACCOUNT_DISABLED) !== 0,
  accountExpires: (value, now) =>
    /^\d{1,19}$/.test(value) && !NEVER.includes(value) && Number(value) / 10_000 - SINCE_1601 <= now,
  // 389 Directory Server, FreeIPA.
  nsAccountLock: isTrue,
  krbPrincipalExpiration: isPast,
  // OpenLDAP with its password policy.
  pwdAccountLockedTime: (value) => value === LOCKED_FOR_GOOD,
  pwdEndTime: isPast,
  // PingDirectory, OpenDJ.
  'ds-pwp-account-disabled': isTrue,
  'ds-pwp-account-expiration-time': isPast,
  // eDirectory.
  loginDisabled: isTrue,
  loginExpirationTime: isPast,
}

/** The attributes that tell of a lock. */
export const LOCK_ATTRIBUTES: readonly string[] = Object.keys(LOCKS)

/** Whether an entry is disabled, locked or expired. @param now milliseconds since 1970 */
export function isLocked(entry: ReadEntry, now: number): boolean {
  return Object.entries(LOCKS).some(([attribute, lock]) =>
    textsOf(entry, attribute).some((value) => lock(value, now)),
  )
}

// RFC 4517 §3.3.13: minutes, seconds and their fraction can be left out, and a zone can stand for Z.
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)?(\d\d)?(?:[.,]\d+)?(Z|[+-]\d{4})$/

/** Whether a time has come; one that is malformed has: nobody knows when it ends. */
function isPast(value: string, now: number): boolean {
  const [, year, month, day, hour, minute = '00', second = '00', zone = 'Z'] = TIME.exec(value) ?? []
  const offset = zone.replace(/^([+-]\d\d)/, '$1:')
  return !(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`) > now)
}
