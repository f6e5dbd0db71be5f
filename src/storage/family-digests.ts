import { hash } from 'node:crypto'
import type { Hash } from '../core/record-hash.ts'
import { parseToken, sharedPart } from '../core/token-string.ts'
import type { Redemption } from './families.ts'

/**
 * Returns the digest of a code together with what it is bound to. The grant record keeps it, so a replay is recognised
 * as long as the family exists, and only with the right parameters.
 */
export function codeDigest(code: string, bound_to: Redemption['bound_to']): string {
  const bound = Object.entries(bound_to).map(([field, value]) => [field, value || null])
  return digest(JSON.stringify([code, bound]))
}

/**
 * Returns the digest of the part that the refresh tokens of a family share. The grant record keeps it, so an earlier
 * refresh token is recognised without a record of its own.
 */
export function refreshDigest(token: string): string {
  const parts = parseToken(token)
  return parts === undefined ? '' : digest(sharedPart(parts))
}

/** Whether a token shares its first part with the refresh tokens of this family: it is one of them. */
export function isOfRefreshFamily(family: Hash, token: string): boolean {
  const presented = refreshDigest(token)
  return presented !== '' && family.refresh_digest === presented
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
