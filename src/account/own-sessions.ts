import type { EventEmitter } from 'node:events'
import type { User } from '../accounts/user-record.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Sid } from '../core/ids.ts'
import { type EndingsContext, endListedSession } from '../logout/endings.ts'
import { type ListedSession, readListedSessions } from '../sessions/listed-sessions.ts'

/** How many of them a page shows. */
const SHOWN_SESSIONS = 50
// So many are read and ended at a time.
const PART = 50

/** What it takes to see and end one's own sessions. */
export interface OwnSessionsContext extends EndingsContext {
  readonly logouts: EventEmitter<{ queued: [] }>
  readonly endings: EventEmitter<{ queued: [] }>
  readonly report: ReportEvent
}

/** Returns where a person is signed in: the session with this sid first, the others by their end. @throws StorageUnavailable */
export async function ownSessions(
  { storage }: Pick<OwnSessionsContext, 'storage'>,
  user: User,
  own: Sid,
): Promise<readonly ListedSession[]> {
  const holder = { username: user.username, user }
  const { sessions } = await readListedSessions(storage, holder, { limit: SHOWN_SESSIONS })
  return sessions.toSorted((a, b) => Number(b.session.sid === own) - Number(a.session.sid === own))
}

/**
 * Ends those sessions of a person that match, with their tokens, and tells their clients. Returns how many.
 * @throws StorageUnavailable: some may have ended
 */
export async function endOwnSessions(
  context: OwnSessionsContext,
  user: User,
  matches: (sid: Sid) => boolean,
): Promise<number> {
  const { username } = user
  let ended = 0
  let after: string | undefined
  do {
    const part = await readListedSessions(context.storage, { username, user }, { after, limit: PART })
    for (const { id, session } of part.sessions) {
      if (!matches(session.sid)) continue
      await endListedSession(context, { username, id, sid: session.sid })
      ended += 1
    }
    after = part.next
  } while (after !== undefined)
  context.logouts.emit('queued')
  context.endings.emit('queued')
  if (ended > 0) context.report({ event: 'sessions_ended', username, count: ended })
  return ended
}
