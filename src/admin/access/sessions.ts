import { type Static, Type } from '@sinclair/typebox'
import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import { scopeNames } from '../../core/scope.ts'
import { subForTrail } from '../../factors/change-factors.ts'
import { endByMark } from '../../logout/end-by-mark.ts'
import { endListedSession } from '../../logout/end-listed-sessions.ts'
import { queueEnding } from '../../logout/endings-queue.ts'
import { type ListedSession, readListedSessions } from '../../sessions/listed-sessions.ts'
import type { SessionRecord } from '../../sessions/session-record.ts'
import { readEndOfSessions, writeEndOfSessions } from '../../users/end-of-sessions.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, notFound } from '../operation/problem.ts'
import { noSuchUser, readUser } from '../users/record-type.ts'
import { type AccessContext, endingsContext, holdersOf } from './context.ts'
import {
  type AccessPage,
  COUNTED,
  type EndedCount,
  instantOf,
  type PageRequested,
  pageOfParts,
} from './page.ts'

/** A session as operators see it. Nothing in it can be used: not even its key in storage is. */
export const SessionAnswer = Type.Object(
  {
    sid: Type.String({ description: 'The identifier that clients receive' }),
    started_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.Optional(Type.String({ format: 'date-time', description: 'To the minute' })),
    browser: Type.Optional(Type.String({ description: 'Browser and system, such as Firefox on Linux' })),
    address: Type.Optional(Type.String({ description: 'Where it started' })),
    amr: Type.Array(Type.String({ description: 'How the user signed in (RFC 8176)' })),
    clients: Type.Array(Type.String({ description: 'The client_id of a client that it was used for' })),
  },
  { additionalProperties: false },
)
export type SessionAnswer = Static<typeof SessionAnswer>

// In milliseconds. Ending all sessions again within it would only be a mistake, or a fault of a program.
const ALL_AGAIN_AFTER = 60_000
// So many sessions are read at a time to find one.
const PART = 200

/** Returns a page of the sessions of a user. @throws AdminError `not_found`, `invalid_cursor`; StorageUnavailable */
export async function listSessions(
  context: AccessContext,
  username: string,
  wanted: PageRequested = {},
): Promise<AccessPage<SessionAnswer>> {
  await readUser(context.storage, username)
  const { items, ...more } = await pageOfSessions(context, username, wanted)
  return { items: items.map(({ session }) => describeSession(session)), ...more }
}

/**
 * Ends a session: its clients are told as after a logout, and its tokens end.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endOneSession(
  context: AdminContext,
  username: string,
  sid: string,
): Promise<EndedCount> {
  await readUser(context.storage, username)
  const found = await findSession(context, username, sid)
  if (found === undefined) throw notFound('session', sid)
  await endListedSession(
    endingsContext(context),
    { username, id: found.id, sid },
    { report: context.report, event: () => ({ event: 'sessions_ended', username, sid, count: 1 }) },
  )
  announce(context)
  return { ended: 1 }
}

/**
 * Ends all sessions of a user, however many there are: they are refused within a second. A server then tells their clients.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endSessionsOf(context: AdminContext, username: string): Promise<EndedCount> {
  await readUser(context.storage, username)
  return endAllOf(context, username, 'sessions', await countSessions(context, username))
}

/**
 * Ends all sessions or grants of a user.
 * @param count how many there are
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endAllOf(
  context: AdminContext,
  username: string,
  what: 'sessions' | 'grants',
  count: number,
): Promise<EndedCount> {
  const sub = await subForTrail(context, username)
  if ((await endByMark(context, what, { username, sub, count })) === 'missing')
    throw await noSuchUser(context.storage, username)
  return { ended: count }
}

/**
 * Ends all sessions of all users, as endSessionsOf.
 * @throws AdminError `too_many_requests` if that was done just before; StorageUnavailable
 */
export async function endAllSessions(context: AdminContext): Promise<void> {
  const { storage, now } = context
  const last = await readEndOfSessions(storage)
  const before = now() + 1
  if (Number.isFinite(last) && before < last + ALL_AGAIN_AFTER)
    throw new AdminError('too_many_requests', 'All sessions were ended within the last minute.')
  const event: SecurityEvent = { event: 'all_sessions_ended' }
  await commit(context, [event], {}, (told) => writeEndOfSessions(storage, before, told))
  await queueEnding(storage, { what: 'all_sessions', before })
  announce(context)
}

/** Tells the workers of this process that there is something to do; others look for it within seconds. */
export function announce({ logouts, endings }: Partial<Pick<AdminContext, 'logouts' | 'endings'>>): void {
  logouts?.emit('queued')
  endings?.emit('queued')
}

async function countSessions(context: AccessContext, username: string): Promise<number> {
  const { items, next } = await pageOfSessions(context, username, { limit: COUNTED })
  return next === undefined
    ? items.length
    : context.storage.lists.count({ list: 'sessions-of', owner: username })
}

async function findSession(
  context: AccessContext,
  username: string,
  sid: string,
): Promise<ListedSession | undefined> {
  let cursor: string | undefined
  do {
    const { items, next } = await pageOfSessions(context, username, { cursor, limit: PART })
    const found = items.find(({ session }) => session.sid === sid)
    if (found !== undefined) return found
    cursor = next
  } while (cursor !== undefined)
  return undefined
}

function pageOfSessions(
  context: AccessContext,
  username: string,
  wanted: PageRequested,
): Promise<AccessPage<ListedSession>> {
  const holders = holdersOf(context)
  return pageOfParts(async (part) => {
    const { sessions, next } = await readListedSessions(
      context.storage,
      { username, user: await holders.user(username) },
      part,
    )
    return { items: sessions, next }
  }, wanted)
}

/** Returns a session as operators see it. */
export function describeSession(session: SessionRecord): SessionAnswer {
  const { sid, started_at, last_used_at, browser, address, amr, clients } = session
  return {
    sid,
    started_at: instantOf(started_at),
    ...(last_used_at !== undefined && { last_used_at: instantOf(last_used_at) }),
    ...(browser && { browser }),
    ...(address && { address }),
    amr: scopeNames(amr),
    clients: [...clients],
  }
}
