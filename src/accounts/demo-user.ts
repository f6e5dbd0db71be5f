import type { Hash } from '../core/record-hash.ts'

/** The username and the sub of the user of demo mode. */
export const DEMO_USER = 'alice'

/** The public password of the user of demo mode. */
export const DEMO_PASSWORD = 'wonderland'

/**
 * The hash of that password by the default cost. The password is public, so nothing is lost if the salt is, too, and no
 * start waits for a hash.
 */
export const DEMO_PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$GrsfXoiXeVu95VJoYo+91Q$aRInN65LdZ6XHN/WISaV+2QFxZG8lXPCueRCMqK22g8'

/** The claims of the user of demo mode. */
export const DEMO_CLAIMS = { name: 'Alice Demo', email: 'alice@example.com', email_verified: 'true' } as const

/**
 * Whether demo mode of an earlier version, which did not mark its records, wrote a user. The hash of the password is
 * salted, so username, sub and claims identify the user.
 */
export function isUnmarkedDemoUser(username: string, hash: Hash): boolean {
  return (
    username === DEMO_USER &&
    hash.sub === DEMO_USER &&
    Object.entries(DEMO_CLAIMS).every(([name, value]) => hash[name] === value)
  )
}
