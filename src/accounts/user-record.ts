import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'

/** A person's account. Its `sub` stays the same for good, whatever the username becomes. */
export interface User {
  readonly username: string
  readonly sub: string
  /** A PHC string of argon2id (src/accounts/passwords.ts); absent: no password is the right one. Never shown. */
  readonly password_hash?: string
  /** Standard claims (OpenID Connect Core §5.1) by name, as strings. */
  readonly claims: Readonly<Record<string, string>>
  /** A disabled user signs in nowhere. */
  readonly disabled: boolean
}

const OWN_FIELDS = new Set(['sub', 'password_hash', 'disabled'])
// OpenID Connect Core §2: at most 255 ASCII characters.
const SUBJECT = /^[\x21-\x7E]{1,255}$/
const USERNAME = /^[^\s:{}]{1,255}$/u

/** Whether a string can be a subject identifier (OpenID Connect Core §2). */
export function isSubject(value: string): boolean {
  return SUBJECT.test(value)
}

/** Whether a string can name an account: no white space, no colon, no braces. */
export function isUsername(value: string): boolean {
  return USERNAME.test(value)
}

/** Whether a field of a user record is a claim, and not redmint's own. */
export function isClaim(field: string): boolean {
  return !OWN_FIELDS.has(field)
}

/** Reads a user record as it stands in storage. */
export function parseUser(username: string, hash: Hash): Parsed<User> {
  const fields = new FieldReader(hash)
  const sub = fields.required('sub')
  if (sub !== '' && !isSubject(sub)) fields.fail('sub', 'must be 1 to 255 printable ASCII characters')
  const disabled = fields.boolean('disabled', false)
  if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
  const claims = Object.fromEntries(Object.entries(hash).filter(([name]) => isClaim(name)))
  return { ok: true, record: { username, sub, ...fields.given(['password_hash']), claims, disabled } }
}
