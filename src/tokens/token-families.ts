import type { ClientId } from '../core/ids.ts'
import { type FieldProblem, FieldReader, type Hash } from '../core/record-hash.ts'
import type { Redeemed, Redemption, Refresh, Refreshed } from '../storage/families.ts'
import type { Storage } from '../storage/storage.ts'
import { type CodeRecord, parseCode, readSignIn, type SignIn } from './code-record.ts'

/** What an attempt to redeem a code writes. Lifetimes are in seconds, tokens have the family id of the code. */
export type PlannedTokens = Omit<Redemption, 'bound_to'>

/** One attempt to redeem an authorization code. */
export interface CodeRedemption extends PlannedTokens {
  client_id: ClientId
  redirect_uri: string
  /** The S256 challenge of the presented code_verifier; absent if none was presented. */
  code_challenge?: string
}

/** The result of redeemCode. `mismatch` names the first of client_id, redirect_uri and code_challenge that differs. */
export type RedeemResult = { outcome: 'ok'; code: CodeRecord } | Exclude<Redeemed, { outcome: 'ok' }>

/**
 * Redeems a code once for tokens. client_id, redirect_uri and code_challenge must equal those of the authorization
 * request; they are checked in this order, before the check whether the code is spent.
 * @throws StorageUnavailable; Error if the code record is malformed
 */
export async function redeemCode(
  { families }: Pick<Storage, 'families'>,
  code: string,
  redemption: CodeRedemption,
): Promise<RedeemResult> {
  const { client_id, redirect_uri, code_challenge } = redemption
  // What the code is bound to comes last, so that no member of an attempt replaces it; not by a spread (decision 76).
  const attempt = Object.assign({}, redemption, {
    // RFC 6749 §4.1.3, RFC 7636 §4.6. A code without challenge is redeemed without verifier.
    bound_to: { client_id, redirect_uri, code_challenge },
  })
  const result = await families.redeemCode(code, attempt)
  if (result.outcome !== 'ok') return result
  const parsed = parseCode(result.code)
  if (parsed.ok) return { outcome: 'ok', code: parsed.record }
  throw malformed('code', parsed.problems)
}

/** The result of useRefreshToken. */
export type RefreshResult =
  | (Omit<Extract<Refreshed, { outcome: 'ok' }>, 'family'> & {
      sign_in: SignIn
      /** When the refresh tokens of the family expire, in milliseconds since 1970. */
      refresh_until: number
    })
  | Exclude<Refreshed, { outcome: 'ok' }>

/**
 * Uses a refresh token: spends it if there is a successor, and writes the new tokens.
 * @throws StorageUnavailable; Error if the grant record is malformed
 */
export async function useRefreshToken(
  { families }: Pick<Storage, 'families'>,
  token: string,
  refresh: Refresh,
): Promise<RefreshResult> {
  const result = await families.refresh(token, refresh)
  if (result.outcome !== 'ok') return result
  const { family, ...rest } = result
  return { sign_in: signInOf(family), refresh_until: Number(family.refresh_until), ...rest }
}

function signInOf(family: Hash): SignIn {
  const fields = new FieldReader(family)
  const sign_in = readSignIn(fields)
  if (fields.problems.length === 0) return sign_in
  throw malformed('grant', fields.problems)
}

/** The error of a record that storage has and that cannot be read. */
export function malformed(kind: string, problems: readonly FieldProblem[]): Error {
  return new Error(`the ${kind} record is malformed: ${problems.map(({ field }) => field).join(', ')}`)
}
