import type { EventEmitter } from 'node:events'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Sub } from '../core/ids.ts'
import type { Changed } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { USER } from '../users/user-kind.ts'
import { queueEnding } from './endings-queue.ts'

/** What it takes to end all of a kind that a user has. */
export interface EndByMarkContext {
  readonly storage: Pick<Storage, 'records' | 'queue'>
  readonly report: ReportEvent
  /** Told of notices of logouts that are queued; absent: servers look for them within seconds. */
  readonly logouts?: EventEmitter<{ queued: [] }>
  /** Told of what is to be ended in the background; absent: servers look for it within seconds. */
  readonly endings?: EventEmitter<{ queued: [] }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Ends all sessions or all grants of a user, however many there are: they are refused within a second. A server then ends
 * them one by one, and tells the clients of sessions.
 * @param count how many there are, for the event; `sub`: for the audit trail
 * @throws StorageUnavailable
 */
export async function endByMark(
  context: EndByMarkContext,
  what: 'sessions' | 'grants',
  {
    username,
    sub,
    count,
  }: { readonly username: string; readonly sub: Sub | undefined; readonly count: number },
): Promise<Changed> {
  const { storage, logouts, endings, now } = context
  // What began in this millisecond ends, too.
  const before = now() + 1
  const event: SecurityEvent = { event: `${what}_ended`, username, count }
  const set = { [`${what}_end_before`]: String(before) }
  const marked = await commit(context, [event], { sub }, (told) =>
    storage.records.change(USER, username, { set, told }),
  )
  if (marked === 'missing') return 'missing'
  await queueEnding(storage, { what, username, before })
  logouts?.emit('queued')
  endings?.emit('queued')
  return 'ok'
}
