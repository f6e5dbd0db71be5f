import type { ClientId } from '../core/ids.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { OUTBOX } from './bounds.ts'
import { parseHeld } from './held-set.ts'
import { deliveredEvents } from './offered-events.ts'
import { type SetStream, STREAM } from './stream-record.ts'
import { mutedSubjects } from './subjects.ts'

/** The stream of a receiver as operators see it: how it is delivered, what waits, and when something was taken. */
export interface ShownStream extends Pick<SetStream, 'status' | 'reason' | 'description' | 'failures'> {
  readonly client_id: ClientId
  readonly stream_id: string
  readonly delivery: 'push' | 'poll'
  /** Absent: the receiver polls. */
  readonly endpoint_url?: string
  /** The types of events, without what all have at their beginning. */
  readonly events: readonly string[]
  /** How many tokens wait, and since when the first one does. */
  readonly waiting: number
  readonly waiting_since?: string
  /** How many people the receiver took off its stream. */
  readonly removed_subjects: number
  readonly created_at: string
  /** When a pushed token was taken last; absent: none was, or the receiver polls. */
  readonly delivered_at?: string
}

/** Returns the stream of a client; undefined: it has none. @throws StorageUnavailable */
export async function shownStream(
  { records, outboxes, lists }: Pick<Storage, 'records' | 'outboxes' | 'lists'>,
  client_id: ClientId,
): Promise<ShownStream | undefined> {
  const stream = recordOf(await records.read(STREAM, client_id))
  if (stream === undefined) return undefined
  const { stream_id, push, status, reason, description, failures, created_at, delivered_at } = stream
  const [[first], waiting, removed_subjects] = await Promise.all([
    outboxes.read(client_id, { limit: 1, ttl: OUTBOX.ttl }),
    outboxes.size(client_id),
    lists.count(mutedSubjects(client_id)),
  ])
  const held = first === undefined ? undefined : parseHeld(first)
  return {
    ...{ client_id, stream_id, status },
    ...(reason !== undefined && { reason }),
    ...(description !== undefined && { description }),
    delivery: push === undefined ? 'poll' : 'push',
    ...(push && { endpoint_url: push.endpoint_url }),
    events: deliveredEvents(stream).map((uri) => uri.replace(/^.*\//, '')),
    // Those that are to be dropped may be among them until something is put.
    waiting: first === undefined ? 0 : waiting,
    ...(held && { waiting_since: new Date(held.iat * 1000).toISOString() }),
    ...{ failures, removed_subjects },
    created_at: new Date(created_at).toISOString(),
    ...(delivered_at !== undefined && { delivered_at: new Date(delivered_at).toISOString() }),
  }
}
