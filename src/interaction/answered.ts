import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { Hash } from '../core/record-hash.ts'
import { type Created, type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CODE, type CodeRecord } from '../tokens/code-record.ts'
import type { PendingRecord } from './pending-record.ts'
import { spendPushed } from './pushed-request.ts'

/** A mark that something was used. It lives as long as what it marks can be presented again. */
interface UsedRecord {
  /** ISO 8601, for operators. */
  readonly used_at: string
  /** The sid of the code of the answer, as the client knows it; empty: the code has none. Absent: there is no code. */
  readonly sid?: string
}

const mark = {
  format: ({ used_at, sid }: UsedRecord): Hash => ({ used_at, ...(sid === undefined ? {} : { sid }) }),
  parse: ({ used_at = '', sid }: Hash) =>
    ({ ok: true, record: { used_at, ...(sid === undefined ? {} : { sid }) } }) as const,
}

/** Requests that were answered, by the ids of pending or pushed ones: each is in the slot of its code. */
const ANSWERED: Kind<UsedRecord> = { name: 'answered', slot: 'family', ...mark }

/** Challenges that a user met, by a digest. */
const MET_CHALLENGE: Kind<UsedRecord> = { name: 'challenge', ...mark }

interface UseContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A code to be written, with its time to live in seconds. */
export interface NewCode {
  readonly code: string
  readonly record: CodeRecord
  readonly ttl: number
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
  const writes = code === undefined ? [] : [write(CODE, code.code, code.record, code.ttl)]
  const sign_in = code && { sid: code.record.sid ?? '' }
  if (request.pushed !== undefined) {
    const used_at = new Date(context.now()).toISOString()
    const marks =
      code === undefined ? [] : [write(ANSWERED, request.pushed, { used_at, ...sign_in }, code.ttl)]
    return spendPushed(context, request.pushed, ...writes, ...marks)
  }
  if (request.id !== undefined) {
    const { used, ttl } = useOf(context, request)
    return records.create(write(ANSWERED, request.id, { ...used, ...sign_in }, ttl), ...writes)
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
): Promise<Pick<UsedRecord, 'sid'> | undefined> {
  return pushed === undefined ? undefined : recordOf(await storage.records.read(ANSWERED, pushed))
}

/**
 * Marks the challenge of a pending request as met, for one caller only. `exists`: it was met before.
 * @throws StorageUnavailable
 */
export function meetChallengeOnce(
  context: UseContext,
  pending: PendingRecord,
  challenge: string,
): Promise<Created> {
  const digest = hash('sha256', `${pending.id} ${challenge}`, 'base64url')
  const { used, ttl } = useOf(context, pending)
  return context.storage.records.create(write(MET_CHALLENGE, digest, used, ttl))
}

// A replica whose clock is behind still accepts the request.
function useOf(
  { now }: UseContext,
  { ends_at }: Pick<PendingRecord, 'ends_at'>,
): { used: UsedRecord; ttl: number } {
  const used_at = now()
  const ttl = Math.max(0, Math.ceil((ends_at - used_at) / 1000)) + CLOCK_SKEW
  return { used: { used_at: new Date(used_at).toISOString() }, ttl }
}
