import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import type { Storage } from '../storage/storage.ts'
import { cookieDigest } from './browser.ts'
import { type LogoutNotice, queueLogouts } from './logout-queue.ts'
import type { SessionRecord } from './session-record.ts'
import { takeSession, useSession } from './session-store.ts'

type Joined = Pick<SessionRecord, 'sid' | 'sub' | 'clients' | 'grants'>

// In seconds: a code may be written this long after its family joined the session.
const CODE_MARGIN = 60

/** What is needed to end a session. */
export interface EndingContext {
  readonly storage: Pick<Storage, 'records' | 'families' | 'queue'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly settings: Pick<Settings, 'session_idle_ttl' | 'code_ttl' | 'pairwise_salt'>
  readonly log: Log
}

/** As EndingContext, in a running server: `logouts` reports queued notices, so that they are sent at once. */
export interface SignOutContext extends EndingContext {
  readonly logouts: EventEmitter<{ queued: [] }>
}

/**
 * Ends the session of a browser and notifies its clients. Returns the ended session; undefined if it had already ended
 * or another request ended it at the same time.
 * @throws StorageUnavailable; the session may still exist, and a retry completes the logout
 */
export async function endSession(
  context: SignOutContext,
  session_cookie: string,
): Promise<SessionRecord | undefined> {
  const ended = await endSessionById(context, cookieDigest(session_cookie))
  if (ended !== undefined) context.logouts.emit('queued')
  return ended
}

/**
 * Ends a session: revokes its families, and queues a notice for each client with a back-channel logout URI.
 * @param id the digest of the browser's cookie
 * @returns as endSession
 * @throws StorageUnavailable, as endSession
 */
export async function endSessionById(context: EndingContext, id: string): Promise<SessionRecord | undefined> {
  const { storage, settings } = context
  const session = await useSession(storage, id, settings.session_idle_ttl)
  if (session === undefined) return undefined
  // The session is removed last: if this is interrupted, a retry still finds its families and clients.
  await endJoined(context, session)
  const ended = await takeSession(storage, id)
  if (ended !== undefined) await endJoined(context, joinedSince(session, ended))
  return ended
}

async function endJoined(context: EndingContext, joined: Joined): Promise<void> {
  const { storage, settings } = context
  const ttl = settings.code_ttl + CODE_MARGIN
  await Promise.all([...joined.grants.keys()].map((family) => storage.families.endFamily(family, ttl)))
  const notices = await Promise.all([...joined.clients.keys()].map((id) => noticeFor(context, id, joined)))
  const wanted = notices.filter((notice) => notice !== undefined)
  if (wanted.length > 0) await queueLogouts(storage, wanted)
}

/** The clients and families that a concurrent request added to the session. */
function joinedSince(session: SessionRecord, ended: SessionRecord): Joined {
  return {
    ...ended,
    clients: new Map([...ended.clients].filter(([client_id]) => !session.clients.has(client_id))),
    grants: new Map([...ended.grants].filter(([family]) => !session.grants.has(family))),
  }
}

async function noticeFor(
  { clients, settings, log }: EndingContext,
  client_id: ClientId,
  { sid, sub }: Joined,
): Promise<LogoutNotice | undefined> {
  const client = await clients.find(client_id)
  if (client?.backchannel_logout_uri === undefined) return undefined
  try {
    return { id: randomUUID(), client_id, sub: subjectFor(client, sub, settings), sid, attempts: 0 }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    // Without a salt there is no pairwise subject, so this client never received one for the user.
    log.warn({ client_id, err: error }, 'The client gets no logout notice: it has no subject for the user.')
    return undefined
  }
}
