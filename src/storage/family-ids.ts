import type { FamilyId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import type { SingleUse } from './single-use.ts'

/** Whether a string can be a family id, the first part of a token string. */
export function isFamilyId(family: string): boolean {
  return /^[A-Za-z0-9_-]{16}$/.test(family)
}

/**
 * Returns the family id of a code or token string, or undefined if the string is malformed.
 * @throws TypeError if a token to write belongs to another family, because revoking the family would miss it
 */
export function familyOf(presented: string, ...written: readonly string[]): FamilyId | undefined {
  const family = parseToken(presented)?.family
  if (family === undefined) return undefined
  for (const token of written) {
    if (parseToken(token)?.family !== family) {
      throw new TypeError('the tokens to write belong to another family')
    }
  }
  return family
}

/**
 * Returns the id of a family for a request that uses up an id, if it does: in a Redis Cluster both share a slot. The
 * sender of the request chooses the `jti` and so this id, so storage grants nothing to a family that exists.
 */
export function familyOfUses([first]: readonly SingleUse[]): FamilyId | undefined {
  return parseToken(first?.id ?? '')?.family
}

/** @throws TypeError if a string is not a code or token string */
export function assertTokenString(token: string): void {
  if (parseToken(token) === undefined) throw new TypeError('not a code or token string')
}

/**
 * Whether a code, token or family was granted by a sign-in before a time, in seconds since 1970, or to a client for
 * itself.
 */
export function isGrantedBefore(
  { auth_time, asserted_at = auth_time, started_at, subject }: Hash,
  time: number,
): boolean {
  // When somebody signed in at a provider that does not say it (0) is not known: then it is when it came.
  const at = asserted_at === '0' ? Number(started_at) / 1000 : Number(asserted_at)
  if (asserted_at !== undefined) return !(at >= time)
  // A token of a user ends with its family. When a client got its own token is not recorded.
  return subject === undefined || subject === ''
}
