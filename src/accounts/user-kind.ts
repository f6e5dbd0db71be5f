import type { Kind } from '../storage/records.ts'
import { parseUser, type User } from './user-record.ts'

/** Accounts, by username. */
export const USER: Kind<User> = {
  name: 'user',
  by_operators: true,
  format: ({ sub, password_hash, claims, disabled }) => ({
    ...claims,
    sub,
    ...(password_hash === undefined ? {} : { password_hash }),
    ...(disabled ? { disabled: 'true' } : {}),
  }),
  parse: (hash, username) => parseUser(username, hash),
}
