// Tokens that are derived from others of their family (RFC 8693).

import type { KeyConfirmation } from '../core/confirmation.ts'
import type { ClientId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { NotedJwt } from './noted-jwts.ts'
import type { SingleUse, UsedBefore } from './single-use.ts'

/** The types of the records of derived tokens: of an opaque one, and of a JWT, which nobody can present by its `jti`. */
export const DERIVED_TYPES = { opaque: 'access_token', jwt: 'access_jwt' } as const

// What follows the name of a JWT in the record of a token that was derived from it: it has no record while it lives.
const JWT_ORIGIN = '.jwt'

/** An access token by its string, or a JWT by its jti. */
export interface ProvenToken {
  readonly token: string
  readonly is_jwt: boolean
}

/** Returns the name of a token in the record of one that was derived from it. */
export const nameOfOrigin = ({ token, is_jwt }: ProvenToken) => token + (is_jwt ? JWT_ORIGIN : '')

/** Returns the token of a name that nameOfOrigin made. */
export function originNamed(name: string): ProvenToken {
  const is_jwt = name.endsWith(JWT_ORIGIN)
  return { token: is_jwt ? name.slice(0, -JWT_ORIGIN.length) : name, is_jwt }
}

/** An access token to derive from another one of the same family (RFC 8693). */
export interface Derivation {
  /** The access token, or the jti of the JWT, that it is derived from. */
  readonly subject: ProvenToken
  /** The new access token, or the jti of a JWT. If it is sent again, the answer is the same and nothing changes. */
  readonly token: string
  readonly is_jwt: boolean
  /** Who gets it. */
  readonly client_id: ClientId
  readonly scope: string
  /** Separated by spaces; empty: this server. */
  readonly audience: string
  /** In seconds. Storage ends an opaque token no later than the one that it is derived from. */
  readonly access_token_ttl: number
  /** Further fields of its record. */
  readonly fields: Hash
  readonly confirmation?: KeyConfirmation
  /** As in Redemption. */
  readonly single_uses: readonly SingleUse[]
  /** The access token that proves its actor: it is dead once that one is, as with the subject token. */
  readonly actor_token?: ProvenToken
  /** The new token, if it is a JWT whose status is in a list. */
  readonly noted?: NotedJwt
}

/**
 * `ended`: the subject token, one that it was derived from, or the family is not live, or endDerived was called for the
 * client. `depth`: it is derived from MAX_DERIVATIONS tokens already. `many`: the family has MAX_DERIVED live derived
 * tokens. Nothing changed.
 */
export type Derived = 'ok' | 'ended' | 'depth' | 'many' | UsedBefore

/** From how many tokens, one from the other, a token can be derived. */
export const MAX_DERIVATIONS = 4

/** How many live derived tokens a family can have. */
export const MAX_DERIVED = 100

/** How many clients a grant record notes whose acting was ended. */
export const MAX_ENDED_ACTORS = 100

/** How a grant record names a client whose acting was ended, in a list that is separated by spaces. */
export const actorName = (client_id: ClientId): string => encodeURIComponent(client_id)

/** A live derived token, as operators and its person see it. */
export interface DerivedToken {
  /** Its place among those of the family. */
  readonly place: number
  /** The places of the derived tokens that it was derived from, the nearest one first. */
  readonly origins: readonly number[]
  /** The fields DERIVED_SHOWN of its record. */
  readonly record: Hash
}

/** What a token was derived from: which client has that, and whether it is live. `gone`: it is not stored any more. */
export interface TokenOrigin {
  readonly client_id?: ClientId
  readonly state: 'live' | 'revoked' | 'gone'
}

/** What a derived token depends on. */
export interface OriginsOfToken {
  readonly origins: readonly TokenOrigin[]
  readonly actor_tokens: readonly TokenOrigin[]
}

/** Returns what the record of an origin says; `is_jwt`: it has none while it lives. */
export function originOf(record: Hash | undefined, is_jwt: boolean): TokenOrigin {
  const { client_id, revoked } = record ?? {}
  const state = revoked === 'false' || (is_jwt && revoked === undefined) ? 'live' : 'gone'
  return { ...(client_id !== undefined && { client_id }), state: revoked === 'true' ? 'revoked' : state }
}

/** What is shown of a derived token. */
export const DERIVED_SHOWN = [
  'type',
  'client_id',
  'scope',
  'audience',
  'expires_at',
  'issued_at',
  'revoked',
  'act',
  'authorization_details',
] as const
