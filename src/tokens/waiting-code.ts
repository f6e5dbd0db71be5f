import { hash } from 'node:crypto'
import type { ClientId } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { CODE_KIND } from '../storage/families.ts'
import type { Kind } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { readSignIn, type SignIn } from './code-record.ts'
import { refreshLimit } from './grant-listings.ts'
import { malformed, type PlannedTokens, type RedeemResult } from './token-families.ts'

/** A code that waits for the answer of a person, while its client polls (RFC 8628 §3.4, CIBA §10.1). */
export interface WaitingCode {
  readonly client_id: ClientId
  readonly scope: string
  /** The ids of the resources that were asked for, separated by spaces (RFC 8707). */
  readonly resource?: string
  /** What was asked for in detail (RFC 9396), as text. */
  readonly authorization_details?: string
  /** Where the request came from: an IPv4 address or the network of an IPv6 address. */
  readonly address: string
  /** When it came, ISO 8601. */
  readonly asked_at: string
  /** `pending` until the person answers. */
  readonly status: string
  /** The pending request of the page that answered. */
  readonly answered_by?: string
  /** The sign-in whose person allowed it, as the client knows it. */
  readonly sid?: string
  /** The seconds between two polls. A poll that is too early adds to it. */
  readonly interval: string
}

const REQUIRED = ['client_id', 'address', 'asked_at', 'status', 'interval'] as const
const OPTIONAL = ['answered_by', 'resource', 'authorization_details', 'sid'] as const

/**
 * A kind of codes that wait. An allowed one is redeemed, withdrawn and replayed as every code is. The id is not the code
 * but `waitingIdOf` it, so that nothing which is stored or shown can be presented as one.
 * @param own the names of the fields that it has besides
 */
export function waitingKind<Required extends string, Optional extends string>(own: {
  readonly required: readonly Required[]
  readonly optional: readonly Optional[]
}): Kind<WaitingCode & Record<Required, string> & Partial<Record<Optional, string>>> {
  type Waiting = WaitingCode & Record<Required, string> & Partial<Record<Optional, string>>
  return {
    ...CODE_KIND,
    format: (record) => {
      const given = Object.entries(record).filter(([, value]) => value !== undefined && value !== '')
      return { ...Object.fromEntries(given), scope: record.scope }
    },
    parse(hash: Hash): Parsed<Waiting> {
      const fields = new FieldReader(hash)
      const names = [...REQUIRED, ...own.required]
      const record = {
        ...Object.fromEntries(names.map((name) => [name, fields.required(name)])),
        scope: fields.optional('scope') ?? '',
        ...fields.given([...OPTIONAL, ...own.optional]),
      }
      return fields.problems.length > 0
        ? { ok: false, problems: fields.problems }
        : { ok: true, record: record as unknown as Waiting }
    },
  }
}

/** The id of the record of a code that waits: the same family, and a digest of the secret. Undefined if it is malformed. */
export function waitingIdOf(code: string): string | undefined {
  const parts = parseToken(code)
  return parts && `${parts.family}.${hash('sha256', parts.secret, 'base64url')}`
}

/** The fields that the answer `allow` sets; with them a waiting code can be redeemed. */
export function allowedFields({ auth_time, ...sign_in }: SignIn, scope: string): Hash {
  const given = Object.entries(sign_in).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(given),
    auth_time: String(auth_time),
    scope,
    ...refreshLimit(scope),
    status: 'active',
  }
}

/** One attempt to redeem a code that waits. */
export interface WaitingRedemption extends PlannedTokens {
  /** What the code is bound to: its client, and what tells its kind from others; undefined: the field must be absent. */
  readonly bound_to: { readonly client_id: ClientId; readonly kind: string | undefined }
}

/** The result of redeemWaiting. `mismatch`: the code was issued to another client, or is of another kind. */
export type WaitingResult =
  | { outcome: 'ok'; scope: string; sign_in: SignIn }
  | Exclude<RedeemResult, { outcome: 'ok' }>

/**
 * Asks for the tokens of a code that waits, and redeems it once after its person allowed it.
 * @throws StorageUnavailable; Error if the record is malformed
 */
export async function redeemWaiting(
  { families }: Pick<Storage, 'families'>,
  code: string,
  { bound_to, ...redemption }: WaitingRedemption,
): Promise<WaitingResult> {
  const id = waitingIdOf(code)
  if (id === undefined) return { outcome: 'missing' }
  // What the code is bound to comes last, so that no member of an attempt replaces it.
  const attempt = {
    ...redemption,
    // An authorization code has a redirect_uri, so it cannot be redeemed as a code that waits.
    bound_to: { ...bound_to, redirect_uri: undefined },
  }
  const result = await families.redeemCode(id, attempt)
  if (result.outcome !== 'ok') return result
  const fields = new FieldReader(result.code)
  const sign_in = readSignIn(fields)
  if (fields.problems.length > 0) throw malformed('code', fields.problems)
  return { outcome: 'ok', scope: fields.optional('scope') ?? '', sign_in }
}
