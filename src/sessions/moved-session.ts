import type { Sid } from '../core/ids.ts'
import { FieldReader } from '../core/record-hash.ts'
import { type Changed, type Found, found, type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { SESSION, type SessionRecord } from './session-record.ts'
import { changeSession, type SessionChange } from './session-store.ts'

/**
 * What is left of a session that another one of the same browser replaced: the answer with the new cookie may be lost, or
 * another sign-in be under way. Nobody is signed in by it.
 */
interface MovedSession {
  /** The id of the session that has its clients and families. */
  readonly moved_to: string
  readonly ends_at: number
}

const MOVED_TO = 'moved_to'

/** Sessions that were replaced. They have the keys of the sessions. */
const MOVED: Kind<MovedSession> = {
  name: SESSION.name,
  ends_at: 'ends_at',
  format: ({ moved_to, ends_at }) => ({ [MOVED_TO]: moved_to, ends_at: String(ends_at) }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const record = { moved_to: fields.required(MOVED_TO), ends_at: Number(fields.required('ends_at')) }
    return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
  },
}

/** A session with its id. */
export interface WholeSession extends SessionRecord {
  /** The digest of the browser's cookie. */
  readonly id: string
}

// More than a browser needs whose answers are lost again and again, or that signs in many times at once.
const MAX_MOVES = 10

/**
 * As useSession, or the session that replaced it. Only for ending or replacing it: the cookie of a session that was
 * replaced signs nobody in.
 * @throws StorageUnavailable
 */
export async function useSessionOrSuccessor(
  { records }: RecordStore,
  id: string,
  idle_ttl: number,
): Promise<WholeSession | undefined> {
  let at: string | undefined = id
  for (let moves = 0; at !== undefined && moves <= MAX_MOVES; moves++) {
    const found: Found<SessionRecord> | undefined = await records.read(SESSION, at, { idle_ttl })
    if (found?.ok) return { id: at, ...found.record }
    at = movedTo(at, found)
  }
  return undefined
}

/**
 * Replaces a session by another one, and returns what the earlier one was, to one caller only. If others replaced it before,
 * the last of these is replaced, too. Undefined if it has ended.
 * @throws StorageUnavailable
 */
export async function moveSession(
  { records }: RecordStore,
  id: string,
  successor: { readonly id: string; readonly ends_at: number },
  idle_ttl: number,
): Promise<SessionRecord | undefined> {
  const moved = { moved_to: successor.id, ends_at: successor.ends_at }
  let at: string | undefined = id
  for (let moves = 0; at !== undefined && at !== successor.id && moves <= MAX_MOVES; moves++) {
    const taken: Found<SessionRecord> | undefined = await records.take(
      SESSION,
      at,
      write(MOVED, at, moved, idle_ttl),
    )
    if (taken?.ok) return taken.record
    at = movedTo(at, taken)
  }
  return undefined
}

/**
 * Adds to a session as changeSession, or to the one that replaced it meanwhile.
 * @throws StorageUnavailable
 */
export async function changeSessionOrSuccessor(
  storage: RecordStore,
  id: string,
  change: SessionChange & { readonly sid: Sid },
): Promise<Changed> {
  let at: string | undefined = id
  for (let moves = 0; at !== undefined && moves <= MAX_MOVES; moves++) {
    if ((await changeSession(storage, at, change)) === 'ok') return 'ok'
    at = movedTo(at, await storage.records.read(SESSION, at))
  }
  return 'missing'
}

function movedTo(id: string, stored: Found<SessionRecord> | undefined): string | undefined {
  return stored && recordOf(found(MOVED, id, stored.hash))?.moved_to
}
