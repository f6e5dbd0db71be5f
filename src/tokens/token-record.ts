import { type Actor, parseActor } from '../core/actor.ts'
import { confirmationOf, type KeyConfirmation } from '../core/confirmation.ts'
import type { ClientId } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { parseDetails } from '../details/read-details.ts'

export const TOKEN_TYPES = ['access_token', 'refresh_token'] as const
export type TokenType = (typeof TOKEN_TYPES)[number]

/** An opaque access token or a refresh token in storage. */
export interface TokenRecord {
  readonly jti: string
  readonly type: TokenType
  /** The user; empty if the client acts for itself. */
  readonly subject: string
  readonly scope: string
  readonly expires_at: Date
  readonly revoked: boolean
  readonly client_id: ClientId
  /** Whom the token is for; absent: this server. */
  readonly audience?: readonly string[]
  /** What the token is bound to; absent: nothing. */
  readonly confirmation?: KeyConfirmation
  /** When it was issued, in seconds since 1970; absent: its record does not say it. */
  readonly issued_at?: number
  /** Who acts for the user (RFC 8693 §4.1); absent: nobody but its client. */
  readonly act?: Actor
  /** What it is for in detail (RFC 9396), as text; absent: nothing. */
  readonly authorization_details?: string
}

// Date.parse also accepts a year alone, words and local time.
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

const SECONDS = { min: 0, max: 1e12, unit: 'seconds' }

/** Parses a token record from storage. Any invalid field makes it malformed: an operator may have written it by hand. */
export function parseTokenRecord(token: string, hash: Hash): Parsed<TokenRecord> {
  const fields = new FieldReader(hash)
  if (fields.optional('jti') !== token) fields.fail('jti', 'differs from the name in the key')
  const type = fields.oneOf('type', TOKEN_TYPES)
  if (type === undefined) fields.required('type')
  const instant = fields.required('expires_at')
  const expires_at = new Date(instant)
  if (!INSTANT.test(instant) || Number.isNaN(expires_at.getTime())) {
    fields.fail('expires_at', 'is not an ISO 8601 instant such as 2026-11-21T10:15:30Z')
  }
  const client_id = fields.required('client_id')
  const revoked = fields.boolean('revoked')
  const audience = fields.optional('audience')?.split(' ')
  const confirmation = confirmationOf(fields.optional('jkt'), fields.optional('x5t#S256'))
  const issued_at = fields.integer('issued_at', SECONDS)
  const act_text = fields.optional('act')
  const act = act_text === undefined ? undefined : parseActor(act_text)
  // Without its actor it would pass for a token of the user alone.
  if (act_text !== undefined && act === undefined) fields.fail('act', 'is not an actor (RFC 8693 §4.1)')
  const authorization_details = fields.optional('authorization_details')
  // What is left of it could be more than what was granted.
  if (authorization_details !== undefined && parseDetails(authorization_details).length === 0)
    fields.fail('authorization_details', 'is no list of objects with a type (RFC 9396)')
  if (fields.problems.length > 0 || type === undefined) return { ok: false, problems: fields.problems }
  const record: TokenRecord = {
    jti: token,
    type,
    subject: fields.optional('subject') ?? '',
    scope: fields.optional('scope') ?? '',
    expires_at,
    revoked,
    client_id,
  }
  return {
    ok: true,
    record: Object.assign(
      record,
      audience && { audience },
      confirmation && { confirmation },
      issued_at !== undefined && { issued_at },
      act && { act },
      authorization_details && { authorization_details },
    ),
  }
}
