import { isObject, parseJson } from './json.ts'

/** Who acts, and for whom: the claim `act` (RFC 8693 §4.1). The outermost is the current actor. */
export interface Actor {
  /** The client_id of a client, or the `sub` of an operator; of an actor elsewhere, its name there. */
  readonly sub: string
  /** Absent: the actor is no client of this server. */
  readonly client_id?: string
  /** The issuer that names the actor; absent: this server. */
  readonly iss?: string
  /** Who acted before it. */
  readonly act?: Actor
}

/** How many actors a token can have behind each other. */
export const MAX_ACTORS = 4

const MEMBERS = ['sub', 'client_id', 'iss', 'act']
// In bytes of JSON: a JWT with all its actors is accepted in a header (docs/decisions/0072-tokens-that-come-back.md).
const MAX_NAME = 512

/** Reads the claim `act`; undefined: it is not one, has other members, or has more than MAX_ACTORS actors. */
export function readActor(value: unknown, left = MAX_ACTORS): Actor | undefined {
  if (left === 0 || !isObject(value)) return undefined
  const { sub, client_id, iss, act } = value
  if (!Object.keys(value).every((name) => MEMBERS.includes(name)) || !isName(sub)) return undefined
  if (![client_id, iss].every((text) => text === undefined || isName(text))) return undefined
  const before = act === undefined ? undefined : readActor(act, left - 1)
  if (act !== undefined && before === undefined) return undefined
  return {
    sub,
    ...(typeof client_id === 'string' && { client_id }),
    ...(typeof iss === 'string' && { iss }),
    ...(before && { act: before }),
  }
}

/**
 * Reads the claim `act` of a token of another issuer, as readActor: each actor in it is one that this issuer names, unless
 * it names another one. What else it says of them is left out.
 */
export function readForeignActor(value: unknown, issuer: string, left = MAX_ACTORS): Actor | undefined {
  if (left === 0 || !isObject(value)) return undefined
  const { sub, client_id, iss = issuer, act } = value
  const before = act === undefined ? undefined : readForeignActor(act, issuer, left - 1)
  if (act !== undefined && before === undefined) return undefined
  return readActor({ sub, client_id, iss, act: before })
}

/** Reads the field `act` of a record, as readActor. */
export function parseActor(json: string): Actor | undefined {
  return readActor(parseJson(json))
}

/** Returns the actors of a token, the current one first. */
export function actorsOf(actor: Actor | undefined): Actor[] {
  return actor === undefined ? [] : [actor, ...actorsOf(actor.act)]
}

/** Returns the ids of those actors that are clients of this server. */
export function actingClients(actor: Actor | undefined): string[] {
  return actorsOf(actor).flatMap(({ client_id, iss }) =>
    client_id === undefined || iss !== undefined ? [] : [client_id],
  )
}

/** Whether one who operates this server is among the actors: neither a client nor an actor elsewhere. */
export function hasOperator(actor: Actor | undefined): boolean {
  return actorsOf(actor).some(({ client_id, iss }) => client_id === undefined && iss === undefined)
}

/** Whether two actors are the same one (RFC 8693 §4.4: by `iss` and `sub`). */
export function isSameActor(one: Actor, other: Actor): boolean {
  return one.sub === other.sub && one.iss === other.iss
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(JSON.stringify(value)) <= MAX_NAME
}
