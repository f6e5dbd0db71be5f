import { randomBytes } from 'node:crypto'
import { CLIENT } from '../clients/record/client-kind.ts'
import type { Settings } from '../config/settings.ts'
import { hasScope } from '../core/admin-scopes.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import { addressOf, type Link, newLink } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { present } from '../core/present.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { plainName } from '../pages/text.ts'
import { sameText } from '../sessions/browser.ts'
import { type Kind, recordOf, type UsableKind, write } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import type { GroupSettings } from '../users/client-access.ts'
import { customClaimField } from '../users/custom-claims.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { USER } from '../users/user-kind.ts'

/** Who invited: a person or a client by the admin API, or the command on the host, whose id is empty. */
export interface Inviter {
  readonly kind: 'client' | 'user' | 'command'
  readonly id: string
}

/** An invitation of people, as storage has it. */
export interface Invitation {
  /** The SHA-256 of the secret in its link. */
  readonly secret_hash: string
  readonly uses_left: number
  /** ISO 8601. */
  readonly created_at: string
  /** ISO 8601. */
  readonly expires_at: string
  readonly by: Inviter
  /** The groups that its people get. */
  readonly groups: readonly string[]
  /** The address of the only person whom it is for. */
  readonly email?: string
  /** The client that its people go on to. */
  readonly client?: ClientId
}

/** The most people whom one invitation is for. */
export const MAX_USES = 1000
/** The longest lifetime of an invitation, in days. */
export const MAX_DAYS = 90
/** What an invitation is if nothing else is said. */
export const DEFAULT_INVITATION = { uses: 1, days: 7, groups: [] } as const

/** What an inviter must be allowed, when the invitation is made and when it is used. */
export const INVITING_SCOPE = 'redmint:users:write'

const DAY = 86_400
// In hexadecimal: an id of the command line that begins with a dash would be a flag.
const ID_BYTES = 8

/** Invitations of people, by their id, which the link begins with. */
export const USER_INVITATION: Kind<Invitation> & UsableKind = {
  name: 'user-invitation',
  by_operators: true,
  listed: true,
  uses_left: 'uses_left',
  stays_used: true,
  format: ({ uses_left, by, groups, email, client, ...texts }) => ({
    ...texts,
    uses_left: String(uses_left),
    by_kind: by.kind,
    by: by.id,
    groups: JSON.stringify(groups),
    ...(email !== undefined && { email }),
    ...(client !== undefined && { client }),
  }),
  parse: parseInvitation,
}

