import type { Settings } from '../config/config.ts'
import { newGrantId } from '../core/token-string.ts'
import { type Browser, cookieDigest, newCookieValue } from './browser.ts'
import { endSession, type SignOutContext } from './end-session.ts'
import type { SessionRecord } from './session-record.ts'

/** A signed-in browser as it is found in storage. */
export interface Session extends SessionRecord {
  /** What storage has it by. */
  readonly id: string
}

/** What sessions work with. */
export type SessionContext = SignOutContext & {
  readonly settings: Pick<Settings, 'session_ttl'>
  readonly now: () => number
}

/** Somebody who has just proved to be a user. */
export interface Proven {
  readonly username: string
  readonly sub: string
  readonly amr: string
  readonly acr: string
}

/**
 * The session of a browser, which is used by this.
 * @throws StorageUnavailable
 */
export async function findSession(context: SessionContext, browser: Browser): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const record = await context.storage.useSession(id, context.settings.session_idle_ttl)
  return record && { ...record, id }
}

/**
 * Signs somebody in to a browser, by a cookie that nobody can have known before. The session that it had is over: where
 * it was the same user's, the new one has its `sid` and its clients; another user's is ended as by a logout.
 * @returns the value of the cookie, and the sid
 * @throws StorageUnavailable: the session that the browser has is as it was, or over
 */
export async function startSession(
  context: SessionContext,
  browser: Browser,
  user: Proven,
): Promise<{ cookie: string; sid: string }> {
  const { storage, settings, now } = context
  const earlier = await findSession(context, browser)
  const own = earlier?.sub === user.sub ? earlier : undefined
  const { username, sub, amr, acr } = user
  const cookie = newCookieValue()
  const session: SessionRecord = {
    sid: own?.sid ?? newGrantId(),
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
  await storage.createSession(id, session, settings.session_idle_ttl)
  if (own !== undefined) await succeed(context, own, id)
  else if (browser.session !== undefined) await endSession(context, browser.session)
  return { cookie, sid: session.sid }
}

/** Ends a session whose successor has all that it had, but for what a request at this moment added. */
async function succeed({ storage }: SessionContext, earlier: Session, successor: string): Promise<void> {
  const ended = await storage.endSession(earlier.id)
  for (const [client_id, scope] of ended?.clients ?? []) {
    if (earlier.clients.get(client_id) !== scope) await storage.joinSession(successor, client_id, scope)
  }
  for (const [grant, client_id] of ended?.grants ?? []) {
    const scope = ended?.clients.get(client_id) ?? ''
    if (!earlier.grants.has(grant)) await storage.joinSession(successor, client_id, scope, grant)
  }
}
