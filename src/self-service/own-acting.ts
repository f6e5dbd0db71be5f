import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/actor.ts'
import type { ClientId } from '../core/ids.ts'
import { type CheckedDetail, knownDetails } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { canonicalText } from '../details/json-value.ts'
import type { ResourceRegistry } from '../resources/resource-registry.ts'
import type { Storage } from '../storage/storage.ts'
import { type ActingToken, isActingEnded, readAllActing } from '../tokens/acting-tokens.ts'
import type { StoredGrant } from '../tokens/listed-grants.ts'
import type { User } from '../users/user-record.ts'

/** An application that acts for a person at this time. */
export interface ActingApplication {
  readonly client_id: ClientId
  readonly client_name: string
  readonly places: readonly ActingPlace[]
}

/** At which API somebody acts, and who called whom before it: the application that the person signed in at is the first. */
export interface ActingPlace {
  readonly api: string
  readonly via: readonly string[]
  /** What for in detail. */
  readonly details: readonly CheckedDetail[]
}

/** What it takes to find who acts for a person. */
export interface OwnActingContext extends DetailsContext {
  readonly storage: Pick<Storage, 'families'>
  readonly settings: Pick<Settings, 'service_name'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly resources: Pick<ResourceRegistry, 'findAny'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns the applications that act for a person by sign-ins of theirs, by name. Nothing is read for sign-ins that nobody
 * acts by.
 * @throws StorageUnavailable
 */
export async function actingFor(
  context: OwnActingContext,
  user: User,
  grants: readonly StoredGrant[],
): Promise<ActingApplication[]> {
  const acting = await readAllActing(context, grants)
  const found = new Map<ClientId, { client_name: string; places: Map<string, ActingPlace> }>()
  for (const { family, record } of grants) {
    for (const token of acting.get(family) ?? []) {
      const { client_id = '' } = record
      const [actor] = token.actors
      // Of a chain without an actor, the application that the person signed in at is all there is.
      if (actor?.client_id === undefined || isActingEnded(user, token, record)) continue
      const client = await context.clients.find(actor.client_id)
      if (client === undefined) continue
      const place = await placeOf(context, client_id, token, client)
      if (place === undefined) continue
      const one = found.get(actor.client_id) ?? { client_name: client.client_name, places: new Map() }
      const key = JSON.stringify([place.api, place.via])
      one.places.set(key, withMore(place, one.places.get(key)))
      found.set(actor.client_id, one)
    }
  }
  return [...found]
    .map(([client_id, { client_name, places }]) => ({ client_id, client_name, places: [...places.values()] }))
    .sort((one, other) => (one.client_name < other.client_name ? -1 : 1))
}

/** A place with the details of several tokens, each once. */
function withMore(place: ActingPlace, before: ActingPlace | undefined): ActingPlace {
  const all = [...(before?.details ?? []), ...place.details]
  const distinct = new Map(all.map((one) => [canonicalText(one.detail), one]))
  return { ...place, details: [...distinct.values()] }
}

/** Undefined: one of those who act is unknown or disabled, so that the token is refused. */
async function placeOf(
  context: OwnActingContext,
  signed_in_at: ClientId,
  { actors: [, ...before], audience: [uri], client_id, details }: ActingToken,
  client: Client,
): Promise<ActingPlace | undefined> {
  const called = before.reverse().map((actor) => nameOfActor(context, actor))
  const first = signed_in_at === client_id ? [] : [nameOf(context, signed_in_at)]
  const via = await Promise.all([...first, ...called])
  const names = via.filter((name) => name !== undefined)
  if (names.length < via.length) return undefined
  return {
    api: await apiName(context, uri),
    via: names,
    details: await knownDetails(context, client, details),
  }
}

const nameOf = async ({ clients }: OwnActingContext, client_id: ClientId): Promise<string | undefined> =>
  (await clients.find(client_id))?.client_name

/** What an actor is called: of one elsewhere, where that is. */
async function nameOfActor(
  context: OwnActingContext,
  { sub, client_id, iss }: Actor,
): Promise<string | undefined> {
  if (iss !== undefined) return withoutScheme(iss)
  return client_id === undefined ? sub : nameOf(context, client_id)
}

async function apiName({ resources, settings }: OwnActingContext, uri: string | undefined): Promise<string> {
  if (uri === undefined) return settings.service_name
  return (await resources.findAny(uri))?.resource_name ?? withoutScheme(uri)
}

const withoutScheme = (uri: string): string => uri.replace(/^https?:\/\//, '')
