import type { ClientId, FamilyId, Sid, Sub } from '../core/ids.ts'
import { timeIn } from '../core/instant.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind, ReadableKind } from '../storage/records.ts'
import type { CameFrom } from './came-from.ts'

/** Who is signed in in a browser, and how. */
export interface SignedIn {
  /** The public id of the session (OpenID Connect Back-Channel Logout §2.1). It gives no access. */
  readonly sid: Sid
  readonly username: string
  readonly sub: Sub
  /** When the user proved who it is, in seconds since 1970; 0: that is not known. */
  readonly auth_time: number
  /** The authentication methods (RFC 8176), separated by spaces. */
  readonly amr: string
  readonly acr: string
  /** When it started, in milliseconds since 1970: it keeps that when its user signs in again. */
  readonly started_at: number
  /** The absolute expiry, in milliseconds since 1970. */
  readonly ends_at: number
}

/** A signed-in browser. */
export interface SessionRecord extends SignedIn, SeenBrowser, CameFrom {
  /** The digest of the part of its cookie that signs in, new at each sign-in; absent: no cookie signs in. */
  readonly secret?: string
  /**
   * When it was used last, in milliseconds since 1970: noted to the minute, and not before it started. Absent: the record
   * does not say it.
   */
  readonly last_used_at?: number
  /**
   * The account as it was when its person signed in; absent: the method did not say. Who signed in just now has confirmed
   * who it is, until the account changes.
   */
  readonly confirmed_state?: string
  /** The clients that the user signed in to: they are told of the logout. */
  readonly clients: ReadonlySet<ClientId>
  /** The families that end with the session. */
  readonly families: ReadonlyMap<FamilyId, JoinedFamily>
}

/** What a user would recognise a browser by. */
export interface SeenBrowser {
  /** As `browserName` says it. */
  readonly browser?: string
  /** Where the session started: an IPv4 address, or the network of an IPv6 address. */
  readonly address?: string
}

/** A family that ends with a session. */
export interface JoinedFamily {
  readonly client_id: ClientId
  /** In milliseconds since 1970. */
  readonly joined_at: number
}

const CLIENT = 'client:'
const FAMILY = 'grant:'

/** The field of a client in the hash of a session. */
export const clientField = (client_id: ClientId) => `${CLIENT}${client_id}`
/** The field of a family in the hash of a session. */
export const familyField = (family: FamilyId) => `${FAMILY}${family}`

/** The fields that say that its person confirmed who it is. */
export const CONFIRMATION_FIELDS = ['confirmed_at', 'confirmed_by', 'confirmed_state'] as const

/** Formats a session as the hash to store. */
export function formatSession(session: SessionRecord): Hash {
  const { auth_time, ends_at, started_at, last_used_at, upstream_at, clients, families, ...texts } = session
  const confirmation = { confirmed_at: String(auth_time * 1000), confirmed_by: session.amr }
  return {
    ...texts,
    ...(session.confirmed_state !== undefined && confirmation),
    started_at: String(started_at),
    ...(last_used_at !== undefined && { last_used_at: String(last_used_at) }),
    ...(upstream_at !== undefined && { upstream_at: String(upstream_at) }),
    auth_time: String(auth_time),
    ends_at: String(ends_at),
    ...joinFields(clients, families),
  }
}

/** Returns the fields of clients and families in the hash of a session. */
export function joinFields(
  clients: Iterable<ClientId>,
  families: Iterable<readonly [FamilyId, JoinedFamily]>,
): Hash {
  return {
    ...Object.fromEntries([...clients].map((client_id) => [clientField(client_id), ''])),
    ...Object.fromEntries(
      [...families].map(([family, { client_id, joined_at }]) => [
        familyField(family),
        `${client_id} ${joined_at}`,
      ]),
    ),
  }
}

/** The fields that every session has. */
export const SIGNED_IN_FIELDS = [
  'sid',
  'username',
  'sub',
  'auth_time',
  'amr',
  'acr',
  'started_at',
  'ends_at',
] as const

/** The fields that say where its person came from. */
export const CAME_FROM_FIELDS = ['upstream_session', 'upstream_user', 'upstream_at'] as const

function parseSignedIn(hash: Hash): Parsed<SignedIn> {
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
    // A record that was written by hand need not say it.
    started_at:
      fields.optional('started_at') === undefined ? number('auth_time') * 1000 : number('started_at'),
    ends_at: number('ends_at'),
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}

/** Parses the stored hash of a session. */
export function parseSession(hash: Hash): Parsed<SessionRecord> {
  const parsed = parseSignedIn(hash)
  if (!parsed.ok) return parsed
  const fields = ['secret', 'last_used_at', 'browser', 'address', ...CAME_FROM_FIELDS] as const
  const { last_used_at, upstream_at, ...given } = new FieldReader(hash).given(fields)
  const noted = timeIn(last_used_at)
  const used = noted === undefined ? {} : { last_used_at: Math.max(noted, parsed.record.started_at) }
  const came_at = timeIn(upstream_at)
  const came = came_at === undefined ? {} : { upstream_at: came_at }
  return { ok: true, record: { ...parsed.record, ...used, ...given, ...came, ...readJoined(hash) } }
}

/** Reads the clients and families in one pass: there may be many. */
function readJoined(hash: Hash): Pick<SessionRecord, 'clients' | 'families'> {
  const clients = new Set<ClientId>()
  const families = new Map<FamilyId, JoinedFamily>()
  for (const [field, value] of Object.entries(hash)) {
    if (field.startsWith(CLIENT)) clients.add(field.slice(CLIENT.length))
    else if (field.startsWith(FAMILY)) families.set(field.slice(FAMILY.length), parseJoined(value))
  }
  return { clients, families }
}

// A client_id may contain spaces. A family that was written by hand without a time is the oldest.
const JOINED = /^(.*) (\d{1,15})$/

function parseJoined(value: string): JoinedFamily {
  const [, client_id = value, joined_at = 0] = JOINED.exec(value) ?? []
  return { client_id, joined_at: Number(joined_at) }
}

/** Sessions, by the ids that their cookies find (`sessionIdOf`). */
export const SESSION: Kind<SessionRecord> = {
  name: 'session',
  ends_at: 'ends_at',
  used_at: 'last_used_at',
  format: formatSession,
  parse: parseSession,
}

/** The part of a session without clients and families, so that reading it costs the same however many joined. */
export const SIGNED_IN: ReadableKind<SignedIn> = {
  name: SESSION.name,
  ends_at: 'ends_at',
  used_at: 'last_used_at',
  parse: parseSignedIn,
}
