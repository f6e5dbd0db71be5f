import type { ClientId, Sid } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** A request that waits for the user: its parameters, the browser it belongs to, and what the user did so far. */
export interface PendingRecord {
  /** The endpoint that received it. */
  readonly kind: 'authorization' | 'logout'
  /** The parameters of the request, as JSON. They are read anew at each step. */
  readonly parameters: string
  /** A digest of the browser's cookie: no other browser can continue the request. */
  readonly browser: string
  /** The client, for people who read storage; absent if the request names none. */
  readonly client_id?: ClientId
  /** The `sid` of the session that was started for this request. */
  readonly signed_in?: Sid
  /** The `sid` of the session that was chosen for this request. */
  readonly chosen?: Sid
  /** The `sid` of the session whose user allowed this request, or denied it. */
  readonly agreed?: Sid
  readonly refused?: Sid
  /** `true` after the user asked for another account. */
  readonly other_account?: string
  /** Why the last attempt to sign in was refused: `failed`, or until when, in milliseconds since 1970. */
  readonly problem?: string
  /** The username of that attempt. */
  readonly username?: string
  /** The sign-in method that waits for an answer, and where the answer comes from: `page` or `site`. */
  readonly method?: string
  readonly answer_from?: string
  /** What that method keeps until the answer arrives. */
  readonly challenge?: string
}

const OPTIONAL_FIELDS = [
  'client_id',
  'signed_in',
  'chosen',
  'agreed',
  'refused',
  'other_account',
  'problem',
  'username',
  'method',
  'answer_from',
  'challenge',
] as const

/** The hash of a pending request, or of some of its fields, in storage. */
export function formatPending(record: Partial<PendingRecord>): Hash {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** Reads a pending request from its hash in storage. */
function parsePending(hash: Hash): Parsed<PendingRecord> {
  const fields = new FieldReader(hash)
  const kind = fields.oneOf('kind', ['authorization', 'logout'])
  if (kind === undefined) fields.required('kind')
  const parameters = fields.required('parameters')
  const browser = fields.required('browser')
  if (fields.problems.length > 0 || kind === undefined) return { ok: false, problems: fields.problems }
  return { ok: true, record: { kind, parameters, browser, ...fields.given(OPTIONAL_FIELDS) } }
}

/** Pending requests, by a token string: the code that answers one has the same family part, and so the same slot. */
export const PENDING: Kind<PendingRecord> = {
  name: 'pending',
  slot: 'family',
  single_use: true,
  format: formatPending,
  parse: parsePending,
}
