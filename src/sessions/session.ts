import type { AccountRegistry } from '../accounts/account-registry.ts'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Sid, Sub } from '../core/ids.ts'
import { newSid } from '../core/token-string.ts'
import type { RecordStore } from '../storage/storage.ts'
import { type Browser, cookieDigest, newCookieValue } from './browser.ts'
import { endSession, joinedSince, type SignOutContext } from './end-session.ts'
import type { SessionRecord } from './session-record.ts'
import { changeSession, createSession, takeSession, useSession } from './session-store.ts'

/** What is needed to sign a user in. */
export interface SignInContext extends SignOutContext {
  readonly settings: SignOutContext['settings'] & Pick<Settings, 'session_ttl'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A stored session with its id. */
export interface Session extends SessionRecord {
  /** The digest of the browser's cookie. */
  readonly id: string
}

/** A user who has just authenticated. */
export interface Proven {
  readonly username: string
  readonly sub: Sub
  readonly amr: string
  readonly acr: string
}

/** What is needed to find out whether a session still counts. */
export interface SessionContext extends SignOutContext {
  readonly accounts: Pick<AccountRegistry, 'findUser'>
  readonly report: ReportEvent
}

/**
 * Returns the session of a browser and extends its idle lifetime; undefined if the browser has no session. A session
 * whose account is missing, disabled or malformed, or belongs to another user now, is ended and not returned.
 * @throws StorageUnavailable
 */
export async function findSession(context: SessionContext, browser: Browser): Promise<Session | undefined> {
  const session = await readSession(context, browser)
  if (session === undefined || browser.session === undefined) return undefined
  if ((await context.accounts.findUser(session)) !== undefined) return session
  const { username, sub } = session
  context.report({ event: 'session_ended', username, sub })
  await endSession(context, browser.session)
  return undefined
}

/**
 * As findSession, whatever became of the account: for ending the session.
 * @throws StorageUnavailable
 */
export async function readSession(
  { storage, settings }: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Browser,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const record = await useSession(storage, id, settings.session_idle_ttl)
  return record && { ...record, id }
}

/**
 * Starts a session with a new cookie value, and ends the earlier session of the browser. If that belongs to the same
 * user, the new one keeps its `sid`, clients and families; otherwise it is ended as by a logout.
 * @returns the value of the cookie, and the sid
 * @throws StorageUnavailable; the earlier session is unchanged or ended
 */
export async function startSession(
  context: SignInContext,
  browser: Browser,
  user: Proven,
): Promise<{ cookie: string; sid: Sid }> {
  const { storage, settings, now } = context
  const earlier = await readSession(context, browser)
  const own = earlier?.sub === user.sub ? earlier : undefined
  const { username, sub, amr, acr } = user
  const cookie = newCookieValue()
  const session: SessionRecord = {
    sid: own?.sid ?? newSid(),
    username,
    sub,
    auth_time: Math.floor(now() / 1000),
    amr,
    acr,
    ends_at: now() + settings.session_ttl * 1000,
    clients: own?.clients ?? new Set(),
    families: own?.families ?? new Map(),
  }
  const id = cookieDigest(cookie)
  // Before the earlier one is removed: if this is interrupted, the earlier one still has its clients.
  await createSession(storage, id, session, settings.session_idle_ttl)
  if (own !== undefined) await replaceSession(context, own, id)
  else if (browser.session !== undefined) await endSession(context, browser.session)
  return { cookie, sid: session.sid }
}

/** Removes a session, and copies what a concurrent request added to it to its successor. */
async function replaceSession(
  { storage }: { storage: RecordStore },
  earlier: Session,
  successor: string,
): Promise<void> {
  const ended = await takeSession(storage, earlier.id)
  if (ended === undefined) return
  const { clients, families } = joinedSince(earlier, ended)
  if (clients.size + families.size > 0) await changeSession(storage, successor, { clients, families })
}
