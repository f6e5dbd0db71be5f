import type { FamilyId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import type { Holder } from './families.ts'

/** Whether a string can be a family id, the first part of a token string. */
export function isFamilyId(family: string): boolean {
  return /^[A-Za-z0-9_-]{16}$/.test(family)
}

/**
 * The family of a presented code or token string; undefined if it is no such string.
 * @throws TypeError if a token to be written is of another family, which could not revoke it
 */
export function familyOf(presented: string, ...written: readonly string[]): FamilyId | undefined {
  const family = parseToken(presented)?.grant
  if (family === undefined) return undefined
  for (const token of written) {
    if (parseToken(token)?.grant !== family) {
      throw new TypeError('tokens have the family part of what they are issued for')
    }
  }
  return family
}

/** @throws TypeError if a string is no code or token string, and so of no family */
export function assertTokenString(token: string): void {
  if (parseToken(token) === undefined) throw new TypeError('not a code or token string')
}

/** Whether a code, token or family is this holder's. A token without a subject is no user's. */
export function isHeldBy(record: Hash, holder: Holder): boolean {
  return Object.entries(holder).some(([field, name]) => name !== '' && record[field] === name)
}
