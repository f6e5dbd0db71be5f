import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import type { Hash } from '../core/record-hash.ts'
import { type Index, joinedLists } from '../storage/indexes.ts'
import { familyEntryId } from '../storage/listed-family.ts'
import type { Listing } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
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
  const { username, client_id, refresh_until, started_at = '0' } = record
  const until = Number(refresh_until ?? now) + MAX_SIGNED_TOKEN_TTL * 1000
  if (!Number.isSafeInteger(until)) return []
  // Without refresh tokens the record does not say when it ends.
  const entry = { id: familyEntryId(family, started_at), until, is_guess: refresh_until === undefined }
  return [
    ...(username === undefined ? [] : [{ ...grantsOf({ username }), ...entry }]),
    ...(client_id === undefined ? [] : [{ ...grantsOf({ client_id }), ...entry }]),
  ]
}
