import type { Kind } from '../storage/records.ts'
import type { Words } from '../storage/words.ts'
import { GENERATION } from './user-fields.ts'
import { formatUser, isWayIn, parseUser, type User } from './user-record.ts'

const NAMES = ['name', 'given_name', 'family_name', 'nickname'] as const

/** What operators find people by. */
const USER_WORDS: Words = {
  fields: [...NAMES, 'email'],
  texts: (username, hash) => [...NAMES.map((field) => hash[field] ?? ''), username, hash.email ?? ''],
}

/** Accounts, by username. */
export const USER: Kind<User> = {
  name: 'user',
  by_operators: true,
  listed: true,
  words: USER_WORDS,
  counts: { field: GENERATION, isCounted: isWayIn },
  format: formatUser,
  parse: (hash, username) => parseUser(username, hash),
}
