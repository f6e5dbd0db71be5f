import { type Actor, actingClients, actorsOf, parseActor } from '../core/actor.ts'
import { inBatches } from '../core/batches.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import { timeIn } from '../core/instant.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import { type Detail, parseDetails } from '../details/read-details.ts'
import type { DerivedToken } from '../storage/derivation.ts'
import type { Storage } from '../storage/storage.ts'
import type { User } from '../users/user-record.ts'
import type { StoredGrant } from './listed-grants.ts'
import { isEnded } from './token-account.ts'

/** A live token with which somebody acts for a person, or a client does less than it could (RFC 8693). */
export interface ActingToken {
  /**
   * Its place among those of the sign-in, and that of the one it was derived from; absent: a token of the sign-in itself.
   */
  readonly place: number
  readonly from?: number
  /** Who has it. */
  readonly client_id: ClientId
  /** Who acts, the current actor first; empty: nobody but the client that the person signed in at. */
  readonly actors: readonly Actor[]
  readonly scope: string
  /** The APIs that it is for; empty: this server. */
  readonly audience: readonly string[]
  /** What it is for in detail (RFC 9396). */
  readonly details: readonly Detail[]
  /** Milliseconds since 1970. */
  readonly issued_at?: number
  readonly expires_at: number
}

interface ActingContext {
  readonly storage: Pick<Storage, 'families'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

// So many commands at a time delay no other request.
const AT_A_TIME = 20

/** Returns the live derived tokens of a sign-in. Its record says whether there can be any: nothing is read for others. */
export async function readActing(
  { storage, now }: ActingContext,
  { family, record }: Pick<StoredGrant, 'family' | 'record'>,
): Promise<ActingToken[]> {
  if (!((timeIn(record.acting_until) ?? 0) > now())) return []
  return (await storage.families.readDerived(family)).flatMap((derived) => tokenOf(derived, now()))
}

/** As readActing, of several sign-ins, by their ids; those that have none are left out. @throws StorageUnavailable */
export async function readAllActing(
  context: ActingContext,
  grants: readonly StoredGrant[],
): Promise<Map<FamilyId, ActingToken[]>> {
  const found = new Map<FamilyId, ActingToken[]>()
  await inBatches(grants, AT_A_TIME, (batch) =>
    Promise.all(
      batch.map(async (grant) => {
        const tokens = await readActing(context, grant)
        if (tokens.length > 0) found.set(grant.family, tokens)
      }),
    ),
  )
  return found
}

/** Whether the user ended the access of a client that has a token or acts with it, after the sign-in of its record. */
export function isActingEnded(user: User, { client_id, actors }: ActingToken, record: Hash): boolean {
  const acting = [client_id, ...actingClients(actors[0])]
  return acting.some((one) => isEnded(user, one, record))
}

/**
 * Ends what a client does for others in sign-ins: tokens in whose chain it is end, and it gets no further ones of them.
 * @returns how many tokens ended
 * @throws StorageUnavailable
 */
export async function endActing(
  { storage }: Pick<ActingContext, 'storage'>,
  grants: Iterable<StoredGrant>,
  client_id: ClientId,
): Promise<number> {
  let ended = 0
  await inBatches(grants, AT_A_TIME, async (batch) => {
    const counts = batch.map(({ family }) => storage.families.endDerived(family, client_id))
    for (const count of await Promise.all(counts)) ended += count
  })
  return ended
}

function tokenOf({ place, origins: [from], record }: DerivedToken, now: number): ActingToken[] {
  const { client_id = '', scope = '', audience = '', act, revoked } = record
  const [expires_at, issued_at] = [Date.parse(record.expires_at ?? ''), timeIn(record.issued_at)]
  if (revoked !== 'false' || !(expires_at > now)) return []
  return [
    {
      place,
      ...(from !== undefined && { from }),
      client_id,
      actors: actorsOf(act === undefined ? undefined : parseActor(act)),
      scope,
      audience: scopeNames(audience),
      details: parseDetails(record.authorization_details),
      ...(issued_at !== undefined && { issued_at: issued_at * 1000 }),
      expires_at,
    },
  ]
}
