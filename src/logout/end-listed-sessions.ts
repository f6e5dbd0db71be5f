import { groupsOf } from '../core/groups.ts'
import type { Sid } from '../core/ids.ts'
import { type EndTelling, endSessionById } from '../sessions/end-session.ts'
import { SESSION, type SessionRecord } from '../sessions/session-record.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { ListKey, Lists } from '../storage/lists.ts'
import { recordOf } from '../storage/records.ts'
import { grantsOf } from '../tokens/listed-grants.ts'
import { beganBefore } from '../tokens/token-account.ts'
import { endListed, endPart, sessionMatcher } from './end-grants.ts'
import { type EndingsContext, eachPart, PART } from './ending-parts.ts'
import { type Ending, queueEnding } from './endings-queue.ts'

/** So many sessions end before the provider that says so gets its answer. */
const AT_ONCE = 10

/** Ends the sessions of a user but the one with this sid. Yields after each part. @throws StorageUnavailable */
export async function* endOthers(
  context: EndingsContext,
  { username, sid, before }: Extract<Ending, { what: 'other_sessions' }>,
): AsyncGenerator<void> {
  const isMeant: IsMeant = (session) =>
    session.username === username && session.sid !== sid && session.started_at < before
  const key = { list: 'sessions-of', owner: username } as const
  yield* eachPart((after) => endSessionsIn(context, key, { after, limit: PART }, isMeant))
}

type UpstreamEnding = Extract<Ending, { what: 'upstream_sessions' }>

/** A session and a person at a provider, one of them or both. */
type NamedUpstream = Omit<UpstreamEnding, 'what'>

/**
 * Ends the sessions that began with a session at a provider, or by a person there: a few at once, the newest first, and a
 * server does the rest, once workers are told.
 * @throws StorageUnavailable
 */
export async function endUpstreamSessions(context: EndingsContext, named: NamedUpstream): Promise<void> {
  const ending = { what: 'upstream_sessions', ...named } as const
  // Before anything ends: if this is interrupted, a server does the rest.
  await queueEnding(context.storage, ending)
  await endUpstreamPart(context, ending, { limit: AT_ONCE })
}

/** Ends what `endUpstreamSessions` left. Yields after each part. @throws StorageUnavailable */
export async function* endUpstream(context: EndingsContext, ending: UpstreamEnding): AsyncGenerator<void> {
  yield* eachPart((after) => endUpstreamPart(context, ending, { after, limit: PART }))
}

function endUpstreamPart(
  context: EndingsContext,
  { upstream_session, upstream_user, before }: UpstreamEnding,
  part: ListPart,
): Promise<string | undefined> {
  const owner = upstream_user ?? upstream_session
  if (owner === undefined) return Promise.resolve(undefined)
  const isMeant: IsMeant = (session) =>
    (upstream_session === undefined || session.upstream_session === upstream_session) &&
    (upstream_user === undefined || session.upstream_user === upstream_user) &&
    // It keeps its start when its person comes from there again.
    (session.upstream_at ?? session.started_at) < before
  const telling: EndTelling = {
    report: context.report,
    event: ({ username, sid }) => ({ event: 'sessions_ended', username, sid, count: 1 }),
  }
  return endSessionsIn(context, { list: 'upstream-sessions', owner }, part, isMeant, telling)
}

type IsMeant = (session: SessionRecord) => boolean
type ListPart = Parameters<Lists['page']>[1]

/**
 * Ends those sessions of a part of a list that are meant, and removes entries without one. Returns where the next part
 * begins.
 */
async function endSessionsIn(
  context: EndingsContext,
  key: ListKey,
  part: ListPart,
  isMeant: IsMeant,
  telling?: EndTelling,
): Promise<string | undefined> {
  const { lists, records } = context.storage
  const { entries, next } = await lists.page(key, part)
  const gone: string[] = []
  for (const { id } of entries) {
    const session = recordOf(await records.read(SESSION, id))
    if (session !== undefined && !isMeant(session)) continue
    if (session !== undefined)
      await endListedSession(context, { username: session.username, id, sid: session.sid }, telling)
    gone.push(id)
  }
  await lists.remove(key, ...gone)
  return next
}

const isOfSessionBefore = (
  { sid, session_started_at }: { readonly sid?: string; readonly session_started_at?: string },
  before: number,
) => sid !== undefined && beganBefore(session_started_at, before)

async function* endListedSessions(
  context: EndingsContext,
  username: string,
  before: number,
): AsyncGenerator<void> {
  const { lists, records } = context.storage
  const key = { list: 'sessions-of', owner: username } as const
  yield* eachPart(async (after) => {
    const { entries, next } = await lists.page(key, { after, limit: PART })
    for (const { id } of entries) {
      const session = recordOf(await records.read(SESSION, id))
      if (session?.username === username && session.started_at >= before) continue
      if (session?.username === username) await endReported(context, id)
      await lists.remove(key, id)
    }
    return next
  })
}

/** Ends all sessions that began before a time, with their grants. Yields after each part. @throws StorageUnavailable */
export async function* endAllSessions(context: EndingsContext, before: number): AsyncGenerator<void> {
  const { lists, sign_ins } = context.storage
  // Whoever has a session signed in. One that was written by hand, and is in no list yet, is refused by the mark.
  for await (const some of groupsOf(sign_ins.inactiveSince(Number.POSITIVE_INFINITY), PART)) {
    const found = await Promise.all(
      some.map(async ({ username, signed_in_at }) => {
        if (signed_in_at === undefined) return []
        const own = [{ list: 'sessions-of', owner: username } as const, grantsOf({ username })]
        const counts = await Promise.all(own.map((key) => lists.count(key)))
        return counts.some((count) => count > 0) ? [username] : []
      }),
    )
    for (const username of found.flat()) yield* endSessionsBefore(context, username, before)
    yield
  }
}

/** Ends a user's sessions that began before a time, with their grants. Yields after each part. @throws StorageUnavailable */
export async function* endSessionsBefore(
  context: EndingsContext,
  username: string,
  before: number,
): AsyncGenerator<void> {
  yield* endListedSessions(context, username, before)
  yield* endListed(context, grantsOf({ username }), ({ record }) => isOfSessionBefore(record, before))
}

/** Ends a session; an error of its records does not stop the rest. @throws StorageUnavailable */
async function endReported(context: EndingsContext, id: string): Promise<void> {
  try {
    await endSessionById(context, id)
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    context.log.warn({ err: error }, 'A session could not be ended; it is refused all the same.')
  }
}

/**
 * Ends one session of a user's list, with its tokens: its clients are told as after a logout, once workers are told.
 * @param id its id in storage
 * @param telling as endSession
 * @throws StorageUnavailable
 */
export async function endListedSession(
  context: EndingsContext,
  { username, id, sid }: { readonly username: string; readonly id: string; readonly sid: Sid },
  telling?: EndTelling,
): Promise<void> {
  // Before anything ends: if this is interrupted, a server does the rest.
  await queueEnding(context.storage, { what: 'session', username, sid })
  await endSessionById(context, id, telling)
  await context.storage.lists.remove({ list: 'sessions-of', owner: username }, id)
  // Those that began last. A server does the rest.
  await endPart(context, grantsOf({ username }), sessionMatcher(context, sid))
}
