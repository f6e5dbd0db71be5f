import type { ClientId, FamilyId } from '../core/ids.ts'
import type { Holder, UserNames } from '../storage/families.ts'
import { isHeldBy } from '../storage/family-ids.ts'
import { type Changed, recordOf, write } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { joinFields, SESSION, type SessionRecord } from './session-record.ts'

/**
 * Stores a new session. It ends if it is not used for `idle_ttl` seconds, and at its `ends_at` in any case.
 * @param id the digest of the browser's cookie
 * @throws StorageUnavailable
 */
export function createSession(
  { records }: RecordStore,
  id: string,
  session: SessionRecord,
  idle_ttl: number,
): Promise<void> {
  return records.put(write(SESSION, id, session, idle_ttl))
}

/**
 * The session, which is used by this and so lives on for another `idle_ttl` seconds; undefined if it is over or
 * malformed.
 * @throws StorageUnavailable
 */
export async function useSession(
  { records }: RecordStore,
  id: string,
  idle_ttl: number,
): Promise<SessionRecord | undefined> {
  return recordOf(await records.read(SESSION, id, idle_ttl))
}

/**
 * Notes in a session that its user goes on to a client: the scope that the client may have without asking, and the
 * family that ends with the session, if one does. `missing`: the session is over, and nothing may be issued.
 * @throws StorageUnavailable
 */
export function joinSession(
  { records }: RecordStore,
  id: string,
  client_id: ClientId,
  scope: string,
  family?: FamilyId,
): Promise<Changed> {
  return records.change(SESSION, id, { set: joinFields(client_id, scope, family) })
}

/**
 * Removes a session, and returns what it was, to one caller only.
 * @throws StorageUnavailable
 */
export async function takeSession({ records }: RecordStore, id: string): Promise<SessionRecord | undefined> {
  return recordOf(await records.take(SESSION, id))
}

/** The ids of all sessions of a user, in no order. Goes through all keys: for operators, not for requests. */
export async function* sessionsOf(
  { records }: RecordStore,
  { subject, username }: UserNames,
): AsyncGenerator<string> {
  for await (const { id, hash } of records.scan(SESSION)) {
    const { sub = '', username: name = '' } = hash
    if (isHeldBy({ subject: sub, username: name }, { subject, username })) yield id
  }
}

/** How many were good until now; `grants` are families. */
export interface Ended {
  sessions: number
  grants: number
  codes: number
  tokens: number
}

/**
 * Ends every session, family, code and token of a holder; what was written before the call began is over when it ends.
 * Goes through all keys: for operators, not for requests.
 * @throws StorageUnavailable at once; any other error of a record when all else is ended
 */
export async function endAllOf(
  storage: Pick<Storage, 'records' | 'families'>,
  holder: Holder,
): Promise<Ended> {
  let sessions = 0
  // Sessions first: nothing can come of them any more when codes are looked for.
  if ('username' in holder) {
    for await (const id of sessionsOf(storage, holder)) {
      if ((await storage.records.take(SESSION, id)) !== undefined) sessions += 1
    }
  }
  const { families, codes, tokens } = await storage.families.revokeAllOf(holder)
  return { sessions, grants: families, codes, tokens }
}
