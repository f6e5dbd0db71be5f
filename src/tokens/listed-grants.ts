import type { FamilyId } from '../core/ids.ts'
import { timeIn } from '../core/instant.ts'
import type { Hash } from '../core/record-hash.ts'
import { familyEntryId } from '../storage/listed-family.ts'
import type { ListKey } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import { listedGrant } from './grant-listings.ts'

/** A family of a list with its grant record, which is active. */
export interface StoredGrant {
  readonly family: FamilyId
  readonly started_at: number
  readonly record: Hash
}

/** What it takes to read lists of families. */
export interface ListedGrantsContext {
  readonly storage: Pick<Storage, 'lists' | 'families'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns when a family was used last, in milliseconds since 1970: noted to the minute, or when its refresh token was
 * spent, and not before it started. 0: the record says neither.
 */
export const lastUseOf = ({ started_at, record }: StoredGrant): number =>
  Math.max(started_at, timeIn(record.spent_at) ?? 0, timeIn(record.last_used_at) ?? 0)

/** In milliseconds: a code is redeemed within an hour, or never. The rest is for clocks that differ. */
export const REDEEMED_WITHIN = 3_600_000 + 600_000

/** The list of the families of a user, or of a client. */
export const grantsOf = (owner: { readonly username: string } | { readonly client_id: string }): ListKey =>
  'username' in owner
    ? { list: 'grants-of-user', owner: owner.username }
    : { list: 'grants-of-client', owner: owner.client_id }

/**
 * Reads a part of a list of families. Entries of families that are gone, revoked, of another owner or of another time are
 * removed; those whose code was not redeemed yet stay, and are left out.
 * @param after `next` of the part before; absent: at the beginning
 * @throws StorageUnavailable
 */
export async function readListedGrants(
  { storage, now }: ListedGrantsContext,
  key: ListKey,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ grants: readonly StoredGrant[]; next: string | undefined }> {
  const { entries, next } = await storage.lists.page(key, { after, limit })
  const owner_field = key.list === 'grants-of-user' ? 'username' : 'client_id'
  const stale: string[] = []
  const read = entries.map(async ({ id, until }): Promise<StoredGrant | undefined> => {
    const named = listedGrant(id)
    const record = named && (await storage.families.findFamily(named.family))
    const code_until = Math.min(until, (named?.started_at ?? 0) + REDEEMED_WITHIN)
    const is_awaited = record === undefined && now() < code_until
    const is_own =
      record?.status === 'active' &&
      record[owner_field] === key.owner &&
      Number(record.started_at ?? 0) === named?.started_at
    if (!is_own && !is_awaited) stale.push(id)
    return named !== undefined && record !== undefined && is_own ? { ...named, record } : undefined
  })
  const grants = (await Promise.all(read)).filter((grant) => grant !== undefined)
  await storage.lists.remove(key, ...stale)
  return { grants, next }
}

/** Removes a family from its lists. @throws StorageUnavailable */
export async function unlistGrant(
  { storage }: Pick<ListedGrantsContext, 'storage'>,
  grant: StoredGrant,
): Promise<void> {
  const { username, client_id = '' } = grant.record
  const id = familyEntryId(grant.family, grant.started_at)
  await Promise.all([
    storage.lists.remove(grantsOf({ client_id }), id),
    username !== undefined && storage.lists.remove(grantsOf({ username }), id),
  ])
}
