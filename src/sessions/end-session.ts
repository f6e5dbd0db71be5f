import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Clients } from '../clients/client-registry.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/config.ts'
import { OAuthError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { LogoutNotice, LogoutQueue, SessionStore, TokenStore } from '../storage/storage.ts'
import { cookieDigest } from './browser.ts'
import type { SessionRecord } from './session-record.ts'

type Joined = Pick<SessionRecord, 'sid' | 'sub' | 'clients' | 'grants'>

// Seconds that a code may be written after its grant joined the session.
const CODE_MARGIN = 60

/** What it takes to end a session. */
export interface EndingContext {
  settings: Pick<Settings, 'session_idle_ttl' | 'code_ttl' | 'pairwise_salt'>
  log: Log
  storage: SessionStore & Pick<TokenStore, 'endGrant'> & Pick<LogoutQueue, 'queueLogouts'>
  clients: Pick<Clients, 'find'>
}

/** What it takes to end a session for a browser. */
export interface SignOutContext extends EndingContext {
  /** Says that notices of a logout were queued here. */
  logouts: EventEmitter<{ queued: [] }>
}

/**
 * Ends the session of a browser, and has its clients told at once. Returns what the session was; undefined where it was
 * over, or somebody else ended it at this moment.
 * @throws StorageUnavailable: the session may still be there, and whoever tries again ends all that is left of it.
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
 * Ends a session: its grants end where their clients want that, and each client that wants to hear of it gets a notice
 * into the queue.
 * @param id what storage has it by
 */
export async function endSessionById(context: EndingContext, id: string): Promise<SessionRecord | undefined> {
  const { storage, settings } = context
  const session = await storage.useSession(id, settings.session_idle_ttl)
  if (session === undefined) return undefined
  // The session goes last: where this is cut off it is still there, and names all that has to be done again.
  await endWhatJoined(context, session)
  const ended = await storage.endSession(id)
  if (ended !== undefined) await endWhatJoined(context, joinedSince(session, ended))
  return ended
}

async function endWhatJoined(context: EndingContext, joined: Joined): Promise<void> {
  const { storage, settings } = context
  const ttl = settings.code_ttl + CODE_MARGIN
  await Promise.all([...joined.grants.keys()].map((grant) => storage.endGrant(grant, ttl)))
  const notices = await Promise.all([...joined.clients.keys()].map((id) => noticeFor(context, id, joined)))
  const wanted = notices.filter((notice) => notice !== undefined)
  if (wanted.length > 0) await storage.queueLogouts(wanted)
}

/** What a request at the same moment added to the session. */
function joinedSince(session: SessionRecord, ended: SessionRecord): Joined {
  return {
    ...ended,
    clients: new Map([...ended.clients].filter(([client_id]) => !session.clients.has(client_id))),
    grants: new Map([...ended.grants].filter(([grant]) => !session.grants.has(grant))),
  }
}

async function noticeFor(
  { clients, settings, log }: EndingContext,
  client_id: string,
  { sid, sub }: Joined,
): Promise<LogoutNotice | undefined> {
  const client = await clients.find(client_id)
  if (client?.backchannel_logout_uri === undefined) return undefined
  try {
    return { id: randomUUID(), client_id, sub: subjectFor(client, sub, settings), sid, attempts: 0 }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    // No salt, no subject: such a client was never told of this user.
    log.warn({ client_id, err: error }, 'The client is not told of a logout: it has no subject for the user.')
    return undefined
  }
}
