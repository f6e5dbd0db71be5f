import { setTimeout as delay } from 'node:timers/promises'
import { SETTLES_IN } from '../clients/record/removed-client.ts'
import { sidFor } from '../clients/subject.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId, FamilyId, Sid } from '../core/ids.ts'
import { endFamilies } from '../sessions/end-families.ts'
import type { ListKey } from '../storage/lists.ts'
import { endActing } from '../tokens/acting-tokens.ts'
import { listedGrant } from '../tokens/grant-listings.ts'
import {
  grantsOf,
  REDEEMED_WITHIN,
  readListedGrants,
  type StoredGrant,
  unlistGrant,
} from '../tokens/listed-grants.ts'
import { type EndingsContext, eachPart, PART } from './ending-parts.ts'
import type { Ending } from './endings-queue.ts'

/** Which grants of a list end. */
type Matches = (grant: StoredGrant) => boolean | Promise<boolean>

/** Ends what a trusted issuer vouched for of a user. Yields after each part. @throws StorageUnavailable */
export async function* endAsserted(
  context: EndingsContext,
  { username, issuer, before }: Extract<Ending, { what: 'asserted' }>,
): AsyncGenerator<void> {
  yield* endListed(
    context,
    grantsOf({ username }),
    ({ record, started_at }) => record.assertion_issuer === issuer && started_at < before,
  )
}

/**
 * Ends what a client has of a user, also what was not redeemed yet, and what it does for others in that user's sign-ins.
 * Yields after each part.
 * @throws StorageUnavailable
 */
export async function* endAccess(
  context: EndingsContext,
  { username, client_id, before }: Extract<Ending, { what: 'access' | 'acting' }>,
): AsyncGenerator<void> {
  const key = grantsOf({ username })
  const may_act = (await context.clients.find(client_id))?.exchange_mode !== undefined
  yield* eachPart(async (after) => {
    const of_user = await awaitedFamilies(context, key, before, after, grantsOf({ client_id }))
    await endFamilies(context, of_user)
    const { grants, next } = await readListedGrants(context, key, { after, limit: PART })
    const begun = grants.filter(({ started_at }) => started_at < before)
    const isOwn = ({ record }: StoredGrant) => record.client_id === client_id
    await endGrants(context, begun.filter(isOwn))
    // Also where it did not act yet: a user record remembers few ends, and a grant record its own.
    if (may_act)
      await endActing(
        context,
        begun.filter((grant) => !isOwn(grant)),
        client_id,
      )
    return next
  })
}

/** Ends what a client does for others in the sign-ins of a user. Yields after each part. @throws StorageUnavailable */
export async function* endActingFor(
  context: EndingsContext,
  { username, client_id, before }: Extract<Ending, { what: 'access' | 'acting' }>,
): AsyncGenerator<void> {
  const key = grantsOf({ username })
  yield* eachPart(async (after) => {
    const { grants, next } = await readListedGrants(context, key, { after, limit: PART })
    const begun = grants.filter(({ started_at }) => started_at < before)
    await endActing(context, begun, client_id)
    return next
  })
}

/**
 * Returns the families of a part of a list that began before a time, and whose code was not redeemed yet. They have no
 * record that says whose they are: the lists do.
 * @param also another list that they must be in
 */
async function awaitedFamilies(
  { storage, now }: EndingsContext,
  key: ListKey,
  before: number,
  after: string | undefined,
  also?: ListKey,
): Promise<FamilyId[]> {
  const { entries } = await storage.lists.page(key, { after, limit: PART })
  const recent = entries.filter(({ id }) => {
    const started_at = listedGrant(id)?.started_at ?? 0
    return started_at < before && now() - started_at < REDEEMED_WITHIN
  })
  const ids = recent.map(({ id }) => id)
  const meant = also === undefined ? ids : await storage.lists.among(also, ids)
  const awaited = await Promise.all(
    meant.map(async (id) => {
      const named = listedGrant(id)
      const is_awaited = named && (await storage.families.findFamily(named.family)) === undefined
      return is_awaited ? [named.family] : []
    }),
  )
  return awaited.flat()
}

/** Ends the grants of a client whose record is gone. Yields after each part. @throws StorageUnavailable */
export async function* endRemovedClient(
  context: EndingsContext,
  { client_id, before }: { readonly client_id: ClientId; readonly before: number },
): AsyncGenerator<void> {
  // What a server grants that has not heard of it yet began before the mark, and ends, too.
  await delay(Math.min(Math.max(before - context.now(), 0), SETTLES_IN))
  yield* endBegunBefore(context, grantsOf({ client_id }), before)
}

/**
 * Ends the families of a list that began before a time, also those whose code was not redeemed yet. Yields after each
 * part.
 */
export async function* endBegunBefore(
  context: EndingsContext,
  key: ListKey,
  before: number,
): AsyncGenerator<void> {
  const matches: Matches = ({ started_at }) => started_at < before
  yield* eachPart(async (after) => {
    await endFamilies(context, await awaitedFamilies(context, key, before, after))
    return endPart(context, key, matches, after)
  })
}

/** Returns whether a family is of a session. Each client may know the session by a sid of its own. */
export function sessionMatcher({ clients, settings }: EndingsContext, sid: Sid): Matches {
  const known = new Map<ClientId, Sid | undefined>()
  return async ({ record }) => {
    const { client_id = '' } = record
    if (record.sid === undefined) return false
    if (!known.has(client_id)) {
      const client = await clients.find(client_id)
      known.set(client_id, client && knownSid(() => sidFor(client, sid, settings)))
    }
    return record.sid === sid || record.sid === known.get(client_id)
  }
}

// Without a salt a pairwise client has no sid.
function knownSid(sid: () => Sid): Sid | undefined {
  try {
    return sid()
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

/** Ends the families of a list that match. Yields after each part. */
export async function* endListed(
  context: EndingsContext,
  key: ListKey,
  matches: Matches,
): AsyncGenerator<void> {
  yield* eachPart((after) => endPart(context, key, matches, after))
}

/** Ends those families of a part of a list that match. Returns where the next part begins. */
export async function endPart(
  context: EndingsContext,
  key: ListKey,
  matches: Matches,
  after?: string,
): Promise<string | undefined> {
  const { grants, next } = await readListedGrants(context, key, { after, limit: PART })
  const found: StoredGrant[] = []
  for (const grant of grants) if (await matches(grant)) found.push(grant)
  await endGrants(context, found)
  return next
}

async function endGrants(context: EndingsContext, grants: readonly StoredGrant[]): Promise<void> {
  await endFamilies(
    context,
    grants.map(({ family }) => family),
  )
  await Promise.all(grants.map((grant) => unlistGrant(context, grant)))
}
