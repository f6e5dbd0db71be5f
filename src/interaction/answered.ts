import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { type JoinContext, leaveFamily } from '../sessions/join-session.ts'
import type { Session } from '../sessions/session.ts'
import { type Created, type Kind, recordOf, type Write, write } from '../storage/records.ts'
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

/**
 * Marks a pending request as answered, for one caller only. A pushed request is spent, whichever browser answers it.
 * `code` is written in the same step; it has the family part of the request's id. `exists`: it was answered before.
 * @throws StorageUnavailable
 */
export function answerOnce(context: UseContext, pending: PendingRecord, code?: NewCode): Promise<Created> {
  if (pending.pushed !== undefined) return answerPushedOnce(context, pending.pushed, code)
  const { used, ttl } = useOf(context, pending)
  const mark = write(ANSWERED, pending.id, { ...used, ...signInOf(code) }, ttl)
  return context.storage.records.create(mark, ...writesOf(code))
}

/**
 * Spends a pushed request with its answer, for one caller only. With a code, a mark keeps the sid of the code.
 * `exists`: it was answered before, or its time is over.
 * @throws StorageUnavailable
 */
export function answerPushedOnce(context: UseContext, id: string, code?: NewCode): Promise<Created> {
  if (code === undefined) return spendPushed(context, id)
  const used_at = new Date(context.now()).toISOString()
  const mark = write(ANSWERED, id, { used_at, ...signInOf(code) }, code.ttl)
  return spendPushed(context, id, ...writesOf(code), mark)
}

/**
 * Lets the session of an answer that came too late leave the family of the code, which belongs to the first answer. If
 * another tab of the same session gave that answer, the session stays.
 * @param answered the id of the pending or pushed request
 * @param sid the sign-in of the late answer, as the client knows it
 * @throws StorageUnavailable
 */
export async function leaveToFirst(
  { storage }: Pick<JoinContext, 'storage'>,
  answered: string,
  session: Pick<Session, 'id'> | undefined,
  sid: string | undefined,
): Promise<void> {
  const family = parseToken(answered)?.family
  if (session === undefined || family === undefined) return
  const first = recordOf(await storage.records.read(ANSWERED, answered))
  if (first === undefined || first.sid === sid) return
  await leaveFamily({ storage }, session, family)
}

const writesOf = (code: NewCode | undefined): Write[] =>
  code === undefined ? [] : [write(CODE, code.code, code.record, code.ttl)]

const signInOf = (code: NewCode | undefined) => code && { sid: code.record.sid ?? '' }

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
function useOf({ now }: UseContext, { ends_at }: PendingRecord): { used: UsedRecord; ttl: number } {
  const used_at = now()
  const ttl = Math.max(0, Math.ceil((ends_at - used_at) / 1000)) + CLOCK_SKEW
  return { used: { used_at: new Date(used_at).toISOString() }, ttl }
}
