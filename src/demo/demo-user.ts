import type { Settings } from '../config/settings.ts'
import { hasPasswords } from '../config/sign-in-ways.ts'

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

/** Returns who can sign in at the demo; without a password where nobody signs in with one. */
export const demoAccountFor = (settings: Pick<Settings, 'sign_in' | 'login_url'>) => ({
  username: DEMO_USER,
  ...(hasPasswords(settings) && { password: DEMO_PASSWORD }),
})
