import type { EventEmitter } from 'node:events'
import type { Settings } from '../config/settings.ts'
import { noteSaidOver } from '../interaction/said-over.ts'
import { endUpstreamSessions } from '../logout/end-listed-sessions.ts'
import type { EndingsContext } from '../logout/ending-parts.ts'
import type { Storage } from '../storage/storage.ts'
import type { Provider } from './provider-record.ts'
import { upstreamLink, upstreamSession, upstreamUser } from './upstream.ts'

/** What it takes to end what began by a provider. */
export interface EndUpstreamContext extends EndingsContext {
  readonly storage: Storage
  readonly settings: EndingsContext['settings'] & Pick<Settings, 'sign_in_ttl'>
  /** Told of notices of logouts that are queued; absent: servers look for them within seconds. */
  readonly logouts?: EventEmitter<{ queued: [] }>
  /** Told of what is to be ended in the background; absent: servers look for it within seconds. */
  readonly endings?: EventEmitter<{ queued: [] }>
}

/** Whose sessions a provider says are over: of a person there, of a session there, or of both. */
export interface OverThere {
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** What began before this is over, in milliseconds since 1970. */
  readonly before: number
}

/**
 * Ends the sessions that began by a provider, of a person or with a session there, with their tokens: none of another way,
 * and none that began after what it says (OpenID Connect Back-Channel Logout §2.6 and §2.7, SSF 1.0).
 * @returns whether there may be any
 * @throws StorageUnavailable
 */
export async function endUpstream(
  context: EndUpstreamContext,
  provider: Provider,
  { sub, sid, before }: OverThere,
): Promise<boolean> {
  const upstream_user = sub === undefined ? undefined : upstreamUser(upstreamLink(provider, sub))
  const upstream_session = sid === undefined ? undefined : upstreamSession(provider, sid)
  const owner = upstream_user ?? upstream_session
  if (owner === undefined) return false
  // Before sessions are looked for: a sign-in that is under way meanwhile finds it.
  if (upstream_user !== undefined && sid === undefined) await noteSaidOver(context, upstream_user, before)
  if ((await context.storage.lists.count({ list: 'upstream-sessions', owner })) === 0) return false
  await endUpstreamSessions(context, { upstream_user, upstream_session, before })
  context.logouts?.emit('queued')
  context.endings?.emit('queued')
  return true
}
