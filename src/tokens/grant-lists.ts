import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Index } from '../storage/indexes.ts'
import type { Listing } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import { grantEntryId } from './grant-listings.ts'
import { grantsOf } from './listed-grants.ts'

/** Grant records, which storage writes by itself. */
const GRANT = { name: 'grant' } as const
// So many grants are added at a time.
const PART = 100

/** The lists of the grants of users and clients, as an index: grants that were written by hand are added. */
export function grantLists({ records, lists }: Pick<Storage, 'records' | 'lists'>, now: () => number): Index {
  return {
    kind: GRANT,
    async *fitAll() {
      let found: Listing[] = []
      for await (const { id, hash } of records.scan(GRANT)) {
        // The key has the family id in braces.
        if (hash.status === 'active') found.push(...listingsOf(id.slice(1, -1), hash, now()))
        if (found.length < PART) continue
        yield { added: await lists.add(...found), removed: 0 }
        found = []
      }
      yield { added: await lists.add(...found), removed: 0 }
    },
  }
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
