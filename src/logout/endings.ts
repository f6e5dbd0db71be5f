import { setTimeout as delay } from 'node:timers/promises'
import { SETTLES_IN } from '../clients/record/removed-client.ts'
import { sidFor } from '../clients/subject.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import { OAuthError } from '../core/errors.ts'
import type { ReportEvent } from '../core/events.ts'
import { groupsOf } from '../core/groups.ts'
import type { ClientId, FamilyId, Sid } from '../core/ids.ts'
import { endFamilies } from '../sessions/end-families.ts'
import { type EndingContext, type EndTelling, endSessionById } from '../sessions/end-session.ts'
import { SESSION, type SessionRecord } from '../sessions/session-record.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { ListKey, Lists } from '../storage/lists.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { endActing } from '../tokens/acting-tokens.ts'
import { listedGrant } from '../tokens/grant-listings.ts'
import {
  grantsOf,
  REDEEMED_WITHIN,
  readListedGrants,
  type StoredGrant,
  unlistGrant,
} from '../tokens/listed-grants.ts'
import { beganBefore } from '../tokens/token-account.ts'

/**
 * What is to be ended after a mark refuses it: a session at a time, with the notices of its clients, and a family at a
 * time. `before` is the mark, in milliseconds since 1970. `session`: the families of one session that has ended.
 * `removed_client`: the grants of a client whose record is gone. `other_sessions`: those of a user but the one with this
 * sid.
 * `acting`: what a client does for others in the sign-ins of a user.
 * `access`: what a client has of a user, and what it does for others. `upstream_sessions`: those that began with a session
 * at a provider, by a person there, or both.
 * `asserted`: what a trusted issuer vouched for of a user.
 */
export type Ending =
  | { readonly what: 'sessions' | 'grants'; readonly username: string; readonly before: number }
  | { readonly what: 'client' | 'removed_client'; readonly client_id: ClientId; readonly before: number }
  | { readonly what: 'session'; readonly username: string; readonly sid: Sid }
  | { readonly what: 'other_sessions'; readonly username: string; readonly sid: Sid; readonly before: number }
  | {
      readonly what: 'access' | 'acting'
      readonly username: string
      readonly client_id: ClientId
      readonly before: number
    }
  | {
      readonly what: 'upstream_sessions'
      readonly upstream_session?: string | undefined
      readonly upstream_user?: string | undefined
      readonly before: number
    }
  | {
      readonly what: 'asserted'
      readonly username: string
      readonly issuer: string
      readonly before: number
    }
  | { readonly what: 'all_sessions'; readonly before: number }

