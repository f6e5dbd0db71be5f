import type { User } from '../accounts/user-record.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { CONSENT, consentId, isResourceName } from '../interaction/consent.ts'
import { type EndingsContext, endPart } from '../logout/endings.ts'
import { endFamilies } from '../sessions/end-families.ts'
import { recordOf } from '../storage/records.ts'
import { listedGrant } from '../tokens/grant-listings.ts'
import { grantsOf, REDEEMED_WITHIN, readListedGrants } from '../tokens/listed-grants.ts'
import { isEnded } from '../tokens/token-account.ts'

// So many are read at a time, and shown.
const PART = 100

/** An application that has access to an account, or that the person agreed to. */
export interface OwnApplication {
  readonly client_id: ClientId
  readonly client_name: string
  /** What it may have: scope names. */
  readonly scopes: readonly string[]
  /** Since when, and when it was used last, in milliseconds since 1970; absent: it has no access now. */
  readonly since?: number
  readonly last_used_at?: number
}

/** What it takes to see and end the access of applications. */
export interface OwnApplicationsContext extends EndingsContext {
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly report: ReportEvent
}

interface Access {
  readonly scopes: Set<string>
  since?: number
  last_used_at?: number
}

/** Returns the applications of a person, by name. @throws StorageUnavailable */
export async function ownApplications(
  context: OwnApplicationsContext,
  user: User,
): Promise<readonly OwnApplication[]> {
  const { storage } = context
  const found = new Map<ClientId, Access>()
  const accessOf = (client_id: ClientId) => {
    const access = found.get(client_id) ?? { scopes: new Set() }
    found.set(client_id, access)
    return access
  }
  const [{ grants }, { entries }] = await Promise.all([
    readListedGrants(context, grantsOf({ username: user.username }), { limit: PART }),
    storage.lists.page({ list: 'consents-of', owner: user.sub }, { after: undefined, limit: PART }),
  ])
  for (const { record, started_at } of grants) {
    if (isEnded(user, record)) continue
    const access = accessOf(record.client_id ?? '')
    for (const name of scopeNames(record.scope ?? '')) access.scopes.add(name)
    access.since = Math.min(started_at, access.since ?? started_at)
    const used = Math.max(started_at, Number(record.spent_at ?? 0), Number(record.last_used_at ?? 0))
    access.last_used_at = Math.max(used, access.last_used_at ?? 0)
  }
  const consents = entries.map(async ({ id }) => {
    const consent = recordOf(await storage.records.read(CONSENT, consentId(user.sub, id)))
    const names = scopeNames(consent?.scope ?? '').filter((name) => !isResourceName(name))
    for (const name of names) accessOf(id).scopes.add(name)
  })
  await Promise.all(consents)
  const named = [...found].map(async ([client_id, { scopes, ...times }]): Promise<OwnApplication> => {
    const client = await context.clients.find(client_id)
    const client_name = client?.client_name ?? client_id
    return { client_id, client_name, scopes: [...scopes], ...times }
  })
  return (await Promise.all(named)).sort((a, b) => (a.client_name < b.client_name ? -1 : 1))
}

/**
 * Takes the access of an application back: its tokens for this person end, and what the person agreed to is forgotten.
 * Returns whether there was anything.
 * @throws StorageUnavailable: some may have ended
 */
export async function endApplication(
  context: OwnApplicationsContext,
  user: User,
  client_id: ClientId,
): Promise<boolean> {
  const { storage, report } = context
  const { username, sub } = user
  // First: it must not be able to begin anew without a question.
  const consent = await storage.records.take(CONSENT, consentId(sub, client_id))
  await storage.lists.remove({ list: 'consents-of', owner: sub }, client_id)
  if (consent !== undefined) report({ event: 'consent_withdrawn', username, sub, client_id })
  await endCodes(context, user)
  let count = 0
  let after: string | undefined
  do {
    const part = await endPart(
      context,
      grantsOf({ username }),
      ({ record }) => record.client_id === client_id,
      after,
    )
    count += part.ended
    after = part.next
  } while (after !== undefined)
  if (count > 0) report({ event: 'grants_ended', username, client_id, count })
  return count > 0 || consent !== undefined
}

/**
 * Ends what was allowed within the last minutes and whose code was not redeemed yet. Nothing says of which application it is, so
 * a sign-in at another one that is under way ends, too: it can be tried again.
 */
async function endCodes(context: OwnApplicationsContext, { username }: User): Promise<void> {
  const { storage, now } = context
  let after: string | undefined
  do {
    const { entries, next } = await storage.lists.page(grantsOf({ username }), { after, limit: PART })
    const recent = entries.flatMap(({ id }) => {
      const named = listedGrant(id)
      return named !== undefined && now() - named.started_at < REDEEMED_WITHIN ? [named.family] : []
    })
    const awaited = await Promise.all(
      recent.map(async (family) =>
        (await storage.families.findFamily(family)) === undefined ? [family] : [],
      ),
    )
    await endFamilies(context, awaited.flat())
    after = next
  } while (after !== undefined)
}
