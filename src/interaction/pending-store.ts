import type { TransactionId } from '../core/ids.ts'
import { type Changed, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CODE, type CodeRecord } from '../tokens/code-record.ts'
import { formatPending, PENDING, type PendingRecord } from './pending-record.ts'

/** Stores a request for `ttl` seconds. @throws StorageUnavailable */
export function savePending(
  { records }: RecordStore,
  id: TransactionId,
  record: PendingRecord,
  ttl: number,
): Promise<void> {
  return records.put(write(PENDING, id, record, ttl))
}

/** The pending request; undefined if it is over, finished or malformed. @throws StorageUnavailable */
export async function readPending(
  { records }: RecordStore,
  id: TransactionId,
): Promise<PendingRecord | undefined> {
  return recordOf(await records.read(PENDING, id))
}

/** Sets fields of a pending request; its end stays. @throws StorageUnavailable */
export function changePending(
  { records }: RecordStore,
  id: TransactionId,
  set: Partial<PendingRecord>,
): Promise<Changed> {
  return records.change(PENDING, id, { set: formatPending(set) })
}

/** A code to be written, with its time to live in seconds. */
export interface NewCode {
  readonly code: string
  readonly record: CodeRecord
  readonly ttl: number
}

/**
 * Removes a pending request, for one caller only. `code` is written in the same step; it has the family part of `id`.
 * @throws StorageUnavailable
 */
export async function finishPending(
  { records }: RecordStore,
  id: TransactionId,
  code?: NewCode,
): Promise<Changed> {
  const writes = code === undefined ? [] : [write(CODE, code.code, code.record, code.ttl)]
  return (await records.take(PENDING, id, ...writes)) === undefined ? 'missing' : 'ok'
}
