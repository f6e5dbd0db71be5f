import type { EventEmitter } from 'node:events'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { sidFor, subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { inBatches } from '../core/batches.ts'
import { commit } from '../core/commit.ts'
import { OAuthError } from '../core/errors.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { newId } from '../core/token-string.ts'
import type { Storage } from '../storage/storage.ts'
import { sessionIdOf } from './browser.ts'
import { endFamilies } from './end-families.ts'
import { type LogoutNotice, queueLogouts } from './logout-queue.ts'
import type { SessionRecord } from './session-record.ts'
import { takeSession, useSession } from './session-store.ts'

// Notices of so many clients are looked up and queued at a time.
const CLIENTS_AT_A_TIME = 50

/** What is needed to end a session. */
export interface EndingContext {
  readonly storage: Pick<Storage, 'records' | 'families' | 'queue'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly settings: Pick<Settings, 'session_idle_ttl' | 'code_ttl' | 'device_code_ttl' | 'pairwise_salt'>
  readonly log: Log
}

/** Who is told that a session ended, and what of. */
export interface EndTelling {
  readonly report: ReportEvent
  readonly event: (session: SessionRecord) => SecurityEvent
}

/** As EndingContext, in a running server: `logouts` reports queued notices, so that they are sent at once. */
export interface SignOutContext extends EndingContext {
  readonly logouts: EventEmitter<{ queued: [] }>
}

/**
 * Ends the session that a cookie finds, also one of before its last sign-in, and notifies its clients.
 * @param telling what to report of it, once; absent: nothing
 * @returns the ended session; undefined if it had already ended
 * or another request ended it at the same time.
 * @throws StorageUnavailable; the session may still exist, and a retry completes the logout
 */
export async function endSession(
  context: SignOutContext,
  session_cookie: string,
  telling?: EndTelling,
): Promise<SessionRecord | undefined> {
  const ended = await endSessionById(context, sessionIdOf(session_cookie), telling)
  if (ended !== undefined) context.logouts.emit('queued')
  return ended
}

/**
 * Ends a session: revokes its families, and queues a notice for each client with a back-channel logout URI.
 * @param id what its cookie finds it by: `sessionIdOf`
 * @param telling as endSession
 * @returns as endSession
 * @throws StorageUnavailable, as endSession
 */
export async function endSessionById(
  context: EndingContext,
  id: string,
  telling?: EndTelling,
): Promise<SessionRecord | undefined> {
  const { storage, settings } = context
  const session = await useSession(storage, id, settings.session_idle_ttl)
  if (session === undefined) return undefined
  // The session is removed last: if this is interrupted, a retry still finds its families and clients.
  await endJoined(context, session)
  const events = telling === undefined ? [] : [telling.event(session)]
  const ended = await commit(telling ?? {}, events, { sub: session.sub }, (told) =>
    takeSession(storage, id, told),
  )
  if (ended === undefined) return undefined
  await endJoined(context, joinedSince(session, ended))
  return ended
}

/** Ends the families of a session, and queues the notices for its clients. @throws StorageUnavailable */
async function endJoined(context: EndingContext, session: SessionRecord): Promise<void> {
  await endFamilies(context, session.families.keys())
  await inBatches(session.clients, CLIENTS_AT_A_TIME, async (clients) => {
    const notices = await Promise.all(clients.map((client_id) => noticeFor(context, client_id, session)))
    const wanted = notices.filter((notice) => notice !== undefined)
    if (wanted.length > 0) await queueLogouts(context.storage, wanted)
  })
}

/** The ended session, with only the clients and families that concurrent requests added since it was read. */
function joinedSince(read: SessionRecord, ended: SessionRecord): SessionRecord {
  return {
    ...ended,
    clients: new Set([...ended.clients].filter((client_id) => !read.clients.has(client_id))),
    families: new Map([...ended.families].filter(([family]) => !read.families.has(family))),
  }
}

async function noticeFor(
  { clients, settings, log }: EndingContext,
  client_id: ClientId,
  { sid, sub }: SessionRecord,
): Promise<LogoutNotice | undefined> {
  const client = await clients.find(client_id)
  if (client?.backchannel_logout_uri === undefined) return undefined
  try {
    const names = { sub: subjectFor(client, sub, settings), sid: sidFor(client, sid, settings) }
    return { id: newId(), client_id, ...names, attempts: 0 }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    // Without a salt there is no pairwise subject, so this client never received one for the user.
    log.warn({ client_id, err: error }, 'The client gets no logout notice: it has no subject for the user.')
    return undefined
  }
}
