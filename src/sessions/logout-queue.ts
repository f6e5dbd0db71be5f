import type { ClientId, Sid } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import type { Storage } from '../storage/storage.ts'

/** One client that has to be told of one logout (OpenID Connect Back-Channel Logout §2.3). */
export interface LogoutNotice {
  /** Random; two notices are never the same. */
  id: string
  client_id: ClientId
  /** The user as this client knows them. */
  sub: string
  sid: Sid
  /** How often it was sent without success. */
  attempts: number
}

const QUEUE = 'logouts'

/** Adds notices that are due at once. @throws StorageUnavailable */
export function queueLogouts(
  { queue }: Pick<Storage, 'queue'>,
  notices: readonly LogoutNotice[],
): Promise<void> {
  return queue.add(QUEUE, notices.map(format))
}

/**
 * Takes up to `max` notices that are due. No other replica gets them for `lease` seconds; if they are neither finished
 * nor put off by then, they are due again. Unreadable notices are removed and logged.
 * @throws StorageUnavailable
 */
export async function claimLogouts(
  { queue, log }: Pick<Storage, 'queue'> & { log: Log },
  max: number,
  lease: number,
): Promise<LogoutNotice[]> {
  const items = await queue.claim(QUEUE, max, lease)
  const read = items.map((item) => ({ item, notice: parse(item) }))
  const unusable = read.filter(({ notice }) => notice === undefined).map(({ item }) => item)
  if (unusable.length > 0) {
    await queue.finish(QUEUE, ...unusable)
    log.warn({ count: unusable.length }, 'Logout notices that nobody can read were removed.')
  }
  return read.flatMap(({ notice }) => notice ?? [])
}

/** Removes a claimed notice. @throws StorageUnavailable */
export function finishLogout({ queue }: Pick<Storage, 'queue'>, notice: LogoutNotice): Promise<void> {
  return queue.finish(QUEUE, format(notice))
}

/** Makes a claimed notice due in `delay` seconds, with one attempt more. @throws StorageUnavailable */
export function retryLogoutLater(
  { queue }: Pick<Storage, 'queue'>,
  notice: LogoutNotice,
  delay: number,
): Promise<void> {
  return queue.retryLater(QUEUE, format(notice), format({ ...notice, attempts: notice.attempts + 1 }), delay)
}

// The same notice is always the same text: that is how it is found in the queue.
function format({ id, client_id, sub, sid, attempts }: LogoutNotice): string {
  return JSON.stringify({ id, client_id, sub, sid, attempts })
}

/** A notice as it was written; undefined for anything else, which somebody wrote by hand. */
function parse(item: string): LogoutNotice | undefined {
  try {
    const notice = JSON.parse(item) as LogoutNotice
    return typeof notice === 'object' && format(notice) === item && isComplete(notice) ? notice : undefined
  } catch {
    return undefined
  }
}

function isComplete({ id, client_id, sub, sid, attempts }: LogoutNotice): boolean {
  const texts: unknown[] = [id, client_id, sub, sid]
  return texts.every((text) => typeof text === 'string') && Number.isSafeInteger(attempts)
}
