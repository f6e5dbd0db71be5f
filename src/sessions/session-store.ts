import type { AuditEntries } from '../core/audit-entries.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import { isGrantedBefore } from '../storage/family-ids.ts'
import type { Listing } from '../storage/lists.ts'
import { type Changed, recordOf, write } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import {
  CAME_FROM_FIELDS,
  CONFIRMATION_FIELDS,
  clientField,
  familyField,
  formatSession,
  type JoinedFamily,
  joinFields,
  SESSION,
  type SessionRecord,
  SIGNED_IN,
  SIGNED_IN_FIELDS,
  type SignedIn,
} from './session-record.ts'

/** Returns the entry of a session for the list of its user. */
export function sessionListing(id: string, { username, ends_at }: SessionRecord): Listing {
  return { list: 'sessions-of', owner: username, id, until: ends_at }
}

/** Returns the entries of a session for all lists that it is in. */
export function sessionListings(id: string, session: SessionRecord): Listing[] {
  const { upstream_session, upstream_user, ends_at: until } = session
  const of_provider = [upstream_session, upstream_user].flatMap((owner): Listing[] =>
    owner === undefined ? [] : [{ list: 'upstream-sessions', owner, id, until }],
  )
  return [sessionListing(id, session), ...of_provider]
}

/**
 * Stores a new session. It expires after `idle_ttl` seconds without use, and at its `ends_at` at the latest.
 * @param id what its cookie finds it by: `sessionIdOf`
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export function createSession(
  { records }: RecordStore,
  id: string,
  session: SessionRecord,
  idle_ttl: number,
  told?: AuditEntries,
): Promise<void> {
  return records.put({ ...write(SESSION, id, session, idle_ttl, sessionListings(id, session)), told })
}

/**
 * Notes a new sign-in of the user of a session, which keeps its clients and families. `missing`: it has ended, or is of
 * somebody else.
 * @param session without clients and families
 * @param idle_ttl in seconds: it expires after so long without use, and at its new `ends_at` at the latest
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export function renewSession(
  { records }: RecordStore,
  id: string,
  session: SessionRecord,
  idle_ttl: number,
  told?: AuditEntries,
): Promise<Changed> {
  const { sid, sub, confirmed_state } = session
  return records.change(SESSION, id, {
    expected: { sid, sub },
    set: formatSession(session),
    unset: confirmed_state === undefined ? CONFIRMATION_FIELDS : [],
    ttl: idle_ttl,
    lists: sessionListings(id, session),
    told,
  })
}

/**
 * Returns the session with all that joined it, and extends it by `idle_ttl` seconds, at most until its `ends_at`. Returns
 * undefined if it is missing, expired or malformed.
 * @throws StorageUnavailable
 */
export async function useSession(
  { records }: RecordStore,
  id: string,
  idle_ttl: number,
): Promise<SessionRecord | undefined> {
  return recordOf(await records.read(SESSION, id, { idle_ttl }))
}

/** A session as a request of one client needs it. */
export interface SessionForClient extends SignedIn {
  /** Whether the client joined the session before. */
  readonly has_joined: boolean
}

/**
 * As useSession, but reads only who is signed in, and whether one client joined: it costs the same however many did.
 * @param client_id the client to look for; absent: none
 * @param secret what the session must have, or it counts as missing; absent: any
 * @throws StorageUnavailable
 */
export async function useSessionFor(
  { records }: RecordStore,
  id: string,
  idle_ttl: number,
  client_id = '',
  secret?: string,
): Promise<SessionForClient | undefined> {
  const joined = clientField(client_id)
  const expected = secret === undefined ? {} : { expected: { secret } }
  const fields = [...SIGNED_IN_FIELDS, joined]
  const found = await records.read(SIGNED_IN, id, { idle_ttl, fields, ...expected })
  return found?.ok ? { has_joined: Object.hasOwn(found.hash, joined), ...found.record } : undefined
}

/** As useSession, without what joined it: it costs the same however much did. @throws StorageUnavailable */
export async function useSessionAlone(
  { records }: RecordStore,
  id: string,
  idle_ttl: number,
): Promise<SessionRecord | undefined> {
  const fields = [...SIGNED_IN_FIELDS, ...CAME_FROM_FIELDS]
  return recordOf(await records.read(SESSION, id, { idle_ttl, fields }))
}

/** Returns the families of a session; undefined if it is missing or malformed. @throws StorageUnavailable */
export async function familiesOf(
  { records }: RecordStore,
  id: string,
): Promise<SessionRecord['families'] | undefined> {
  return recordOf(await records.read(SESSION, id))?.families
}

/** Clients and families to add to a session, and families that it forgets. */
export interface SessionChange {
  readonly clients: Iterable<ClientId>
  readonly families?: Iterable<readonly [FamilyId, JoinedFamily]>
  readonly forget?: readonly FamilyId[]
}

/**
 * Adds clients and families to a session, and removes families from it. `missing`: the session has ended.
 * @throws StorageUnavailable
 */
export function changeSession(
  { records }: RecordStore,
  id: string,
  { clients, families = [], forget = [] }: SessionChange,
): Promise<Changed> {
  return records.change(SESSION, id, {
    set: joinFields(clients, families),
    unset: forget.map(familyField),
  })
}

/**
 * Removes and returns a session, to one caller only; undefined if it is missing or malformed.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function takeSession(
  { records }: RecordStore,
  id: string,
  told?: AuditEntries,
): Promise<SessionRecord | undefined> {
  return recordOf(await records.remove(SESSION, id, told))
}

/** How many were ended or revoked; `grants` are families. */
export interface EndedCounts {
  sessions: number
  grants: number
  codes: number
  tokens: number
}

/**
 * Ends every session, family and code of a sign-in before a time, in seconds since 1970, and all tokens that clients have
 * for themselves. Scans all keys: for a Redis that was restored from a backup.
 * @throws StorageUnavailable at once; another error of a record after the remaining records are revoked
 */
export async function endAllBefore(
  storage: Pick<Storage, 'records' | 'families'>,
  time: number,
): Promise<EndedCounts> {
  let sessions = 0
  for await (const { id, hash } of storage.records.scan(SESSION)) {
    if (!isGrantedBefore(hash, time)) continue
    if ((await takeSession(storage, id)) !== undefined) sessions += 1
  }
  const { families, codes, tokens } = await storage.families.revokeGrantedBefore(time)
  return { sessions, grants: families, codes, tokens }
}
