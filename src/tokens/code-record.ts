import type { ClientId, Sid } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { CODE_KIND } from '../storage/families.ts'
import type { Kind } from '../storage/records.ts'

/** What the tokens of one sign-in say of it, from the code to the last refresh. */
export interface SignIn {
  /** The user as the client knows them: the user's sub, or a pairwise one. */
  readonly subject: string
  /** When the user signed in, in seconds since 1970. */
  readonly auth_time: number
  /** Whose account it is; absent in grants of the time before accounts. */
  readonly username?: string
  /** The session that it belongs to (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: Sid
  /** How the user signed in (RFC 8176), separated by spaces, and what that is worth. */
  readonly amr?: string
  readonly acr?: string
  /** The claims that were asked for by name, as `formatClaimsRequest` writes them. */
  readonly claims?: string
}

/** What an authorization code stands for: the answers of the authorization endpoint, bound to one request. */
export interface CodeRecord extends SignIn {
  readonly client_id: ClientId
  readonly redirect_uri: string
  readonly scope: string
  /** Absent where a client that is exempted from PKCE sent none. */
  readonly code_challenge?: string
  readonly nonce?: string
}

/** The fields of a sign-in that a code and then its grant have where they are known. */
export const SIGN_IN_FIELDS = ['username', 'sid', 'amr', 'acr', 'claims'] as const

/** The hash that stands for a fresh code in storage; `status` becomes `spent` when the code is redeemed. */
export function formatCode({ auth_time, ...code }: CodeRecord): Hash {
  const given = Object.entries(code).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), auth_time: String(auth_time), status: 'active' }
}

/** Reads a code record back from storage. */
export function parseCode(hash: Hash): Parsed<CodeRecord> {
  const fields = new FieldReader(hash)
  const sign_in = readSignIn(fields)
  const record = {
    client_id: fields.required('client_id'),
    redirect_uri: fields.required('redirect_uri'),
    scope: fields.optional('scope') ?? '',
    ...sign_in,
    ...fields.given(['code_challenge', 'nonce']),
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}

/** Reads what a code or a grant says of its sign-in. */
export function readSignIn(fields: FieldReader): SignIn {
  const auth_time = Number(fields.required('auth_time'))
  if (!Number.isSafeInteger(auth_time)) fields.fail('auth_time', 'is no number of seconds')
  return { subject: fields.required('subject'), auth_time, ...fields.given(SIGN_IN_FIELDS) }
}

/** Authorization codes, by code string. */
export const CODE: Kind<CodeRecord> = { ...CODE_KIND, format: formatCode, parse: parseCode }
