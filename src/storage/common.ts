// What both storages do alike, so that they give equal answers.
import { parseToken } from '../ids.ts'
import { parseCode } from '../records/code.ts'
import type { Hash } from '../records/hash.ts'
import type { RedeemResult, Redemption } from './storage.ts'

/** @throws TypeError for a record without fields: Redis cannot hold one. */
export function assertFields(hash: Hash): void {
  if (Object.keys(hash).length === 0) throw new TypeError('a record has at least one field')
}

/** Whether a string can be a grant, the first part of a token string. */
export function isGrant(grant: string): boolean {
  return /^[A-Za-z0-9_-]{16}$/.test(grant)
}

/**
 * The grant that a redemption is about, or undefined where `code` is no code string.
 * @throws TypeError where a token to be written is of another grant: its family could not revoke it.
 */
export function grantOfRedemption(code: string, redemption: Redemption): string | undefined {
  const grant = parseToken(code)?.grant
  if (grant === undefined) return undefined
  for (const token of [redemption.refresh_token, redemption.access_token]) {
    if (token !== undefined && parseToken(token)?.grant !== grant) {
      throw new TypeError('the tokens of a redemption have the grant part of its code')
    }
  }
  return grant
}

/** The answer to the attempt that spent a code. */
export function redeemed(hash: Hash): RedeemResult {
  const parsed = parseCode(hash)
  if (parsed.ok) return { outcome: 'ok', code: parsed.record }
  throw new Error(`the code record is malformed: ${parsed.problems.map(({ field }) => field).join(', ')}`)
}
