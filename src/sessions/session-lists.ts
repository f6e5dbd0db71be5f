import { type Index, joinedLists } from '../storage/indexes.ts'
import type { Storage } from '../storage/storage.ts'
import { parseSession, SESSION } from './session-record.ts'
import { sessionListings } from './session-store.ts'

/** The lists of the sessions of users, and of those that began at a provider, as an index. */
export function sessionLists(storage: Pick<Storage, 'lists'>): Index {
  return joinedLists(storage, SESSION, (id, hash) => {
    const session = parseSession(hash)
    return session.ok ? sessionListings(id, session.record) : []
  })
}
