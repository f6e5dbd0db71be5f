import type { EventEmitter } from 'node:events'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { parseDetails } from '../details/read-details.ts'
import { CONSENT, consentId, isConsentedScope, rememberedDetails } from '../interaction/consent.ts'
import type { EndingsContext } from '../logout/ending-parts.ts'
import { queueEnding } from '../logout/endings-queue.ts'
import { recordOf } from '../storage/records.ts'
import { endActing } from '../tokens/acting-tokens.ts'
import { grantsOf, lastUseOf, readListedGrants, type StoredGrant } from '../tokens/listed-grants.ts'
import { isEnded } from '../tokens/token-account.ts'
import { markAccess } from '../users/own-marks.ts'
import type { User } from '../users/user-record.ts'
import { type ActingApplication, actingFor, type OwnActingContext } from './own-acting.ts'
import { type AllowedDetails, type OwnDetail, ownDetails } from './own-details.ts'
import { isSupport, type OwnSupport, ownSupport } from './own-support.ts'
import { type PartOfList, readAll } from './part.ts'

// So many are read at a time, and shown.
const PART = 100

/** An application that has access to an account, or that the person agreed to. */
export interface OwnApplication {
  readonly client_id: ClientId
  readonly client_name: string
  /** What it may have: scope names. */
  readonly scopes: readonly string[]
  /** The same in detail. */
  readonly details: readonly OwnDetail[]
  /** Since when, and when it was used last, in milliseconds since 1970; absent: it has no access now. */
  readonly since?: number
  readonly last_used_at?: number
}

/** What it takes to see and end the access of applications. */
export interface OwnApplicationsContext extends EndingsContext {
  readonly settings: EndingsContext['settings'] & OwnActingContext['settings']
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly resources: OwnActingContext['resources']
  readonly detail_types: OwnActingContext['detail_types']
  readonly endings: EventEmitter<{ queued: [] }>
  readonly report: ReportEvent
}

/** What gives an application access: a grant, or a consent. */
type Access = Omit<OwnApplication, 'client_name' | 'details'> & AllowedDetails

/** The applications of a person, by name, those that act by their sign-ins, and where an operator acts by one. */
interface OwnAccess {
  readonly items: readonly OwnApplication[]
  readonly acting: readonly ActingApplication[]
  readonly support: readonly OwnSupport[]
}

/**
 * Returns a part of the applications of a person: those of the last grants, and of the consents.
 * @param after `next` of the part before
 * @throws StorageUnavailable
 */
export async function ownApplications(
  context: OwnApplicationsContext,
  user: User,
  after?: string,
): Promise<PartOfList<OwnApplication> & OwnAccess> {
  const [{ live, next }, { items }] = await Promise.all([
    liveGrants(context, user, after),
    accessOfConsents(context, user, undefined),
  ])
  return { ...(await accessBy(context, user, live, items)), next }
}

/** Returns all applications of a person. @throws StorageUnavailable */
export async function allOwnApplications(context: OwnApplicationsContext, user: User): Promise<OwnAccess> {
  const [grants, consents] = await Promise.all([
    readAll(async (after) => {
      const { live, next } = await liveGrants(context, user, after)
      return { items: live, next }
    }),
    readAll((after) => accessOfConsents(context, user, after)),
  ])
  return accessBy(context, user, grants, consents)
}

async function accessBy(
  context: OwnApplicationsContext,
  user: User,
  grants: readonly StoredGrant[],
  consents: readonly Access[],
): Promise<OwnAccess> {
  const [items, acting, support] = await Promise.all([
    byName(context, [...accessesOf(grants), ...consents]),
    actingFor(context, user, grants),
    ownSupport(context, grants),
  ])
  return { items, acting, support }
}

async function liveGrants(
  context: OwnApplicationsContext,
  user: User,
  after: string | undefined,
): Promise<{ readonly live: readonly StoredGrant[]; readonly next: string | undefined }> {
  const list = grantsOf({ username: user.username })
  const { grants, next } = await readListedGrants(context, list, { after, limit: PART })
  return { live: grants.filter(({ record }) => !isEnded(user, record.client_id ?? '', record)), next }
}

