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
