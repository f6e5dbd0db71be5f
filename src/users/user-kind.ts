import type { Kind } from '../storage/records.ts'
import { GENERATION } from './user-fields.ts'
import { formatUser, isWayIn, parseUser, type User } from './user-record.ts'

/** Accounts, by username. */
export const USER: Kind<User> = {
  name: 'user',
  by_operators: true,
  listed: true,
  counts: { field: GENERATION, isCounted: isWayIn },
  format: formatUser,
  parse: (hash, username) => parseUser(username, hash),
}
