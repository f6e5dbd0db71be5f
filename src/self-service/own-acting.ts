import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/actor.ts'
import type { ClientId } from '../core/ids.ts'
import type { ResourceRegistry } from '../resources/resource-registry.ts'
import type { Storage } from '../storage/storage.ts'
import { type ActingToken, isActingEnded, readAllActing } from '../tokens/acting-tokens.ts'
import type { StoredGrant } from '../tokens/listed-grants.ts'
import type { User } from '../users/user-record.ts'

/** How many of the places where an application acts are shown. */
const MAX_PLACES = 5

/** An application that acts for a person at this time. */
export interface ActingApplication {
  readonly client_id: ClientId
  readonly client_name: string
  readonly places: readonly ActingPlace[]
  /** Whether there are more places. */
  readonly more: boolean
}

/** At which API somebody acts, and who called whom before it: the application that the person signed in at is the first. */
export interface ActingPlace {
  readonly api: string
  readonly via: readonly string[]
}

/** What it takes to find who acts for a person. */
export interface OwnActingContext {
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
      const place = await placeOf(context, client_id, token)
      const client_name = await nameOf(context, actor.client_id)
      if (place === undefined || client_name === undefined) continue
      const one = found.get(actor.client_id) ?? { client_name, places: new Map() }
      one.places.set(JSON.stringify(place), place)
      found.set(actor.client_id, one)
    }
  }
  return [...found]
    .map(([client_id, { client_name, places }]) => ({
      client_id,
      client_name,
      places: [...places.values()].slice(0, MAX_PLACES),
      more: places.size > MAX_PLACES,
    }))
    .sort((one, other) => (one.client_name < other.client_name ? -1 : 1))
}

/** Undefined: one of those who act is unknown or disabled, so that the token is refused. */
async function placeOf(
  context: OwnActingContext,
  signed_in_at: ClientId,
  { actors: [, ...before], audience: [uri], client_id }: ActingToken,
): Promise<ActingPlace | undefined> {
  const called = before.reverse().map((actor) => nameOfActor(context, actor))
  const first = signed_in_at === client_id ? [] : [nameOf(context, signed_in_at)]
  const via = await Promise.all([...first, ...called])
  const names = via.filter((name) => name !== undefined)
  return names.length < via.length ? undefined : { api: await apiName(context, uri), via: names }
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
