import type { Client } from '../clients/record/client-record.ts'
import { CHANGE_REFRESH_TTL, givesChange, refreshTtlFor } from '../core/admin-scopes.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { familyEntryId } from '../storage/listed-family.ts'
import type { Listing } from '../storage/lists.ts'

/** A family, and when it began, as its entries in the lists of its user and its client name it. */
export interface ListedGrant {
  readonly family: FamilyId
  /** In milliseconds since 1970; 0: its record, which was written by hand, does not say it. */
  readonly started_at: number
}

/** Returns the family that an id in a list names; undefined if the id is malformed. */
export function listedGrant(id: string): ListedGrant | undefined {
  const [, family, started_at] = /^([A-Za-z0-9_-]{16}):(\d{1,15})$/.exec(id) ?? []
  return family === undefined ? undefined : { family, started_at: Number(started_at) }
}

/** A family that begins: its code is written, or its tokens are. */
export interface BeginningGrant extends ListedGrant {
  readonly username: string | undefined
  readonly client_id: ClientId
}

/** In milliseconds: clocks may differ so much before an entry is dropped whose code can be redeemed. */
const CLOCKS_DIFFER = 60_000

/**
 * Returns the entries of a family for the lists of its user and of its client. Those of a code end soon after it, unless it
 * is redeemed: then storage lets them last as long as the family.
 * @param lasts the lifetime in seconds of its code, or without one that of its access token
 */
export function grantListings(
  { family, started_at, client_id, username = '' }: BeginningGrant,
  lasts: number,
): Listing[] {
  const id = familyEntryId(family, started_at)
  const until = started_at + Math.ceil(lasts * 1000) + CLOCKS_DIFFER
  return [
    { list: 'grants-of-user', owner: username, id, until },
    { list: 'grants-of-client', owner: client_id, id, until },
  ]
}

/** Returns for how many seconds the tokens of a client for a scope can be refreshed; 0: it gets no refresh token. */
export function refreshableFor(
  { refresh_tokens, refresh_token_ttl }: Pick<Client, 'refresh_tokens' | 'refresh_token_ttl'>,
  scope: string,
  default_ttl: number,
): number {
  const needs_scope = refresh_tokens === 'offline_access'
  if (refresh_tokens === 'never' || (needs_scope && !scopeNames(scope).includes('offline_access'))) return 0
  return refreshTtlFor(scopeNames(scope), refresh_token_ttl ?? default_ttl)
}

/** Returns the field of a code that limits for how long its tokens can be refreshed; none if nothing does. */
export function refreshLimit(scope: string): { readonly refresh_for?: string } {
  return givesChange(scopeNames(scope)) ? { refresh_for: String(CHANGE_REFRESH_TTL) } : {}
}
