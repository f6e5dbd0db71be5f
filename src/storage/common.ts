// What both storages do alike, so that they give equal answers.

import { type FieldProblem, FieldReader, type Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { type PendingRecord, parsePending } from '../interaction/pending-record.ts'
import { parseSession, type SessionRecord } from '../sessions/session-record.ts'
import { parseCode, readSignIn, type SignIn } from '../tokens/code-record.ts'
import type { Holder, RedeemResult } from './storage.ts'

/** @throws TypeError for a record without fields: Redis cannot hold one. */
export function assertFields(hash: Hash): void {
  if (Object.keys(hash).length === 0) throw new TypeError('a record has at least one field')
}

/** @throws TypeError where it is no code or token string: there is no family that it could be of. */
export function assertToken(token: string): void {
  if (parseToken(token) === undefined) throw new TypeError('not a code or token string')
}

/** Whether a string can be a grant, the first part of a token string. */
export function isGrant(grant: string): boolean {
  return /^[A-Za-z0-9_-]{16}$/.test(grant)
}

/**
 * The grant that a presented code or token string is of, or undefined where it is no such string.
 * @throws TypeError where a token to be written is of another grant: its family could not revoke it.
 */
export function grantOfTokens(presented: string, ...written: (string | undefined)[]): string | undefined {
  const grant = parseToken(presented)?.grant
  if (grant === undefined) return undefined
  for (const token of written) {
    if (token !== undefined && parseToken(token)?.grant !== grant) {
      throw new TypeError('tokens have the grant part of what they are issued for')
    }
  }
  return grant
}

/** Whether a code, token or grant is this holder's. A token without a subject is no user's. */
export function isHeldBy(record: Hash, holder: Holder): boolean {
  return Object.entries(holder).some(([field, name]) => name !== '' && record[field] === name)
}

/** Whether a session is this holder's. A client has none of its own. */
export function isSessionOf({ sub = '', username = '' }: Hash, holder: Holder): boolean {
  return isHeldBy({ subject: sub, username }, holder)
}

/** Under which name a consent is kept: two pairs of a user and a client never share one. */
export function consentName(sub: string, client_id: string): string {
  return `${encodeURIComponent(sub.toWellFormed())}:${client_id.toWellFormed()}`
}

/** A session as it is in storage; one that somebody spoiled by hand is none. */
export function sessionOf(hash: Hash): SessionRecord | undefined {
  const parsed = parseSession(hash)
  return parsed.ok ? parsed.record : undefined
}

/** A pending request as it is in storage; one that somebody spoiled by hand is none. */
export function pendingOf(hash: Hash): PendingRecord | undefined {
  const parsed = parsePending(hash)
  return parsed.ok ? parsed.record : undefined
}

/** What a grant's record says of the sign-in. */
export function signInOf(grant: Hash): SignIn {
  const fields = new FieldReader(grant)
  const sign_in = readSignIn(fields)
  if (fields.problems.length === 0) return sign_in
  throw malformed('grant', fields.problems)
}

/** The answer to the attempt that spent a code. */
export function redeemed(hash: Hash): RedeemResult {
  const parsed = parseCode(hash)
  if (parsed.ok) return { outcome: 'ok', code: parsed.record }
  throw malformed('code', parsed.problems)
}

function malformed(kind: string, problems: readonly FieldProblem[]): Error {
  return new Error(`the ${kind} record is malformed: ${problems.map(({ field }) => field).join(', ')}`)
}
