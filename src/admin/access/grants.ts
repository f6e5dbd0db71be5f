import { type Static, Type } from '@sinclair/typebox'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { mayDescribe } from '../../clients/documents/metadata-documents.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import type { ClientId, FamilyId } from '../../core/ids.ts'
import { timeIn } from '../../core/instant.ts'
import { scopeNames } from '../../core/scope.ts'
import { subForTrail } from '../../factors/change-factors.ts'
import { queueEnding } from '../../logout/endings-queue.ts'
import { endFamily } from '../../sessions/end-families.ts'
import {
  grantsOf,
  lastUseOf,
  readListedGrants,
  type StoredGrant,
  unlistGrant,
} from '../../tokens/listed-grants.ts'
import { beganBefore, isEnded } from '../../tokens/token-account.ts'
import { noSuchClient } from '../clients/record-type.ts'
import type { AdminContext } from '../operation/operation.ts'
import { notFound } from '../operation/problem.ts'
import { readUser } from '../users/record-type.ts'
import { type AccessContext, endingsContext, type Holders, holdersOf } from './context.ts'
import { ShownDetails, storedDetails } from './details.ts'
import {
  type AccessPage,
  COUNTED,
  type EndedCount,
  instantOf,
  type PageRequested,
  pageOfParts,
} from './page.ts'
import { announce, endAllOf } from './sessions.ts'

const Instant = Type.String({ format: 'date-time' })

