import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { Listing } from '../storage/lists.ts'
import { type Created, type Kind, recordOf, write } from '../storage/records.ts'
import { CODE, type CodeRecord } from '../tokens/code-record.ts'
import type { PendingRecord } from './pending-record.ts'
import { spendPushed } from './pushed-request.ts'
import type { UseContext } from './use-once.ts'

/** A mark that a request was answered. It lives as long as the request can be presented again. */
interface AnsweredRecord {
  /** ISO 8601, for operators. */
  readonly used_at: string
  /** The sid of the code of the answer, as the client knows it; empty: the code has none. Absent: there is no code. */
  readonly sid?: string
}

/** Requests that were answered, by the ids of pending or pushed ones: each is in the slot of its code. */
const ANSWERED: Kind<AnsweredRecord> = {
  name: 'answered',
  slot: 'family',
  format: ({ used_at, sid }) => ({ used_at, ...(sid === undefined ? {} : { sid }) }),
  parse: ({ used_at = '', sid }) => ({
    ok: true,
    record: { used_at, ...(sid === undefined ? {} : { sid }) },
  }),
}

/** A code to be written, with its time to live in seconds. */
export interface NewCode {
  readonly code: string
  readonly record: CodeRecord
  readonly ttl: number
  /** The lists that its family joins. */
  readonly lists?: readonly Listing[]
}

/** A request to be answered: a pending one, or one that came just now. Both may have been pushed before. */
export type Answerable =
  | Pick<PendingRecord, 'id' | 'ends_at' | 'pushed'>
  | { readonly id?: undefined; readonly pushed?: string | undefined }

/**
 * Answers a request, for one caller only: marks a pending request as answered, or spends a pushed one, whichever browser
 * answers it. One that came just now has no other answer. `code` is written in the same step; it has the family part of
 * the request's id. `exists`: the request was answered before, or the time of a pushed one is over.
 * @throws StorageUnavailable
 */
export async function answerOnce(context: UseContext, request: Answerable, code?: NewCode): Promise<Created> {
  const { records } = context.storage
  const writes = code === undefined ? [] : [write(CODE, code.code, code.record, code.ttl, code.lists)]
  // Only a request that can be presented again leaves a mark.
  const mark = () => ({
    used_at: new Date(context.now()).toISOString(),
    ...(code && { sid: code.record.sid ?? '' }),
  })
  if (request.pushed !== undefined) {
    const marks = code === undefined ? [] : [write(ANSWERED, request.pushed, mark(), code.ttl)]
    return spendPushed(context, request.pushed, ...writes, ...marks)
  }
  if (request.id !== undefined) {
    // A replica whose clock is behind still accepts the request.
    const ttl = Math.max(0, Math.ceil((request.ends_at - context.now()) / 1000)) + CLOCK_SKEW
    return records.create(write(ANSWERED, request.id, mark(), ttl), ...writes)
  }
  if (writes.length > 0) await records.put(...writes)
  return 'ok'
}

/**
 * Returns the answer that a request got: the sid of its code, as the client knows it; undefined if nothing says which.
 * @throws StorageUnavailable
 */
export async function answerOf(
  { storage }: Pick<UseContext, 'storage'>,
  { id, pushed = id }: Answerable,
): Promise<Pick<AnsweredRecord, 'sid'> | undefined> {
  return pushed === undefined ? undefined : recordOf(await storage.records.read(ANSWERED, pushed))
}
