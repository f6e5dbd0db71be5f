import { FieldReader, type Hash, type Parsed } from './hash.ts'

/** What an authorization code stands for: the answers of the authorization endpoint, bound to one request. */
export interface CodeRecord {
  readonly client_id: string
  readonly redirect_uri: string
  readonly scope: string
  readonly subject: string
  readonly code_challenge: string
  readonly nonce?: string
  /** When the user signed in, in seconds since 1970. */
  readonly auth_time: number
}

/** The hash that stands for a fresh code in storage; `status` becomes `spent` when the code is redeemed. */
export function formatCode(code: CodeRecord): Hash {
  return {
    client_id: code.client_id,
    redirect_uri: code.redirect_uri,
    scope: code.scope,
    subject: code.subject,
    code_challenge: code.code_challenge,
    ...(code.nonce === undefined ? {} : { nonce: code.nonce }),
    auth_time: String(code.auth_time),
    status: 'active',
  }
}

/** Reads a code record back from storage. */
export function parseCode(hash: Hash): Parsed<CodeRecord> {
  const fields = new FieldReader(hash)
  const auth_time = Number(fields.required('auth_time'))
  if (!Number.isSafeInteger(auth_time)) fields.fail('auth_time', 'is no number of seconds')
  const nonce = fields.optional('nonce')
  const record = {
    client_id: fields.required('client_id'),
    redirect_uri: fields.required('redirect_uri'),
    scope: fields.optional('scope') ?? '',
    subject: fields.required('subject'),
    code_challenge: fields.required('code_challenge'),
    ...(nonce === undefined ? {} : { nonce }),
    auth_time,
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}
