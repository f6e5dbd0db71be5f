import type { EventEmitter } from 'node:events'
import type { Settings } from '../config/settings.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId, Sid, Sub } from '../core/ids.ts'
import { newSid } from '../core/token-string.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import { isMarkedSession, type SessionMarks } from '../users/own-marks.ts'
import { type Browser, cookieDigest, newCookieValue } from './browser.ts'
import { endJoined, endSession, joinedSince, type SignOutContext } from './end-session.ts'
import {
  changeSessionOrSuccessor,
  moveSession,
  useSessionOrSuccessor,
  type WholeSession,
} from './moved-session.ts'
import type { SeenBrowser, SessionRecord } from './session-record.ts'
import { createSession, type SessionForClient, useSessionFor } from './session-store.ts'

// In milliseconds.
const MINUTE = 60_000

/** What is needed to sign a user in. */
export interface SignInContext extends SignOutContext {
  readonly settings: SignOutContext['settings'] & Pick<Settings, 'session_ttl'>
  /** AuditEntries of each session that starts, for the list of the newest. */
  readonly sessions: EventEmitter<{ started: [NewSession] }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A session that started just now, by its id in storage. */
export interface NewSession {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
}

/** A stored session with its id, as a request of one client needs it. */
export interface Session extends SessionForClient {
  /** The digest of the browser's cookie. */
  readonly id: string
}

/** A user who has just authenticated. */
export interface Proven extends SeenBrowser {
  readonly username: string
  readonly sub: Sub
  /** When that began to be judged, in milliseconds since 1970: an end of sessions that came meanwhile ends this one. */
  readonly judged_since: number
  readonly amr: string
  readonly acr: string
  /** When, in seconds since 1970; 0: that is not known. Absent: just now. */
  readonly auth_time?: number
  /** The account as it was then, if the method says it. */
  readonly account_state?: string
  /** The session at a provider that the user came from: `upstreamSession`. */
  readonly upstream_session?: string
}

/** A session that was just started: the value of its cookie, and its sid. */
export interface StartedSession {
  readonly cookie: string
  readonly sid: Sid
}

/** What is needed to find out whether a session still counts. */
export interface SessionContext extends SignOutContext {
  readonly accounts: Pick<AccountRegistry, 'findUser'>
  readonly report: ReportEvent
}

/**
 * Returns the session of a browser and extends its idle lifetime; undefined if the browser has no session. A session
 * whose account is missing, disabled or malformed, or belongs to another user now, or whose user had all sessions ended, is
 * ended and not returned.
 * @param client_id the client that asks; undefined if the request names none
 * @throws StorageUnavailable
 */
export async function findSession(
  context: SessionContext,
  browser: Browser,
  client_id: ClientId | undefined,
): Promise<Session | undefined> {
  const session = await readSession(context, browser, client_id)
  if (session === undefined || browser.session === undefined) return undefined
  const user = await context.accounts.findUser(session)
  if (user !== undefined && !hasEnded(session, user)) return session
  await endSession(context, browser.session, {
    report: context.report,
    event: ({ username, sub }) => ({ event: 'session_ended', username, sub }),
  })
  return undefined
}

/**
 * As findSession, but does not check the account: for ending the session.
 * @param client_id absent: no client asks
 * @throws StorageUnavailable
 */
async function readSession(
  { storage, settings }: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Browser,
  client_id?: ClientId,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const session = await useSessionFor(storage, id, settings.session_idle_ttl, client_id)
  return session && { id, ...session }
}

/**
 * As readSession, but also finds the session that replaced that of the browser, whose new cookie may have been lost: the
 * user can end it. No client asks.
 * @throws StorageUnavailable
 */
export async function sessionToEnd(
  context: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Browser,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const session = await readSession(context, browser)
  if (session !== undefined) return session
  const { storage, settings } = context
  const id = cookieDigest(browser.session)
  const moved = await useSessionOrSuccessor(storage, id, settings.session_idle_ttl)
  return moved && { ...moved, has_joined: false }
}

/**
 * Starts a session with a new cookie value, and ends the earlier session of the browser. If that belongs to the same
 * user, the new one keeps its `sid`, clients and families; otherwise it is ended as by a logout.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable; the earlier session is unchanged or ended
 */
export async function startSession(
  context: SignInContext,
  browser: Browser,
  user: Proven,
  told?: AuditEntries,
): Promise<StartedSession> {
  const { storage, settings, now } = context
  const own = await ownSession(context, browser, user.sub)
  const { username, sub, amr, acr, auth_time, account_state, upstream_session, judged_since, ...seen } = user
  // Who shows anew who it is by other means still came from there.
  const came_from = upstream_session ?? own?.upstream_session
  const at = now()
  const now_in_seconds = Math.floor(at / 1000)
  const cookie = newCookieValue()
  const session: SessionRecord = {
    sid: own?.sid ?? newSid(),
    username,
    sub,
    auth_time: Math.min(auth_time ?? now_in_seconds, now_in_seconds),
    amr,
    acr,
    ...(account_state !== undefined && { confirmed_state: account_state }),
    started_at: Math.min(own?.started_at ?? at, judged_since),
    last_used_at: at - (at % MINUTE),
    ends_at: at + settings.session_ttl * 1000,
    ...(own === undefined ? seen : seenBrowser(own)),
    ...(came_from !== undefined && { upstream_session: came_from }),
    clients: own?.clients ?? new Set(),
    families: own?.families ?? new Map(),
  }
  const id = cookieDigest(cookie)
  // Before the earlier one is removed: if this is interrupted, the earlier one still has its clients.
  await createSession(storage, id, session, settings.session_idle_ttl, told)
  context.sessions.emit('started', { id, ends_at: session.ends_at })
  if (own !== undefined) await replaceSession(context, own, { id, ...session })
  else if (browser.session !== undefined) await endSession(context, browser.session)
  return { cookie, sid: session.sid }
}

/** What an earlier session of the browser says of it. */
function seenBrowser({ browser, address }: SeenBrowser): SeenBrowser {
  return { ...(browser && { browser }), ...(address && { address }) }
}

/** The session of a browser, with all that joined it, if it is of this user. */
async function ownSession(
  { storage, settings }: SignInContext,
  browser: Browser,
  sub: Sub,
): Promise<WholeSession | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const earlier = await useSessionOrSuccessor(storage, id, settings.session_idle_ttl)
  return earlier?.sub === sub ? earlier : undefined
}

/** Whether all sessions of a user were ended after this one started. */
export function hasEnded({ started_at }: Pick<SessionRecord, 'started_at'>, marks: SessionMarks): boolean {
  return isMarkedSession(started_at, marks)
}

/** Replaces a session, and copies what concurrent requests added to it to its successor. */
async function replaceSession(
  context: SignInContext,
  earlier: WholeSession,
  successor: WholeSession,
): Promise<void> {
  const { storage, settings } = context
  const ended = await moveSession(storage, earlier.id, successor, settings.session_idle_ttl)
  if (ended === undefined) return
  const joined = joinedSince(earlier, ended)
  const { sid, clients, families } = joined
  if (clients.size + families.size === 0) return
  const changed = await changeSessionOrSuccessor(storage, successor.id, { sid, clients, families })
  // A logout has ended the successor.
  if (changed === 'missing') await endJoined(context, joined)
}
