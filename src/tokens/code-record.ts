import type { ClientId, Sid } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { CODE_KIND, SIGN_IN_FIELDS } from '../storage/families.ts'
import type { Kind } from '../storage/records.ts'

/** The facts of the grant of a user that its grant record and tokens contain. */
export interface GrantFacts {
  /** The user as the client knows them: the user's sub, or a pairwise one. */
  readonly subject: string
  /** When the user signed in, in seconds since 1970; absent if a trusted issuer does not say it. */
  readonly auth_time?: number
  /** When a trusted issuer that does not say `auth_time` issued its assertion, in seconds since 1970. */
  readonly asserted_at?: number
  /** The account; absent in grant records from before redmint had accounts. */
  readonly username?: string
  /** The sid of the session as the client knows it (OpenID Connect Back-Channel Logout §2.1); absent in demo mode. */
  readonly sid?: Sid
  /** The trusted issuer whose assertion is the sign-in; then there is no session. */
  readonly assertion_issuer?: string
  /** The authentication methods (RFC 8176), separated by spaces. */
  readonly amr?: string
  /** The authentication context class (OpenID Connect Core §2). */
  readonly acr?: string
  /** The claims that were requested by name, as `formatClaimsRequest` writes them. */
  readonly claims?: string
  /** The ids of the resources that access tokens may be for, separated by spaces; absent: this server. */
  readonly resource?: string
  /** What the user allowed in detail (RFC 9396), as text; absent: nothing. */
  readonly authorization_details?: string
  /**
   * Who acts as the user, if an operator does: `user`, whose username is `operator`, or `command`; then there is no
   * session.
   */
  readonly acted_by?: string
  readonly operator?: string
  /** When the user granted it, in milliseconds since 1970; absent: it was written by hand. */
  readonly started_at?: string
  /** When its session started, in milliseconds since 1970. What began before that session was ended ends with it. */
  readonly session_started_at?: string
}

/** The facts of one sign-in at this server. */
export interface SignIn extends Omit<GrantFacts, 'asserted_at'> {
  readonly auth_time: number
}

/** An authorization code in storage: the sign-in, and the authorization request that it belongs to. */
export interface CodeRecord extends SignIn {
  readonly client_id: ClientId
  readonly redirect_uri: string
  readonly scope: string
  /** Absent if a client that may omit PKCE sent none. */
  readonly code_challenge?: string
  readonly nonce?: string
  /** For how many seconds its tokens can be refreshed at most; absent: as long as those of its client. */
  readonly refresh_for?: string
  /** The thumbprint of the DPoP key that must redeem it (RFC 9449 §10); absent: any request may. */
  readonly dpop_jkt?: string
}

/** Formats a new code for storage. Redeeming it changes `status` to `spent`. */
export function formatCode(record: CodeRecord): Hash {
  const hash: Record<string, string> = { status: 'active' }
  for (const name of Object.keys(record) as (keyof CodeRecord)[]) {
    const value: string | number | undefined = record[name]
    if (value !== undefined) hash[name] = String(value)
  }
  return hash
}

/** Parses a code record from storage. */
export function parseCode(hash: Hash): Parsed<CodeRecord> {
  const fields = new FieldReader(hash)
  const sign_in = readSignIn(fields)
  const record = {
    client_id: fields.required('client_id'),
    redirect_uri: fields.required('redirect_uri'),
    scope: fields.optional('scope') ?? '',
    ...sign_in,
    ...fields.given(['code_challenge', 'nonce', 'dpop_jkt']),
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}

/** Reads the sign-in from the fields of a code or grant record; `fields` collects the problems. */
export function readSignIn(fields: FieldReader): SignIn {
  const auth_time = Number(fields.required('auth_time'))
  if (!Number.isSafeInteger(auth_time)) fields.fail('auth_time', 'is not a number of seconds')
  return { subject: fields.required('subject'), auth_time, ...fields.given(SIGN_IN_FIELDS) }
}

/** Authorization codes, by code string. */
export const CODE: Kind<CodeRecord> = { ...CODE_KIND, format: formatCode, parse: parseCode }
