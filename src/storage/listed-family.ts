import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import type { FamilyId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import type { Redemption } from './families.ts'
import type { Listing } from './lists.ts'

/** Returns the id of a family in the lists of its user and its client: `<grant>:<started_at>`. */
export function familyEntryId(family: FamilyId, started_at: number | string): string {
  return `${family}:${started_at}`
}

/**
 * Returns the entries of a family whose code is redeemed: until then they end with the code. The script redeem-code moves
 * them itself where it may have keys of several slots.
 * @param code what the code had
 * @param now milliseconds since 1970
 */
export function redeemedListings(
  family: FamilyId,
  { username = '', client_id = '', started_at = '0', scope = '' }: Hash,
  { refresh_token, refresh_scope = '', refresh_token_ttl, access_token_ttl }: Redemption,
  now: number,
): Listing[] {
  const is_refreshable =
    refresh_token !== undefined && (refresh_scope === '' || scopeNames(scope).includes(refresh_scope))
  // The lifetime of access tokens can grow until the last one is issued.
  const lasts = is_refreshable ? refresh_token_ttl + MAX_SIGNED_TOKEN_TTL : access_token_ttl
  const entry = { id: familyEntryId(family, started_at), until: Math.floor(now + lasts * 1000) }
  return [
    { list: 'grants-of-user', owner: username, ...entry },
    { list: 'grants-of-client', owner: client_id, ...entry },
  ]
}
