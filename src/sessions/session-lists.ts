import type { Index } from '../storage/indexes.ts'
import type { Storage } from '../storage/storage.ts'
import { parseSession, SESSION } from './session-record.ts'
import { sessionListing } from './session-store.ts'

// So many sessions are added at a time.
const PART = 100

/** The lists of the sessions of users, as an index: sessions that were written by hand are added. */
export function sessionLists({ records, lists }: Pick<Storage, 'records' | 'lists'>): Index {
  return {
    kind: SESSION,
    async *fitAll() {
      let found = []
      for await (const { id, hash } of records.scan(SESSION)) {
        const session = parseSession(hash)
        if (session.ok) found.push(sessionListing(id, session.record))
        if (found.length < PART) continue
        yield { added: await lists.add(...found), removed: 0 }
        found = []
      }
      yield { added: await lists.add(...found), removed: 0 }
    },
  }
}
