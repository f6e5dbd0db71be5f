import type { Sid } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import type { ClientNotice, NoticeRetry } from '../outbound/notice-courier.ts'
import type { Storage } from '../storage/storage.ts'

/** One logout to report to one client (OpenID Connect Back-Channel Logout §2.3). */
export interface LogoutNotice extends ClientNotice {
  /** A random UUID. */
  readonly id: string
  /** The subject of the user for this client. */
  readonly sub: string
  /** The sid of the session for this client. */
  readonly sid: Sid
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
 * Claims up to `max` notices that are due. No other replica gets them for `lease` seconds; if they are neither finished
 * nor retried later by then, they are due again. Malformed notices are removed and logged.
 * @throws StorageUnavailable
 */
export async function claimLogouts(
  { queue, log }: Pick<Storage, 'queue'> & { log: Log },
  max: number,
  lease: number,
): Promise<LogoutNotice[]> {
  const items = await queue.claim(QUEUE, max, lease)
  const read = items.map((item) => ({ item, notice: parse(item) }))
  const malformed = read.filter(({ notice }) => notice === undefined).map(({ item }) => item)
  if (malformed.length > 0) {
    await queue.finish(QUEUE, ...malformed)
    log.warn({ count: malformed.length }, 'Malformed logout notices were removed.')
  }
  return read.flatMap(({ notice }) => notice ?? [])
}

/** Returns how many notices wait. @throws StorageUnavailable */
export function countLogouts({ queue }: Pick<Storage, 'queue'>): Promise<number> {
  return queue.size(QUEUE)
}

/** Returns up to `max` notices that wait, those that are due first at the top. @throws StorageUnavailable */
export async function listLogouts({ queue }: Pick<Storage, 'queue'>, max: number): Promise<LogoutNotice[]> {
  return (await queue.list(QUEUE, max)).flatMap((item) => parse(item) ?? [])
}

/** Removes claimed notices. @throws StorageUnavailable */
export function finishLogouts(
  { queue }: Pick<Storage, 'queue'>,
  ...notices: readonly LogoutNotice[]
): Promise<void> {
  return queue.finish(QUEUE, ...notices.map(format))
}

/** Makes claimed notices due later. @throws StorageUnavailable */
export async function retryLogouts(
  { queue }: Pick<Storage, 'queue'>,
  ...retries: readonly NoticeRetry<LogoutNotice>[]
): Promise<void> {
  const later = retries.map(({ notice, delay, failed }) => {
    const attempts = notice.attempts + (failed ? 1 : 0)
    return { item: format(notice), replacement: format({ ...notice, attempts }), delay }
  })
  await queue.retryLater(QUEUE, ...later)
}

// A notice always has the same text, by which it is found in the queue.
function format({ id, client_id, sub, sid, attempts }: LogoutNotice): string {
  return JSON.stringify({ id, client_id, sub, sid, attempts })
}

/** Returns undefined for any text that `format` did not write. */
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
