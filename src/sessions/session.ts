import type { EventEmitter } from 'node:events'
import type { Settings } from '../config/settings.ts'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId, Sid, Sub } from '../core/ids.ts'
import { newSid } from '../core/token-string.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import { isMarkedSession, type SessionMarks } from '../users/own-marks.ts'
import { type Browser, newSessionCookie, sessionIdOf, sessionSecretOf } from './browser.ts'
import { type CameFrom, cameFrom } from './came-from.ts'
import { endSession, type SignOutContext } from './end-session.ts'
import type { SeenBrowser, SessionRecord } from './session-record.ts'
import {
  createSession,
  renewSession,
  type SessionForClient,
  useSessionAlone,
  useSessionFor,
} from './session-store.ts'

// In milliseconds.
const MINUTE = 60_000

/** What is needed to sign a user in. */
export interface SignInContext extends SignOutContext {
  readonly settings: SignOutContext['settings'] & Pick<Settings, 'session_ttl'>
  /** Told of each session that starts, for the list of the newest. */
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
  /** What its cookie finds it by: `sessionIdOf`. */
  readonly id: string
}

/** A user who has just authenticated. */
export interface Proven extends SeenBrowser, CameFrom {
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
}

/** A session that was just started: the value of its cookie, and its sid. */
export interface StartedSession {
  readonly cookie: string
  readonly sid: Sid
  /** As it is stored; absent: it goes on, and clients may have joined it before. */
  readonly session?: Session
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
 * @param started the session of the browser, if this request started it: it need not be read
 * @throws StorageUnavailable
 */
export async function findSession(
  context: SessionContext,
  browser: Pick<Browser, 'session'>,
  client_id: ClientId | undefined,
  started?: Session,
): Promise<Session | undefined> {
  const session = started ?? (await readSession(context, browser, client_id))
  if (session === undefined || browser.session === undefined) return undefined
  const user = await context.accounts.findUser(session)
  if (user !== undefined && !hasEnded(session, user)) return session
  await endSession(context, browser.session, {
    report: context.report,
    event: ({ username, sub, sid }) => ({ event: 'session_ended', username, sub, sid }),
  })
  return undefined
}

async function readSession(
  { storage, settings }: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Pick<Browser, 'session'>,
  client_id: ClientId | undefined,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = sessionIdOf(browser.session)
  const secret = sessionSecretOf(browser.session)
  const session = await useSessionFor(storage, id, settings.session_idle_ttl, client_id, secret)
  return session && { id, ...session }
}

/**
 * As findSession, but does not check the account, and also finds a session by a cookie of before its last sign-in,
 * because the answer with the new one may have been lost: the user can end it. No client asks.
 * @throws StorageUnavailable
 */
export async function sessionToEnd(
  { storage, settings }: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Browser,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = sessionIdOf(browser.session)
  const session = await useSessionFor(storage, id, settings.session_idle_ttl)
  return session && { id, ...session }
}

/**
 * Signs a user in, with a new value of the cookie. If the session of the browser belongs to the same user, also by a
 * cookie of before its last sign-in, it goes on with its `sid`, clients and families. Another user's is ended as by a
 * logout.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable; the earlier session is unchanged or ended
 */
export async function startSession(
  context: SignInContext,
  browser: Browser,
  user: Proven,
  told?: AuditEntries,
): Promise<StartedSession> {
  const { storage, sessions } = context
  const { session_idle_ttl, session_ttl } = context.settings
  const own = await ownSession(context, browser, user.sub)
  if (own !== undefined) {
    const cookie = newSessionCookie(browser.session)
    const [id, session] = [sessionIdOf(cookie), signedIn(context, user, cookie, own)]
    const idle_ttl = Math.min(session_idle_ttl, session_ttl)
    if ((await renewSession(storage, id, session, idle_ttl, told)) === 'ok') {
      sessions.emit('started', { id, ends_at: session.ends_at })
      return { cookie, sid: session.sid }
    }
    // A logout has ended it meanwhile.
  }
  const cookie = newSessionCookie()
  const [id, session] = [sessionIdOf(cookie), signedIn(context, user, cookie)]
  await createSession(storage, id, session, session_idle_ttl, told)
  sessions.emit('started', { id, ends_at: session.ends_at })
  if (browser.session !== undefined) await endSession(context, browser.session)
  return { cookie, sid: session.sid, session: { id, has_joined: false, ...session } }
}

/** A session after a sign-in, without what joined it. @param own the session of the browser, if it is of this user */
function signedIn(
  { settings, now }: SignInContext,
  user: Proven,
  cookie: string,
  own?: SessionRecord,
): SessionRecord {
  const { username, sub, amr, acr, auth_time, account_state, judged_since, browser, address } = user
  // Who shows anew who it is by other means still came from there.
  const came_from = { ...cameFrom(own ?? {}), ...cameFrom(user) }
  const at = now()
  const now_in_seconds = Math.floor(at / 1000)
  return {
    secret: sessionSecretOf(cookie),
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
    ...(own === undefined && { ...(browser && { browser }), ...(address && { address }) }),
    ...came_from,
    clients: new Set(),
    families: new Map(),
  }
}

/** The session of a browser, without what joined it, if it is of this user. */
async function ownSession(
  { storage, settings }: SignInContext,
  browser: Browser,
  sub: Sub,
): Promise<SessionRecord | undefined> {
  if (browser.session === undefined) return undefined
  const earlier = await useSessionAlone(storage, sessionIdOf(browser.session), settings.session_idle_ttl)
  return earlier?.sub === sub ? earlier : undefined
}

/** Whether all sessions of a user were ended after this one started. */
export function hasEnded({ started_at }: Pick<SessionRecord, 'started_at'>, marks: SessionMarks): boolean {
  return isMarkedSession(started_at, marks)
}