/** What it takes to end things. */
export interface EndingsContext extends EndingContext {
  readonly storage: EndingContext['storage'] & Pick<Storage, 'lists' | 'sign_ins'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const QUEUE = 'endings'
// So many records are read and ended at a time.
const PART = 100
/** So many sessions end before the provider that says so gets its answer. */
const AT_ONCE = 10
/** How long, in seconds, nobody else does a piece of work that its worker does not go on with. */
const LEASE = 60
// In milliseconds.
const RENEW_AFTER = 20_000

/**
 * Adds work that a server does in the background, also if this process ends.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function queueEnding(
  { queue }: Pick<Storage, 'queue'>,
  ending: Ending,
  told?: AuditEntries,
): Promise<void> {
  await queue.add(QUEUE, [JSON.stringify(ending)], told)
}

/** Returns how many pieces of work wait or are being done. @throws StorageUnavailable */
export function countEndings({ queue }: Pick<Storage, 'queue'>): Promise<number> {
  return queue.size(QUEUE)
}

/**
 * Does work that waits, one piece after the other, until there is none. A piece stays in the queue until it is done: if this
 * process ends, another one begins it again.
 * @param goesOn whether to go on; asked after each part
 * @throws StorageUnavailable
 */
export async function workOffEndings(context: EndingsContext, goesOn = () => true): Promise<void> {
  const { storage, log } = context
  for (;;) {
    const [item] = await storage.queue.claim(QUEUE, 1, LEASE)
    if (item === undefined) return
    const ending = parse(item)
    if (ending === undefined) log.warn({}, 'A malformed piece of work was removed from the queue of endings.')
    const renewal = setInterval(() => {
      // If it fails, another server does the same once more, which changes nothing.
      storage.queue.retryLater(QUEUE, { item, replacement: item, delay: LEASE }).catch(() => {})
    }, RENEW_AFTER).unref()
    try {
      for await (const _ of ending === undefined ? [] : partsOf(context, ending)) if (!goesOn()) return
    } finally {
      clearInterval(renewal)
    }
    await storage.queue.finish(QUEUE, item)
  }
}

/** Ends what a piece of work is about; yields after each part. */
async function* partsOf(context: EndingsContext, ending: Ending): AsyncGenerator<void> {
  switch (ending.what) {
    case 'sessions':
      yield* endSessionsBefore(context, ending.username, ending.before)
      return
    case 'grants':
      yield* endBegunBefore(context, grantsOf({ username: ending.username }), ending.before)
      return
    case 'client':
      yield* endBegunBefore(context, grantsOf({ client_id: ending.client_id }), ending.before)
      return
    case 'session': {
      const { username, sid } = ending
      const isOfSession = sessionMatcher(context, sid)
      yield* endListed(context, grantsOf({ username }), isOfSession)
      return
    }
    case 'other_sessions':
      yield* endOthers(context, ending)
      return
    case 'upstream_sessions':
      yield* endUpstream(context, ending)
      return
    case 'asserted':
      yield* endAsserted(context, ending)
      return
    case 'access':
      yield* endAccess(context, ending)
      return
    case 'acting':
      yield* endActingFor(context, ending)
      return
    case 'removed_client':
      yield* endRemovedClient(context, ending)
      return
    default:
      yield* endAllSessions(context, ending.before)
  }
}

async function* endOthers(
  context: EndingsContext,
  { username, sid, before }: Extract<Ending, { what: 'other_sessions' }>,
): AsyncGenerator<void> {
  const isMeant: IsMeant = (session) =>
    session.username === username && session.sid !== sid && session.started_at < before
  let after: string | undefined
  do {
    const part = { after, limit: PART }
    after = await endSessionsIn(context, { list: 'sessions-of', owner: username }, part, isMeant)
    yield
  } while (after !== undefined)
}

type UpstreamEnding = Extract<Ending, { what: 'upstream_sessions' }>

/** A session and a person at a provider, one of them or both. */
export type NamedUpstream = Omit<UpstreamEnding, 'what'>

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

async function* endUpstream(context: EndingsContext, ending: UpstreamEnding): AsyncGenerator<void> {
  let after: string | undefined
  do {
    after = await endUpstreamPart(context, ending, { after, limit: PART })
    yield
  } while (after !== undefined)
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

async function* endAsserted(
  context: EndingsContext,
  { username, issuer, before }: Extract<Ending, { what: 'asserted' }>,
): AsyncGenerator<void> {
  yield* endListed(
    context,
    grantsOf({ username }),
    ({ record, started_at }) => record.assertion_issuer === issuer && started_at < before,
  )
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

async function* endAccess(
  context: EndingsContext,
  { username, client_id, before }: Extract<Ending, { what: 'access' | 'acting' }>,
): AsyncGenerator<void> {
  const key = grantsOf({ username })
  const may_act = (await context.clients.find(client_id))?.exchange_mode !== undefined
  let after: string | undefined
  do {
    const of_user = await awaitedFamilies(context, key, before, after, grantsOf({ client_id }))
    await endFamilies(context, of_user)
    const { grants, next } = await readListedGrants(context, key, { after, limit: PART })
    const begun = grants.filter(({ started_at }) => started_at < before)
    const isOwn = ({ record }: StoredGrant) => record.client_id === client_id
    await endGrants(context, begun.filter(isOwn))
    // Also where it did not act yet: a user record remembers few ends, and a grant record its own.
    if (may_act)
      await endActing(
        context,
        begun.filter((grant) => !isOwn(grant)),
        client_id,
      )
    after = next
    yield
  } while (after !== undefined)
}

async function* endActingFor(
  context: EndingsContext,
  { username, client_id, before }: Extract<Ending, { what: 'access' | 'acting' }>,
): AsyncGenerator<void> {
  let after: string | undefined
  do {
    const part = { after, limit: PART }
    const { grants, next } = await readListedGrants(context, grantsOf({ username }), part)
    const begun = grants.filter(({ started_at }) => started_at < before)
    await endActing(context, begun, client_id)
    after = next
    yield
  } while (after !== undefined)
}

/**
 * Returns the families of a part of a list that began before a time, and whose code was not redeemed yet. They have no
 * record that says whose they are: the lists do.
 * @param also another list that they must be in
 */
async function awaitedFamilies(
  { storage, now }: EndingsContext,
  key: ListKey,
  before: number,
  after: string | undefined,
  also?: ListKey,
): Promise<FamilyId[]> {
  const { entries } = await storage.lists.page(key, { after, limit: PART })
  const recent = entries.filter(({ id }) => {
    const started_at = listedGrant(id)?.started_at ?? 0
    return started_at < before && now() - started_at < REDEEMED_WITHIN
  })
  const ids = recent.map(({ id }) => id)
  const meant = also === undefined ? ids : await storage.lists.among(also, ids)
  const awaited = await Promise.all(
    meant.map(async (id) => {
      const named = listedGrant(id)
      const is_awaited = named && (await storage.families.findFamily(named.family)) === undefined
      return is_awaited ? [named.family] : []
    }),
  )
  return awaited.flat()
}

async function* endRemovedClient(
  context: EndingsContext,
  { client_id, before }: { readonly client_id: ClientId; readonly before: number },
): AsyncGenerator<void> {
  // What a server grants that has not heard of it yet began before the mark, and ends, too.
  await delay(Math.min(Math.max(before - context.now(), 0), SETTLES_IN))
  yield* endBegunBefore(context, grantsOf({ client_id }), before)
}

/**
 * Ends the families of a list that began before a time, also those whose code was not redeemed yet. Yields after each
 * part.
 */
async function* endBegunBefore(context: EndingsContext, key: ListKey, before: number): AsyncGenerator<void> {
  const matches: Matches = ({ started_at }) => started_at < before
  let after: string | undefined
  do {
    await endFamilies(context, await awaitedFamilies(context, key, before, after))
    after = await endPart(context, key, matches, after)
    yield
  } while (after !== undefined)
}

const isOfSessionBefore = (
  { sid, session_started_at }: { readonly sid?: string; readonly session_started_at?: string },
  before: number,
) => sid !== undefined && beganBefore(session_started_at, before)

type Matches = (grant: StoredGrant) => boolean | Promise<boolean>

/** Returns whether a family is of a session. Each client may know the session by a sid of its own. */
function sessionMatcher({ clients, settings }: EndingsContext, sid: Sid): Matches {
  const known = new Map<ClientId, Sid | undefined>()
  return async ({ record }) => {
    const { client_id = '' } = record
    if (record.sid === undefined) return false
    if (!known.has(client_id)) {
      const client = await clients.find(client_id)
      known.set(client_id, client && knownSid(() => sidFor(client, sid, settings)))
    }
    return record.sid === sid || record.sid === known.get(client_id)
  }
}

// Without a salt a pairwise client has no sid.
function knownSid(sid: () => Sid): Sid | undefined {
  try {
    return sid()
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

/** Ends the families of a list that match. Yields after each part. */
async function* endListed(context: EndingsContext, key: ListKey, matches: Matches): AsyncGenerator<void> {
  let after: string | undefined
  do {
    after = await endPart(context, key, matches, after)
    yield
  } while (after !== undefined)
}

/** Ends those families of a part of a list that match. Returns where the next part begins. */
async function endPart(
  context: EndingsContext,
  key: ListKey,
  matches: Matches,
  after?: string,
): Promise<string | undefined> {
  const { found, next } = await findPart(context, key, matches, after)
  await endGrants(context, found)
  return next
}

async function findPart(
  context: EndingsContext,
  key: ListKey,
  matches: Matches,
  after?: string,
): Promise<{ found: readonly StoredGrant[]; next: string | undefined }> {
  const { grants, next } = await readListedGrants(context, key, { after, limit: PART })
  const found: StoredGrant[] = []
  for (const grant of grants) if (await matches(grant)) found.push(grant)
  return { found, next }
}

async function endGrants(context: EndingsContext, grants: readonly StoredGrant[]): Promise<void> {
  await endFamilies(
    context,
    grants.map(({ family }) => family),
  )
  await Promise.all(grants.map((grant) => unlistGrant(context, grant)))
}

async function* endListedSessions(
  context: EndingsContext,
  username: string,
  before: number,
): AsyncGenerator<void> {
  const { lists, records } = context.storage
  const key = { list: 'sessions-of', owner: username } as const
  let after: string | undefined
  do {
    const { entries, next } = await lists.page(key, { after, limit: PART })
    for (const { id } of entries) {
      const session = recordOf(await records.read(SESSION, id))
      if (session?.username === username && session.started_at >= before) continue
      if (session?.username === username) await endReported(context, id)
      await lists.remove(key, id)
    }
    after = next
    yield
  } while (after !== undefined)
}

// Whoever has a session signed in. One that was written by hand, and is in no list yet, is refused by the mark.
async function* endAllSessions(context: EndingsContext, before: number): AsyncGenerator<void> {
  const { lists, sign_ins } = context.storage
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

async function* endSessionsBefore(
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

/** Returns undefined for any text that queueEnding did not write. */
function parse(item: string): Ending | undefined {
  try {
    const ending = JSON.parse(item) as Partial<Record<string, unknown>>
    const { what, username, client_id, sid, upstream_session, upstream_user, issuer, before } = ending ?? {}
    const isText = (value: unknown) => typeof value === 'string'
    const isTextOrAbsent = (value: unknown) => value === undefined || isText(value)
    const isTime = Number.isSafeInteger(before)
    const is_whole =
      (['sessions', 'grants'].includes(String(what)) && isText(username) && isTime) ||
      (['client', 'removed_client'].includes(String(what)) && isText(client_id) && isTime) ||
      (what === 'session' && isText(username) && isText(sid)) ||
      (what === 'other_sessions' && isText(username) && isText(sid) && isTime) ||
      (['access', 'acting'].includes(String(what)) && isText(username) && isText(client_id) && isTime) ||
      (what === 'upstream_sessions' &&
        [upstream_session, upstream_user].every(isTextOrAbsent) &&
        (upstream_session ?? upstream_user) !== undefined &&
        isTime) ||
      (what === 'asserted' && isText(username) && isText(issuer) && isTime) ||
      (what === 'all_sessions' && isTime)
    return is_whole ? (ending as unknown as Ending) : undefined
  } catch {
    return undefined
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
