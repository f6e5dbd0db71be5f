import { parseObject } from '../core/json.ts'
import type { ClientNotice, NoticeRetry } from '../outbound/notice-courier.ts'
import type { Storage } from '../storage/storage.ts'
import type { AskedRecord } from '../tokens/asked-record.ts'

/** A client that is to be told of the answer to what it asked. The record has what it is told. */
export interface PingNotice extends ClientNotice {
  /** That of the record. */
  readonly id: string
}

export interface PingQueueContext {
  readonly storage: Pick<Storage, 'queue'>
}

const QUEUE = 'ask-pings'

/**
 * Notes that a client is told of an answer, if it wants to be. Before the answer is stored: a process that dies in between
 * loses nothing, and nothing is sent while the record has no answer.
 * @throws StorageUnavailable
 */
export async function queuePing(
  { storage }: PingQueueContext,
  id: string,
  { client_id, ping }: AskedRecord,
): Promise<void> {
  if (ping !== undefined) await storage.queue.add(QUEUE, [format({ id, client_id, attempts: 0 })])
}

/**
 * Claims up to `max` notices that are due. No other replica gets them for `lease` seconds. Malformed ones are removed.
 * @throws StorageUnavailable
 */
export async function claimPings(
  { storage: { queue } }: PingQueueContext,
  max: number,
  lease: number,
): Promise<PingNotice[]> {
  const items = await queue.claim(QUEUE, max, lease)
  const malformed = items.filter((item) => parse(item) === undefined)
  if (malformed.length > 0) await queue.finish(QUEUE, ...malformed)
  return items.flatMap((item) => parse(item) ?? [])
}

/** Removes claimed notices. @throws StorageUnavailable */
export function finishPings({ storage }: PingQueueContext, ...notices: readonly PingNotice[]): Promise<void> {
  return storage.queue.finish(QUEUE, ...notices.map(format))
}

/** Makes claimed notices due later. @throws StorageUnavailable */
export async function retryPings(
  { storage }: PingQueueContext,
  ...retries: readonly NoticeRetry<PingNotice>[]
): Promise<void> {
  const later = retries.map(({ notice, delay, failed }) => {
    const attempts = notice.attempts + (failed ? 1 : 0)
    return { item: format(notice), replacement: format({ ...notice, attempts }), delay }
  })
  await storage.queue.retryLater(QUEUE, ...later)
}

// A notice always has the same text, by which it is found in the queue.
function format({ id, client_id, attempts }: PingNotice): string {
  return JSON.stringify({ id, client_id, attempts })
}

/** Returns undefined for any text that `format` did not write. */
function parse(item: string): PingNotice | undefined {
  const { id, client_id, attempts } = parseObject(item) ?? {}
  if (typeof id !== 'string' || typeof client_id !== 'string' || typeof attempts !== 'number')
    return undefined
  const notice = { id, client_id, attempts }
  return format(notice) === item ? notice : undefined
}
