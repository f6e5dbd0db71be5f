import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { parseToken } from '../core/token-string.ts'
import { type JoinContext, leaveFamily } from '../sessions/join-session.ts'
import type { Session } from '../sessions/session.ts'
import { type Created, type Kind, recordOf, type Write, write } from '../storage/records.ts'
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
}

/**
 * Marks a pending request as answered, for one caller only. A pushed request is spent, whichever browser answers it.
 * `code` is written in the same step; it has the family part of the request's id. `exists`: it was answered before.
 * @throws StorageUnavailable
 */
export function answerOnce(context: UseContext, pending: PendingRecord, code?: NewCode): Promise<Created> {
  if (pending.pushed !== undefined) return answerPushedOnce(context, pending.pushed, code)
  const now = context.now()
  // A replica whose clock is behind still accepts the request.
  const ttl = Math.max(0, Math.ceil((pending.ends_at - now) / 1000)) + CLOCK_SKEW
  const used = { used_at: new Date(now).toISOString(), ...signInOf(code) }
  const mark = write(ANSWERED, pending.id, used, ttl)
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
