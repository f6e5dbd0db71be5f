import type { ClientId, FamilyId, Sid, Sub } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** A signed-in browser. */
export interface SessionRecord {
  /** The public id of the session (OpenID Connect Back-Channel Logout §2.1). It gives no access. */
  readonly sid: Sid
  readonly username: string
  readonly sub: Sub
  /** When the user signed in, in seconds since 1970. */
  readonly auth_time: number
  /** The authentication methods (RFC 8176), separated by spaces. */
  readonly amr: string
  readonly acr: string
  /** The absolute expiry, in milliseconds since 1970. */
  readonly ends_at: number
  /** The clients that the user signed in to, and the scope that each may obtain without asking. */
  readonly clients: ReadonlyMap<ClientId, string>
  /** The ids of the families that end with the session, and the client_id of each. */
  readonly grants: ReadonlyMap<FamilyId, ClientId>
}

const CLIENT = 'client:'
const FAMILY = 'grant:'

/** The field of a client in the hash of a session. */
const clientField = (client_id: ClientId) => `${CLIENT}${client_id}`
/** The field of a family in the hash of a session. */
const familyField = (family: FamilyId) => `${FAMILY}${family}`

/** Formats a session as the hash to store. */
function formatSession({ auth_time, ends_at, clients, grants, ...texts }: SessionRecord): Hash {
  return {
    ...texts,
    auth_time: String(auth_time),
    ends_at: String(ends_at),
    ...Object.fromEntries([...clients].map(([client_id, scope]) => [clientField(client_id), scope])),
    ...Object.fromEntries([...grants].map(([family, client_id]) => [familyField(family), client_id])),
  }
}

/** Parses the stored hash of a session. */
export function parseSession(hash: Hash): Parsed<SessionRecord> {
  const fields = new FieldReader(hash)
  const number = (field: string) => {
    const value = Number(fields.required(field))
    if (!Number.isSafeInteger(value)) fields.fail(field, 'must be a whole number')
    return value
  }
  const record = {
    sid: fields.required('sid'),
    username: fields.required('username'),
    sub: fields.required('sub'),
    auth_time: number('auth_time'),
    amr: fields.required('amr'),
    acr: fields.required('acr'),
    ends_at: number('ends_at'),
    clients: namesAfter(hash, CLIENT),
    grants: namesAfter(hash, FAMILY),
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}

function namesAfter(hash: Hash, prefix: string): Map<string, string> {
  const entries = Object.entries(hash).filter(([field]) => field.startsWith(prefix))
  return new Map(entries.map(([field, value]) => [field.slice(prefix.length), value]))
}

/** Sessions, by the digest of the browser's cookie. */
export const SESSION: Kind<SessionRecord> = {
  name: 'session',
  ends_at: 'ends_at',
  format: formatSession,
  parse: parseSession,
}

/** Returns the fields that add a client, and a family if there is one, to a session. */
export function joinFields(client_id: ClientId, scope: string, family?: FamilyId): Hash {
  return {
    [clientField(client_id)]: scope,
    ...(family === undefined ? {} : { [familyField(family)]: client_id }),
  }
}