/** What gives applications access; where an operator acts, none has. */
const accessesOf = (grants: readonly StoredGrant[]): Access[] =>
  grants
    .filter((grant) => !isSupport(grant))
    .map((grant) => ({
      client_id: grant.record.client_id ?? '',
      scopes: scopeNames(grant.record.scope ?? ''),
      live: parseDetails(grant.record.authorization_details),
      since: grant.started_at,
      last_used_at: lastUseOf(grant),
    }))

async function accessOfConsents(
  { storage }: OwnApplicationsContext,
  { sub }: User,
  after: string | undefined,
): Promise<PartOfList<Access>> {
  const { entries, next } = await storage.lists.page(
    { list: 'consents-of', owner: sub },
    { after, limit: PART },
  )
  const read = entries.map(async ({ id }): Promise<Access[]> => {
    const consent = recordOf(await storage.records.read(CONSENT, consentId(sub, id)))
    if (consent === undefined) return []
    const scopes = scopeNames(consent.scope).filter(isConsentedScope)
    const remembered = rememberedDetails(consent)
    return scopes.length === 0 && remembered.size === 0 ? [] : [{ client_id: id, scopes, remembered }]
  })
  return { items: (await Promise.all(read)).flat(), next }
}

/** Makes one application of all that gives it access. */
async function byName(
  context: OwnApplicationsContext,
  accesses: readonly Access[],
): Promise<OwnApplication[]> {
  const found = new Map<ClientId, Access[]>()
  for (const access of accesses) {
    const all = found.get(access.client_id)
    if (all === undefined) found.set(access.client_id, [access])
    else all.push(access)
  }
  const applications = await Promise.all([...found.values()].map((all) => applicationOf(context, all)))
  return applications.sort((a, b) => (a.client_name < b.client_name ? -1 : 1))
}

async function applicationOf(
  context: OwnApplicationsContext,
  all: readonly Access[],
): Promise<OwnApplication> {
  const { client_id = '' } = all[0] ?? {}
  const client = await context.clients.find(client_id)
  const times = all.flatMap(({ since }) => since ?? [])
  const uses = all.flatMap(({ last_used_at }) => last_used_at ?? [])
  return {
    client_id,
    client_name: client?.client_name ?? client_id,
    scopes: [...new Set(all.flatMap(({ scopes }) => scopes))],
    details: client === undefined ? [] : await ownDetails(context, client, all),
    ...(times.length > 0 && { since: Math.min(...times) }),
    ...(uses.length > 0 && { last_used_at: Math.max(...uses) }),
  }
}

/**
 * Takes the access of an application back, however often it was given: its tokens for this person are refused within a
 * second, also those with which it acts, and what the person agreed to is forgotten. A server then ends its grants.
 * @throws StorageUnavailable
 */
export async function endApplication(
  context: OwnApplicationsContext,
  user: User,
  client_id: ClientId,
): Promise<void> {
  const { storage } = context
  const { username, sub } = user
  // First: it must not be able to begin anew without a question.
  const event = { event: 'consent_withdrawn', username, sub, client_id } as const
  await commit(context, [event], {}, (told) =>
    storage.records.remove(CONSENT, consentId(sub, client_id), told),
  )
  await storage.lists.remove({ list: 'consents-of', owner: sub }, client_id)
  // What began in this millisecond ends, too.
  const before = context.now() + 1
  // How many there are would have to be counted one by one.
  const ended = { event: 'grants_ended', username, client_id } as const
  const client = await context.clients.find(client_id)
  // Without a client, all of it is refused already.
  if (client !== undefined)
    await commit(context, [ended], { sub }, (told) =>
      markAccess(storage, { username, client_id }, before, told),
    )
  await queueEnding(storage, { what: 'access', username, client_id, before })
  // What it does for other applications, by the last sign-ins; a server does the rest.
  if (client?.exchange_mode !== undefined)
    await endActing(context, (await liveGrants(context, user, undefined)).live, client_id)
  context.endings.emit('queued')
}
