import type { EventEmitter } from 'node:events'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Sid } from '../core/ids.ts'
import { endListedSession } from '../logout/end-listed-sessions.ts'
import type { EndingsContext } from '../logout/ending-parts.ts'
import { queueEnding } from '../logout/endings-queue.ts'
import { type EndTelling, endSessionById } from '../sessions/end-session.ts'
import { type ListedSession, readListedSessions } from '../sessions/listed-sessions.ts'
import type { SignedIn } from '../sessions/session-record.ts'
import { markOthers } from '../users/own-marks.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import { type PartOfList, readAll } from './part.ts'

/** How many of them a page shows. */
const SHOWN_SESSIONS = 50

/** What it takes to see and end one's own sessions. */
export interface OwnSessionsContext extends EndingsContext {
  readonly logouts: EventEmitter<{ queued: [] }>
  readonly endings: EventEmitter<{ queued: [] }>
  readonly report: ReportEvent
}

/**
 * Returns where a person is signed in: the session with this sid first, the others by their end.
 * @throws StorageUnavailable
 */
export async function ownSessions(
  { storage }: Pick<OwnSessionsContext, 'storage'>,
  user: User,
  own: Sid,
  after?: string,
): Promise<PartOfList<ListedSession>> {
  const holder = { username: user.username, user }
  const { sessions, next } = await readListedSessions(storage, holder, { after, limit: SHOWN_SESSIONS })
  const items = sessions.toSorted((a, b) => Number(b.session.sid === own) - Number(a.session.sid === own))
  return { items, next }
}

/** Returns all sessions of a person, by their end. @throws StorageUnavailable */
export function allOwnSessions(
  { storage }: Pick<OwnSessionsContext, 'storage'>,
  user: User,
): Promise<ListedSession[]> {
  const holder = { username: user.username, user }
  return readAll(async (after) => {
    const { sessions, next } = await readListedSessions(storage, holder, { after, limit: SHOWN_SESSIONS })
    return { items: sessions, next }
  })
}

/**
 * Ends one session of a person, with its tokens, and tells its clients, if it is among those that the page showed.
 * @param after where the part of the list began
 * @throws StorageUnavailable
 */
export async function endOwnSession(
  context: OwnSessionsContext,
  user: User,
  sid: Sid,
  after?: string,
): Promise<void> {
  const { username } = user
  const part = { after, limit: SHOWN_SESSIONS }
  const { sessions } = await readListedSessions(context.storage, { username, user }, part)
  const found = sessions.find(({ session }) => session.sid === sid)
  const telling: EndTelling = {
    report: context.report,
    event: () => ({ event: 'sessions_ended', username, sid, count: 1 }),
  }
  if (found !== undefined) await endListedSession(context, { username, id: found.id, sid }, telling)
  announce(context)
}

/** Ends the session of the browser that asks for it, and tells its clients. @throws StorageUnavailable */
export async function signOutHere(
  context: OwnSessionsContext,
  { id }: { readonly id: string },
): Promise<void> {
  const telling: EndTelling = {
    report: context.report,
    event: ({ username, sub, sid }) => ({ event: 'signed_out', username, sub, by: 'user', sid }),
  }
  await endSessionById(context, id, telling)
  announce(context)
}

/**
 * Ends all sessions of a person but one, however many there are: they are refused within a second. A server then tells their
 * clients.
 * @throws StorageUnavailable
 */
export async function endOtherSessions(
  context: OwnSessionsContext,
  { username, sub }: User,
  { sid, started_at }: Pick<SignedIn, 'sid' | 'started_at'>,
): Promise<void> {
  const { storage } = context
  // What began in this millisecond ends, too.
  const before = context.now() + 1
  const others = (await storage.lists.count({ list: 'sessions-of', owner: username })) - 1
  const events = others > 0 ? [{ event: 'sessions_ended', username, count: others } as const] : []
  const marked = await commit(context, events, { sub }, (told) =>
    storage.records.change(USER, username, { set: markOthers(before, started_at), told }),
  )
  if (marked === 'missing') return
  await queueEnding(storage, { what: 'other_sessions', username, sid, before })
  announce(context)
}

function announce({ logouts, endings }: OwnSessionsContext): void {
  logouts.emit('queued')
  endings.emit('queued')
}
