// What both storages do alike, so that they give equal answers.
import { parseToken } from '../ids.ts'
import { parseCode } from '../records/code.ts'
import type { Hash } from '../records/hash.ts'
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
  const [[field, name] = ['', '']] = Object.entries(holder)
  return name !== '' && record[field] === name
}

/** The answer to the attempt that spent a code. */
export function redeemed(hash: Hash): RedeemResult {
  const parsed = parseCode(hash)
  if (parsed.ok) return { outcome: 'ok', code: parsed.record }
  throw new Error(`the code record is malformed: ${parsed.problems.map(({ field }) => field).join(', ')}`)
}