/** What it takes to make an invitation. */
export interface InviteContext {
  readonly storage: RecordStore
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What an invitation is to be; `days`: how long it lasts. */
export interface NewInvitation extends Pick<Invitation, 'by' | 'groups' | 'email' | 'client'> {
  readonly uses: number
  readonly days: number
}

/** An invitation that was made. The address is shown once: storage has only its digest. */
export interface GivenInvitation {
  readonly id: string
  readonly url: string
  /** ISO 8601. */
  readonly expires_at: string
}

/** Makes an invitation, and reports it. @throws StorageUnavailable */
export async function giveInvitation(
  context: InviteContext & { readonly report: ReportEvent },
  { uses, days, ...wanted }: NewInvitation,
): Promise<GivenInvitation> {
  const { storage, settings, now } = context
  const link = newLink(randomBytes(ID_BYTES).toString('hex'))
  const at = now()
  const [created_at = '', expires_at = ''] = [at, at + days * DAY * 1000].map((ms) =>
    new Date(ms).toISOString(),
  )
  const record: Invitation = {
    ...wanted,
    secret_hash: link.digest,
    uses_left: uses,
    created_at,
    expires_at,
  }
  const { groups } = wanted
  const event: SecurityEvent = { event: 'user_invited', invitation: link.tag, uses, groups, expires_at }
  const invitation = write(USER_INVITATION, link.tag, record, days * DAY)
  await commit(context, [event], {}, async (told) => {
    await storage.records.put({ ...invitation, told })
    return 'ok'
  })
  return { id: link.tag, url: addressOf(settings.issuer, PATHS.welcome, link), expires_at }
}

/**
 * Finds the invitation of a link. Undefined if there is none, it ended, its inviter may not invite any more, or somebody
 * else has its address by now.
 * @throws StorageUnavailable
 */
export async function findInvitation(
  { storage, now }: Pick<InviteContext, 'storage' | 'now'>,
  { tag, digest }: Link,
): Promise<Invitation | undefined> {
  const invitation = recordOf(await storage.records.read(USER_INVITATION, tag))
  if (invitation === undefined || !sameText(invitation.secret_hash, digest)) return undefined
  const { uses_left, expires_at, by, email } = invitation
  if (uses_left < 1 || Date.parse(expires_at) <= now() || !(await mayInvite(storage, by))) return undefined
  return email !== undefined && (await isNameTaken(storage, email)) ? undefined : invitation
}

/** Returns the claims that an invitation gives, as the record of a user has them. The inviter vouches for the address. */
export function claimsOf(
  { groups, email }: Pick<Invitation, 'groups' | 'email'>,
  { groups_claim }: GroupSettings,
): Hash {
  return {
    ...(groups.length > 0 && { [customClaimField(groups_claim)]: JSON.stringify(groups) }),
    ...(email !== undefined && { email, email_verified: 'true' }),
  }
}

/** The person who invites: the name, else the username, for a page, and the sub. */
export interface InvitingPerson {
  readonly inviter: string
  /** Absent: the person was removed a moment ago. */
  readonly inviter_sub?: string
}

/** Returns who invites; undefined: it is no person. @throws StorageUnavailable */
export async function invitingPerson(
  { records }: Pick<Storage, 'records'>,
  { kind, id }: Inviter,
): Promise<InvitingPerson | undefined> {
  if (kind !== 'user') return undefined
  const user = recordOf(await records.read(USER, id))
  // A name of invisible characters alone says nothing.
  return { inviter: plainName(user?.claims.name ?? '') || id, ...present({ inviter_sub: user?.sub }) }
}

async function mayInvite({ records }: Pick<Storage, 'records'>, { kind, id }: Inviter): Promise<boolean> {
  if (kind === 'command') return true
  const may = (scopes: readonly string[] = []) => hasScope(new Set(scopes), INVITING_SCOPE)
  if (kind === 'client') {
    const client = recordOf(await records.read(CLIENT, id))
    return client !== undefined && !client.disabled && may(client.allowed_scopes)
  }
  const user = recordOf(await records.read(USER, id))
  return user !== undefined && !user.disabled && may(user.admin)
}

function parseInvitation(hash: Hash): Parsed<Invitation> {
  const fields = new FieldReader(hash)
  const uses_left = fields.integer('uses_left', { min: 0, max: MAX_USES, unit: 'uses' }) ?? 0
  const [secret_hash, created_at, expires_at] = [
    fields.required('secret_hash'),
    fields.required('created_at'),
    fields.required('expires_at'),
  ]
  const kind = (['client', 'user', 'command'] as const).find((known) => known === hash.by_kind)
  if (kind === undefined) fields.fail('by_kind', 'must be client, user or command')
  const groups = readGroups(hash.groups)
  if (groups === undefined) fields.fail('groups', 'must be a JSON array of texts')
  if (fields.problems.length > 0 || kind === undefined || groups === undefined)
    return { ok: false, problems: fields.problems }
  const given = fields.given(['email', 'client'])
  const by = { kind, id: hash.by ?? '' }
  const record = { secret_hash, uses_left, created_at, expires_at, by, groups }
  return { ok: true, record: { ...record, ...given } }
}

function readGroups(text = ''): string[] | undefined {
  try {
    const groups: unknown = JSON.parse(text)
    return Array.isArray(groups) && groups.every((group) => typeof group === 'string') ? groups : undefined
  } catch {
    return undefined
  }
}
