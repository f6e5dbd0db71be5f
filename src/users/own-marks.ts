import type { AuditEntries } from '../core/audit-entries.ts'
import type { ClientId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Changed } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from './user-kind.ts'
import type { User } from './user-record.ts'

/** How many applications a user record remembers whose access ended; a server ends it for good within seconds. */
export const MAX_ENDED_ACCESS = 20

/** The marks of a user about sessions. */
export type SessionMarks = Pick<User, 'sessions_end_before' | 'session_kept'>

/**
 * Whether the sessions of a user were ended after one that started at a time, in milliseconds since 1970. The one in
 * which its person ended all others stays, until a later mark.
 */
export function isMarkedSession(
  started_at: number,
  { sessions_end_before, session_kept }: SessionMarks,
): boolean {
  // Not `<`: what does not say when it started is ended.
  if (sessions_end_before === undefined || started_at >= sessions_end_before) return false
  return session_kept?.join(' ') !== `${sessions_end_before} ${started_at}`
}

/**
 * Returns the marks that end all sessions of a user before a time but the one that started then, as fields of the
 * record.
 */
export function markOthers(before: number, started_at: number): { readonly [field: string]: string } {
  return { sessions_end_before: String(before), session_kept: `${before} ${started_at}` }
}

/** Returns before which time a user ended the access of an application, in milliseconds since 1970; undefined: never. */
export function accessEndedBefore(
  { access_ended }: Pick<User, 'access_ended'>,
  client_id: ClientId,
): number | undefined {
  // Nearly nobody has such a mark.
  if (access_ended === undefined) return undefined
  const entry = access_ended.findLast((one) => one.endsWith(nameOf(client_id)))
  return entry === undefined ? undefined : Number(entry.slice(0, -nameOf(client_id).length))
}

/**
 * Marks that a user ended the access of a client before a time, in milliseconds since 1970.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function markAccess(
  { records }: RecordStore,
  { username, client_id }: { readonly username: string; readonly client_id: ClientId },
  before: number,
  told?: AuditEntries,
): Promise<Changed> {
  for (;;) {
    const hash = (await records.read(USER, username))?.hash
    if (hash === undefined) return 'missing'
    const { access_ended } = hash
    const others = (access_ended ?? '')
      .split(' ')
      .filter((one) => one !== '' && !one.endsWith(nameOf(client_id)))
    const next = [...others, `${before}${nameOf(client_id)}`].slice(-MAX_ENDED_ACCESS).join(' ')
    // The first two at once: one mark is lost, and a server ends its grants all the same.
    const expected: Hash = access_ended === undefined ? {} : { access_ended }
    const changed = await records.change(USER, username, { set: { access_ended: next }, expected, told })
    if (changed === 'ok') return changed
  }
}

/** How an entry ends that is about an application. */
const nameOf = (client_id: ClientId) => `:${encodeURIComponent(client_id)}`
