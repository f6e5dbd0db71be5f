import type { Settings } from '../config/settings.ts'
import type { Sid, Sub } from '../core/ids.ts'
import { newSid } from '../core/token-string.ts'
import type { RecordStore } from '../storage/storage.ts'
import { type Browser, cookieDigest, newCookieValue } from './browser.ts'
import { endSession, type SignOutContext } from './end-session.ts'
import type { SessionRecord } from './session-record.ts'
import { createSession, joinSession, takeSession, useSession } from './session-store.ts'

/** What it takes to sign somebody in. */
export interface SignInContext extends SignOutContext {
  readonly settings: SignOutContext['settings'] & Pick<Settings, 'session_ttl'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A signed-in browser as it is found in storage. */
export interface Session extends SessionRecord {
  /** The digest of the browser's cookie, by which storage has it. */
  readonly id: string
}

/** A user who has just signed in. */
export interface Proven {
  readonly username: string
  readonly sub: Sub
  readonly amr: string
  readonly acr: string
}

/**
 * The session of a browser, which is used by this; undefined if it has none.
 * @throws StorageUnavailable
 */
export async function findSession(
  { storage, settings }: { storage: RecordStore; settings: Pick<Settings, 'session_idle_ttl'> },
  browser: Browser,
): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const record = await useSession(storage, id, settings.session_idle_ttl)
  return record && { ...record, id }
}

/**
 * Signs a user in to a browser, by a new cookie value. The session that the browser had is over: if it was the same
 * user's, the new one keeps its `sid` and its clients; another user's is ended as by a logout.
 * @returns the value of the cookie, and the sid
 * @throws StorageUnavailable: the session that the browser has is as it was, or over
 */
export async function startSession(
  context: SignInContext,
  browser: Browser,
  user: Proven,
): Promise<{ cookie: string; sid: Sid }> {
  const { storage, settings, now } = context
  const earlier = await findSession(context, browser)
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
    clients: own?.clients ?? new Map(),
    grants: own?.grants ?? new Map(),
  }
  const id = cookieDigest(cookie)
  // Before the earlier one goes: cut off here, its clients are still known to it.
  await createSession(storage, id, session, settings.session_idle_ttl)
  if (own !== undefined) await succeed(context, own, id)
  else if (browser.session !== undefined) await endSession(context, browser.session)
  return { cookie, sid: session.sid }
}

/** Ends a session whose successor has all that it had, but for what a request at this moment added. */
async function succeed(
  { storage }: { storage: RecordStore },
  earlier: Session,
  successor: string,
): Promise<void> {
  const ended = await takeSession(storage, earlier.id)
  for (const [client_id, scope] of ended?.clients ?? []) {
    if (earlier.clients.get(client_id) !== scope) await joinSession(storage, successor, client_id, scope)
  }
  for (const [grant, client_id] of ended?.grants ?? []) {
    const scope = ended?.clients.get(client_id) ?? ''
    if (!earlier.grants.has(grant)) await joinSession(storage, successor, client_id, scope, grant)
  }
}
