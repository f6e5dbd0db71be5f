import { type Static, Type } from '@sinclair/typebox'
import { readEndOfSessions, writeEndOfSessions } from '../../accounts/end-of-sessions.ts'
import { USER } from '../../accounts/user-kind.ts'
import { scopeNames } from '../../core/scope.ts'
import { endPart, queueEnding, sessionMatcher } from '../../logout/endings.ts'
import { endSessionById } from '../../sessions/end-session.ts'
import { hasEnded } from '../../sessions/session.ts'
import { SESSION, type SessionRecord } from '../../sessions/session-record.ts'
import { recordOf } from '../../storage/records.ts'
import { grantsOf } from '../../tokens/listed-grants.ts'
import type { AdminContext } from '../operation.ts'
import { AdminError, notFound } from '../problem.ts'
import { assertMayGive } from '../rights.ts'
import { noSuchUser, readUser, rightsOf } from '../users/noun.ts'
import { type AccessContext, endingsContext, type Holders, holdersOf } from './context.ts'
import { type AccessPage, COUNTED, type EndedCount, instantOf, pageOfParts, type Wanted } from './page.ts'

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

/** A live session of a user, with its id in storage. */
interface Found {
  readonly id: string
  readonly session: SessionRecord
}

/** Returns a page of the sessions of a user. @throws AdminError `not_found`, `invalid_cursor`; StorageUnavailable */
export async function listSessions(
  context: AccessContext,
  username: string,
  wanted: Wanted = {},
): Promise<AccessPage<SessionAnswer>> {
  await readUser(context.storage, username)
  const { items, ...more } = await pageOfSessions(context, username, wanted)
  return { items: items.map(({ session }) => describeSession(session)), ...more }
}

/**
 * Ends a session: its clients are told as after a logout, and its tokens end.
 * @throws AdminError `not_found`, `lacks_right`; StorageUnavailable
 */
export async function endOneSession(
  context: AdminContext,
  username: string,
  sid: string,
): Promise<EndedCount> {
  const { storage } = context
  await assertMayEnd(context, username)
  const found = await findSession(context, username, sid)
  if (found === undefined) throw notFound('session', sid)
  const ending = endingsContext(context)
  // Before anything ends: if this is interrupted, a server does the rest.
  await queueEnding(storage, { what: 'session', username, sid })
  await endSessionById(ending, found.id)
  await storage.lists.remove({ list: 'sessions-of', owner: username }, found.id)
  // Those that began last. A server does the rest.
  await endPart(ending, grantsOf({ username }), sessionMatcher(ending, sid))
  announce(context)
  context.report({ event: 'sessions_ended', username, sid, count: 1 })
  return { ended: 1 }
}

/**
 * Ends all sessions of a user, however many there are: they are refused within a second. A server then tells their clients.
 * @throws AdminError `not_found`, `lacks_right`; StorageUnavailable
 */
export async function endSessionsOf(context: AdminContext, username: string): Promise<EndedCount> {
  await assertMayEnd(context, username)
  const ended = await countSessions(context, username)
  const before = await markUser(context, username, 'sessions_end_before')
  await queueEnding(context.storage, { what: 'sessions', username, before })
  announce(context)
  context.report({ event: 'sessions_ended', username, count: ended })
  return { ended }
}

/**
 * Ends all sessions of all users, as endSessionsOf.
 * @throws AdminError `too_many_requests` if that was done just before; StorageUnavailable
 */
export async function endAllSessions(context: AdminContext): Promise<void> {
  const { storage, now, report } = context
  const last = await readEndOfSessions(storage)
  const before = now() + 1
  if (Number.isFinite(last) && before < last + ALL_AGAIN_AFTER)
    throw new AdminError('too_many_requests', 'All sessions were ended within the last minute.')
  await writeEndOfSessions(storage, before)
  await queueEnding(storage, { what: 'all_sessions', before })
  announce(context)
  report({ event: 'all_sessions_ended' })
}

/**
 * Sets the mark of a user before which all is refused, and returns it, in milliseconds since 1970.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function markUser(
  { storage, now }: Pick<AccessContext, 'storage' | 'now'>,
  username: string,
  field: 'sessions_end_before' | 'grants_end_before',
): Promise<number> {
  // What began in this millisecond ends, too.
  const before = now() + 1
  const set = { [field]: String(before) }
  if ((await storage.records.change(USER, username, { set })) === 'missing')
    throw await noSuchUser(storage, username)
  return before
}

/** Checks that a caller may end what a user has. @throws AdminError `not_found`, `lacks_right`; StorageUnavailable */
export async function assertMayEnd(
  { storage, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  username: string,
): Promise<void> {
  assertMayGive(caller, rightsOf(await readUser(storage, username)))
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
): Promise<Found | undefined> {
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
  wanted: Wanted,
): Promise<AccessPage<Found>> {
  const holders = holdersOf(context)
  return pageOfParts((part) => readSessions(context, holders, username, part), wanted)
}

/** Reads a part of the list of a user's sessions. Entries whose session is gone, or of another user, are removed. */
async function readSessions(
  { storage }: AccessContext,
  holders: Holders,
  username: string,
  part: { readonly after: string | undefined; readonly limit: number },
) {
  const key = { list: 'sessions-of', owner: username } as const
  const { entries, next } = await storage.lists.page(key, part)
  const user = await holders.user(username)
  const stale: string[] = []
  const read = entries.map(async ({ id }): Promise<Found | undefined> => {
    const session = recordOf(await storage.records.read(SESSION, id))
    if (session?.username !== username) {
      stale.push(id)
      return undefined
    }
    // What a mark refuses stays in the list until a server has ended it.
    const is_live = user === undefined || (session.sub === user.sub && !hasEnded(session, user))
    return is_live ? { id, session } : undefined
  })
  const items = (await Promise.all(read)).filter((found) => found !== undefined)
  await storage.lists.remove(key, ...stale)
  return { items, next }
}

function describeSession(session: SessionRecord): SessionAnswer {
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
