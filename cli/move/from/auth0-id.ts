import { isObject } from '../../../src/core/json.ts'

/** Returns the id of a user in tokens of Auth0; in the export of hashes it is made of two other members. */
export function userIdOf(user: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof user.user_id === 'string') return user.user_id
  const own = typeof user.alt_id === 'string' ? user.alt_id : isObject(user._id) ? user._id.$oid : undefined
  return typeof own === 'string' ? `auth0|${own}` : undefined
}
