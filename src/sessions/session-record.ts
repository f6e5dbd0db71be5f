import type { ClientId, FamilyId, Sid, Sub } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** A signed-in browser. */
export interface SessionRecord {
  /** What clients call this session (OpenID Connect Back-Channel Logout §2.1). It opens nothing. */
  readonly sid: Sid
  readonly username: string
  readonly sub: Sub
  /** When the user last proved to be the user, in seconds since 1970. */
  readonly auth_time: number
  /** How (RFC 8176), separated by spaces, and what that is worth. */
  readonly amr: string
  readonly acr: string
  /** When it is over however much it is used, in milliseconds since 1970. */
  readonly ends_at: number
  /** Which clients the user went on to, and the scope that each may have without asking. */
  readonly clients: ReadonlyMap<ClientId, string>
  /** The grants that end with the session, and whose they are. */
  readonly grants: ReadonlyMap<FamilyId, ClientId>
}

const CLIENT = 'client:'
const GRANT = 'grant:'

/** The field of a session's hash that stands for a client. */
const clientField = (client_id: ClientId) => `${CLIENT}${client_id}`
/** The field of a session's hash that stands for a grant. */
const grantField = (grant: FamilyId) => `${GRANT}${grant}`

/** The hash that stands for a session in storage. */
function formatSession({ auth_time, ends_at, clients, grants, ...texts }: SessionRecord): Hash {
  return {
    ...texts,
    auth_time: String(auth_time),
    ends_at: String(ends_at),
    ...Object.fromEntries([...clients].map(([client_id, scope]) => [clientField(client_id), scope])),
    ...Object.fromEntries([...grants].map(([grant, client_id]) => [grantField(grant), client_id])),
  }
}

/** Reads a session back from storage. */
export function parseSession(hash: Hash): Parsed<SessionRecord> {
  const fields = new FieldReader(hash)
  const number = (field: string) => {
    const value = Number(fields.required(field))
    if (!Number.isSafeInteger(value)) fields.fail(field, 'is no whole number')
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
    grants: namesAfter(hash, GRANT),
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

/** The fields that note in a session that its user goes on to a client. */
export function joinFields(client_id: ClientId, scope: string, family?: FamilyId): Hash {
  return {
    [clientField(client_id)]: scope,
    ...(family === undefined ? {} : { [grantField(family)]: client_id }),
  }
}