/** A grant as operators see it. Its id gives no access. */
export const ShownGrant = Type.Object(
  {
    grant: Type.String({ description: 'The first part of its tokens' }),
    username: Type.Optional(Type.String()),
    client_id: Type.String(),
    scope: Type.String(),
    authorization_details: Type.Optional(ShownDetails),
    acted_by: Type.Optional(
      Type.String({ description: 'The operator who acts as the user by it: `user ada` or `command`' }),
    ),
    resources: Type.Array(Type.String({ description: 'An API that its tokens may be for (RFC 8707)' })),
    started_at: Type.Optional(Instant),
    last_used_at: Type.Optional(Type.String({ format: 'date-time', description: 'The last refresh' })),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Absent: with its access token, which cannot be refreshed',
      }),
    ),
    acting_until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'until when others may have tokens by exchange for it; absent: none has',
      }),
    ),
    bound_to: Type.Optional(
      Type.Object(
        {
          jkt: Type.Optional(Type.String({ description: 'The thumbprint of a DPoP key' })),
          'x5t#S256': Type.Optional(Type.String({ description: 'The thumbprint of a client certificate' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ShownGrant = Static<typeof ShownGrant>

/** Whose grants they are: all of a user, or all of a client. */
export type GrantOwner = { readonly username: string } | { readonly client_id: ClientId }

/** Returns a page of grants. @throws AdminError `not_found`, `invalid_cursor`; StorageUnavailable */
export async function listGrants(
  context: AccessContext,
  owner: GrantOwner,
  wanted: PageRequested = {},
): Promise<AccessPage<ShownGrant>> {
  if ('username' in owner) await readUser(context.storage, owner.username)
  else await assertClient(context, owner.client_id)
  const { items, ...more } = await pageOfGrants(context, owner, wanted)
  return { items: items.map(describeGrant), ...more }
}

/**
 * Ends a grant, with all its tokens.
 * @param owner who must have it; empty: anybody
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endOneGrant(
  context: AdminContext,
  owner: Partial<GrantOwner>,
  family: FamilyId,
): Promise<EndedCount> {
  const { storage } = context
  const record = await storage.families.findFamily(family)
  const is_own = Object.entries(owner).every(([field, name]) => record?.[field] === name)
  if (record?.status !== 'active' || !is_own) throw notFound('grant', family)
  const { username, client_id } = record
  const event: SecurityEvent = { event: 'grants_ended', username, client_id, grant: family, count: 1 }
  const sub = username === undefined ? undefined : await subForTrail(context, username)
  await commit(context, [event], { sub }, (told) => endFamily(context, family, told))
  await unlistGrant(context, { family, started_at: Number(record.started_at ?? 0), record })
  return { ended: 1 }
}

/**
 * Ends all grants of a user, or of a client, however many there are: their tokens are refused within a second. A client that
 * a document describes has no record for a mark: servers end its grants one after the other.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endGrantsOf(context: AdminContext, owner: GrantOwner): Promise<EndedCount> {
  const { storage } = context
  if ('username' in owner) await readUser(context.storage, owner.username)
  else await assertClient(context, owner.client_id)
  const ended = await countGrants(context, owner)
  if ('username' in owner) return endAllOf(context, owner.username, 'grants', ended)
  const event: SecurityEvent = { event: 'grants_ended', ...owner, count: ended }
  const before = context.now() + 1
  const set = { grants_end_before: String(before) }
  const ending = { what: 'client', ...owner, before } as const
  const marked = await commit(context, [event], {}, async (told) => {
    const changed = await storage.records.change(CLIENT, owner.client_id, { set, told })
    if (changed !== 'missing' || !isClientIdUrl(owner.client_id)) return changed
    await queueEnding(storage, ending, told)
    return 'queued'
  })
  if (marked === 'missing') throw noSuchClient(owner.client_id)
  if (marked === 'ok') await queueEnding(storage, ending)
  announce(context)
  return { ended }
}

/** A client that a document describes has no record: it is known by its address, or by what it has. */
export async function assertClient({ storage, settings }: AccessContext, client_id: ClientId): Promise<void> {
  if ((await storage.records.read(CLIENT, client_id)) !== undefined) return
  if (!isClientIdUrl(client_id)) throw noSuchClient(client_id)
  if (mayDescribe(settings, client_id)) return
  if ((await storage.lists.count(grantsOf({ client_id }))) === 0) throw noSuchClient(client_id)
}

async function countGrants(context: AccessContext, owner: GrantOwner): Promise<number> {
  const { items, next } = await pageOfGrants(context, owner, { limit: COUNTED })
  return next === undefined ? items.length : context.storage.lists.count(grantsOf(owner))
}

/** Returns a page of grants that nothing has ended. @throws AdminError `invalid_cursor`; StorageUnavailable */
export function pageOfGrants(
  context: AccessContext,
  owner: GrantOwner,
  wanted: PageRequested,
): Promise<AccessPage<StoredGrant>> {
  const holders = holdersOf(context)
  return pageOfParts(async (part) => {
    const { grants, next } = await readListedGrants(endingsContext(context), grantsOf(owner), part)
    const live = await Promise.all(grants.map((grant) => isLive(holders, grant)))
    return { items: grants.filter((_, i) => live[i]), next }
  }, wanted)
}

// What a mark refuses stays in the list until a server has ended it.
async function isLive(holders: Holders, { record }: StoredGrant): Promise<boolean> {
  const { client_id = '', username, started_at } = record
  const [client, user] = await Promise.all([
    holders.client(client_id),
    username === undefined ? undefined : holders.user(username),
  ])
  if (beganBefore(started_at, client?.grants_end_before)) return false
  return user === undefined || !isEnded(user, client_id, record)
}

/** Returns a grant as operators see it. */
export function describeGrant(listed: StoredGrant): ShownGrant {
  const { family, started_at, record } = listed
  const { client_id = '', username, scope = '', resource = '', refresh_until, jkt } = record
  const { acted_by, operator = '', acted_until, acting_until } = record
  const [used, ends] = [lastUseOf(listed), timeIn(refresh_until ?? acted_until)]
  const acting = timeIn(acting_until)
  const { 'x5t#S256': x5t } = record
  return {
    grant: family,
    ...(username !== undefined && { username }),
    client_id,
    scope,
    ...storedDetails(record.authorization_details),
    ...(acted_by !== undefined && { acted_by: `${acted_by} ${operator}`.trim() }),
    resources: scopeNames(resource),
    ...(started_at > 0 && { started_at: instantOf(started_at) }),
    ...(used > 0 && { last_used_at: instantOf(used) }),
    ...(ends !== undefined && { expires_at: instantOf(ends) }),
    ...(acting !== undefined && { acting_until: instantOf(acting) }),
    ...((jkt || x5t) && { bound_to: { ...(jkt && { jkt }), ...(x5t && { 'x5t#S256': x5t }) } }),
  }
}
