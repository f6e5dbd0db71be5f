import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** A request that waits for its person: what was asked, whose browser it is, and how far the person has come. */
export interface PendingRecord {
  /** Which endpoint it came to. */
  readonly kind: 'authorization' | 'logout'
  /** The parameters of the request, as JSON. They are read anew at each step. */
  readonly parameters: string
  /** A digest of what the browser's cookie holds: no other browser can go on with it. */
  readonly browser: string
  /** The client, for whoever looks into storage; absent where the request names none. */
  readonly client_id?: string
  /** The `sid` of the session that somebody signed in to for this request. */
  readonly signed_in?: string
  /** The `sid` of the session that was chosen for this request. */
  readonly chosen?: string
  /** The `sid` of the session whose user agreed to this request, or did not. */
  readonly agreed?: string
  readonly refused?: string
  /** `true` once the person wants another account than the one that is signed in. */
  readonly other_account?: string
  /** What the last attempt to sign in was refused for: `failed`, or until when, in milliseconds since 1970. */
  readonly problem?: string
  /** The username of that attempt. */
  readonly username?: string
}

const MAY_BE_ABSENT = [
  'client_id',
  'signed_in',
  'chosen',
  'agreed',
  'refused',
  'other_account',
  'problem',
  'username',
] as const

/** The hash, or the fields of one, that stand for a pending request in storage. */
export function formatPending(record: Partial<PendingRecord>): Hash {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** Reads a pending request back from storage. */
export function parsePending(hash: Hash): Parsed<PendingRecord> {
  const fields = new FieldReader(hash)
  const kind = fields.oneOf('kind', ['authorization', 'logout'])
  if (kind === undefined) fields.required('kind')
  const parameters = fields.required('parameters')
  const browser = fields.required('browser')
  if (fields.problems.length > 0 || kind === undefined) return { ok: false, problems: fields.problems }
  return { ok: true, record: { kind, parameters, browser, ...fields.given(MAY_BE_ABSENT) } }
}

/** Pending requests, by a token string: the code that answers one has the same family part, and so the same slot. */
export const PENDING: Kind<PendingRecord> = {
  name: 'pending',
  slot: 'family',
  single_use: true,
  format: formatPending,
  parse: parsePending,
}
