import type { EventEmitter } from 'node:events'
import type { Hash } from '../core/record-hash.ts'
import type { Storage } from '../storage/storage.ts'
import { grantsOf } from '../tokens/listed-grants.ts'
import { queueEnding } from './endings-queue.ts'

/** What it takes to end everything of a user. */
export interface EndOfUserContext {
  readonly storage: Pick<Storage, 'lists' | 'queue'>
  /** Told of notices of logouts that are queued; absent: servers look for them within seconds. */
  readonly logouts?: EventEmitter<{ queued: [] }>
  /** Told of what is to be ended in the background; absent: servers look for it within seconds. */
  readonly endings?: EventEmitter<{ queued: [] }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How many were ended; what is over and still in a list counts, too. */
export interface EndedOfUser {
  readonly sessions: number
  readonly grants: number
}

/**
 * Returns the marks before which all of a user is refused, however much there is. What begins in this millisecond ends, too.
 */
export function endMarks({ now }: Pick<EndOfUserContext, 'now'>): {
  readonly before: number
  readonly marks: Hash
} {
  const before = now() + 1
  const marks = { sessions_end_before: String(before), grants_end_before: String(before) }
  return { before, marks }
}

/** Lets servers end what a mark refuses, and tell the clients of sessions. @throws StorageUnavailable */
export async function queueEndings(
  { storage, logouts, endings }: EndOfUserContext,
  username: string,
  before: number,
): Promise<EndedOfUser> {
  const [sessions, grants] = await Promise.all([
    storage.lists.count({ list: 'sessions-of', owner: username }),
    storage.lists.count(grantsOf({ username })),
  ])
  await queueEnding(storage, { what: 'sessions', username, before })
  await queueEnding(storage, { what: 'grants', username, before })
  logouts?.emit('queued')
  endings?.emit('queued')
  return { sessions, grants }
}
