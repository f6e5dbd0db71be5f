import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import type { Hash } from '../core/record-hash.ts'
import { type Index, joinedLists } from '../storage/indexes.ts'
import type { Listing } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import { grantEntryId } from './grant-listings.ts'
import { grantsOf } from './listed-grants.ts'

/** Grant records, which storage writes by itself. */
const GRANT = { name: 'grant' } as const

/** The lists of the grants of users and clients, as an index. `now`: in milliseconds since 1970. */
export function grantLists(storage: Pick<Storage, 'lists'>, now: () => number): Index {
  // The key has the family id in braces.
  return joinedLists(storage, GRANT, (id, hash) =>
    hash.status === 'active' ? listingsOf(id.slice(1, -1), hash, now()) : [],
  )
}

function listingsOf(family: string, record: Hash, now: number): Listing[] {
  const { username, client_id, refresh_until = String(now), started_at = '0' } = record
  const id = grantEntryId({ family, started_at: Number(started_at) })
  const until = Number(refresh_until) + MAX_SIGNED_TOKEN_TTL * 1000
  if (!Number.isSafeInteger(until)) return []
  return [
    ...(username === undefined ? [] : [{ ...grantsOf({ username }), id, until }]),
    ...(client_id === undefined ? [] : [{ ...grantsOf({ client_id }), id, until }]),
  ]
}
