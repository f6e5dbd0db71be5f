import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { type Created, type Kind, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CODE, type CodeRecord } from '../tokens/code-record.ts'
import type { PendingRecord } from './pending-record.ts'
import { spendPushed } from './pushed-request.ts'

/** A mark that something was used. It lives as long as what it marks can be presented again. */
interface UsedRecord {
  /** ISO 8601, for operators. */
  readonly used_at: string
}

const mark = {
  format: ({ used_at }: UsedRecord) => ({ used_at }),
  parse: ({ used_at = '' }: Readonly<Record<string, string>>) => ({ ok: true, record: { used_at } }) as const,
}

/** Pending requests that were answered, by their ids: each is in the slot of its code. */
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

/**
 * Marks a pending request as answered, for one caller only; one that was pushed is spent, for whichever browser.
 * `code` is written in the same step; it has the family part of the request's id. `exists`: it was answered before.
 * @throws StorageUnavailable
 */
export function answerOnce(context: UseContext, pending: PendingRecord, code?: NewCode): Promise<Created> {
  const written = code === undefined ? [] : [write(CODE, code.code, code.record, code.ttl)]
  if (pending.pushed !== undefined) return spendPushed(context, pending.pushed, ...written)
  const { used, ttl } = useOf(context, pending)
  return context.storage.records.create(write(ANSWERED, pending.id, used, ttl), ...written)
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

// The clock of a replica that is behind still accepts the request.
function useOf({ now }: UseContext, { ends_at }: PendingRecord): { used: UsedRecord; ttl: number } {
  const used_at = now()
  const ttl = Math.max(0, Math.ceil((ends_at - used_at) / 1000)) + CLOCK_SKEW
  return { used: { used_at: new Date(used_at).toISOString() }, ttl }
}
