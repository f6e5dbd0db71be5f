import { type Index, joinedLists } from '../storage/indexes.ts'
import type { Storage } from '../storage/storage.ts'
import { parseSession, SESSION } from './session-record.ts'
import { sessionListing } from './session-store.ts'

/** The lists of the sessions of users, as an index. */
export function sessionLists(storage: Pick<Storage, 'lists'>): Index {
  return joinedLists(storage, SESSION, (id, hash) => {
    const session = parseSession(hash)
    return session.ok ? [sessionListing(id, session.record)] : []
  })
}
