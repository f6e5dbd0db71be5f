import { type Browser, cookieDigest, newCookieValue } from './browser.ts'
import type { Context } from './context.ts'
import { newGrantId } from './ids.ts'
import { endSession } from './logout/end-session.ts'
import type { SessionRecord } from './records/session.ts'

/** A signed-in browser as it is found in storage. */
export interface Session extends SessionRecord {
  /** What storage has it by. */
  readonly id: string
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
export async function findSession(context: Context, browser: Browser): Promise<Session | undefined> {
  if (browser.session === undefined) return undefined
  const id = cookieDigest(browser.session)
  const record = await context.storage.useSession(id, context.settings.session_idle_ttl)
  return record && { ...record, id }
}

/**
 * Signs somebody in to a browser, by a cookie that nobody can have known before. The session that it had is over: where
 * it was the same user's, the new one has its `sid` and its clients; another user's is ended as by a logout.
 * @returns the value of the cookie, and the sid
 * @throws StorageUnavailable
 */
export async function startSession(
  context: Context,
  browser: Browser,
  user: Proven,
): Promise<{ cookie: string; sid: string }> {
  const { storage, settings, now } = context
  const earlier = await takeOver(context, browser, user)
  const { username, sub, amr, acr } = user
  const cookie = newCookieValue()
  const session: SessionRecord = {
    sid: earlier?.sid ?? newGrantId(),
    username,
    sub,
    auth_time: Math.floor(now() / 1000),
    amr,
    acr,
    ends_at: now() + settings.session_ttl * 1000,
    clients: earlier?.clients ?? new Map(),
    grants: earlier?.grants ?? new Map(),
  }
  await storage.createSession(cookieDigest(cookie), session, settings.session_idle_ttl)
  return { cookie, sid: session.sid }
}

async function takeOver(
  context: Context,
  browser: Browser,
  { sub }: Proven,
): Promise<SessionRecord | undefined> {
  const earlier = await findSession(context, browser)
  if (earlier === undefined || browser.session === undefined) return undefined
  if (earlier.sub === sub) return context.storage.endSession(earlier.id)
  await endSession(context, browser.session)
  return undefined
}
