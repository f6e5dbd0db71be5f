import type { ClientId, FamilyId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Changed, KindName } from './records.ts'

/** How codes are named in storage: a code becomes a family, so the state machine knows where codes are. */
export const CODE_KIND = { name: 'code', slot: 'family' } as const satisfies KindName

/**
 * One attempt to redeem a code: what the code must be bound to, and what to write if it is. Lifetimes are in seconds.
 */
export interface Redemption {
  /** The fields that the code must have with these values, in the order in which they are checked; undefined: none. */
  bound_to: Readonly<Record<string, string | undefined>>
  /** The fields of the code that the family's record keeps, beside client, subject, scope and auth_time. */
  kept_fields: readonly string[]
  /** Names this attempt: the same attempt sent twice gets the same answer and changes nothing the second time. */
  operation: string
  /** The token to write, with the code's family part; absent if it is a JWT. */
  access_token?: NewToken
  refresh_token: NewToken
  /** How long an access token is accepted that comes of this, a JWT included. */
  access_token_ttl: number
  /** For how long refresh tokens of this family can be used. */
  refresh_token_ttl: number
  /** How long a refresh token lives that is not used; absent: as long as its family can be refreshed. */
  idle_ttl?: number
}

/** A token to be written. */
export interface NewToken {
  /** The token string, or the jti of a JWT. Its family part says which sign-in it came of. */
  token: string
  /** What its record has beside `jti`, `expires_at` and `revoked`. */
  fields: Hash
}

/**
 * `ok`: this attempt spent the code, and the tokens and the family are written. `mismatch`: the code is bound
 * to something else; nothing changed. `replayed`: the code was spent by another attempt; every token of its
 * family is now revoked. `missing`: no such code, or its time is over.
 */
export type Redeemed =
  | { outcome: 'ok'; code: Hash }
  | { outcome: 'mismatch'; field: string }
  | { outcome: 'replayed' }
  | { outcome: 'missing' }

/** One attempt to use a refresh token: what it must be bound to, and what to write if it is. Lifetimes in seconds. */
export interface Refresh {
  client_id: ClientId
  /** Scope names that are asked for; absent: all that the token has. */
  scope?: string
  /** Scope names that the client may obtain now; what is written never exceeds them. */
  allowed_scopes: string
  /** Names this attempt, as in Redemption. */
  operation: string
  /** The token to write, with the refresh token's family part; absent if it is a JWT. */
  access_token?: NewToken
  /** How long an access token is accepted that comes of this, a JWT included. */
  access_token_ttl: number
  /** What the refresh token is spent for, and how that is kept for a retry; absent: the token stays in use. */
  successor?: NewToken & { sealed: string }
  /** For how long after it was spent a refresh token gets its successor again. */
  retry_window: number
  /** How long a refresh token lives that is not used; absent: as long as its family can be refreshed. */
  idle_ttl?: number
}

/**
 * `ok`: the access token is written, and the refresh token is spent for its successor or still in use; where
 * an earlier attempt spent it within the retry window, `spent_by` and `sealed_successor` are that attempt's.
 * `scope`: more was asked for than the token has; nothing changed. `mismatch`: it is another client's; nothing
 * changed. `reused`: it was spent before the retry window; every token of its family is now revoked. `missing`:
 * no such refresh token, or it is over or revoked.
 */
export type Refreshed =
  | { outcome: 'ok'; family: Hash; scope: string; spent_by?: string; sealed_successor?: string }
  | { outcome: 'mismatch' | 'scope' | 'reused' | 'missing' }

/** A token's own record and that of its family, as far as there are any. */
export interface TokenAndFamily {
  token: Hash | undefined
  family: Hash | undefined
}

/** A user, by the sub or the username: tokens of pairwise clients carry a sub that the user's record does not have. */
export interface UserNames {
  subject: string
  username: string
}

/** Whose codes, tokens, families and sessions: all that a client has, or all of a user. */
export type Holder = { client_id: ClientId } | UserNames

/** How many were good until now: families, codes not redeemed, tokens without a family. */
export interface Revoked {
  families: number
  codes: number
  tokens: number
}

/**
 * The state machine of codes and tokens. What came of one sign-in is a family: it lives and ends together. Each call
 * but `revokeAllOf` is one atomic step and one command. Calls throw StorageUnavailable if it is unknown what happened;
 * a retry then finds a code or refresh token as it was, or gets what the lost answer said.
 */
export interface TokenFamilies {
  /**
   * Checks `bound_to`, then whether the code is spent; only if all is right spends it and writes the tokens. A spent
   * code is remembered for as long as a token can come of its family and live, by the lifetimes of this redemption.
   */
  redeemCode(code: string, redemption: Redemption): Promise<Redeemed>
  /** Checks all that the result tells apart, and only then spends the refresh token and writes the tokens. */
  refresh(token: string, refresh: Refresh): Promise<Refreshed>
  /** Writes a token that is new, for `ttl` seconds. If it is there already, this is the same call again. */
  saveToken(token: NewToken, ttl: number): Promise<void>
  /** Writes the record of a token that has none, a JWT's, as revoked until it expires. */
  saveRevokedToken(token: NewToken, expires_at: Date): Promise<void>
  /** The token's record as it is, whether expired or revoked. */
  findToken(token: string): Promise<Hash | undefined>
  /** The token's record and its family's, read at one moment. */
  findTokenAndFamily(token: string): Promise<TokenAndFamily>
  /** The record of a family. */
  findFamily(family: FamilyId): Promise<Hash | undefined>
  /**
   * Marks a token revoked, and with a refresh token its whole family. With `client_id`, a token that was issued
   * to another client is a `mismatch` and stays as it is.
   */
  revokeToken(token: string, client_id?: ClientId): Promise<Changed | 'mismatch'>
  /** Marks a family and every token of it revoked. */
  revokeFamily(family: FamilyId): Promise<Changed>
  /**
   * The same; and if there is no such family yet, none can come of its code any more. `ttl`: for how many seconds that
   * is remembered, as long as a code lives.
   */
  endFamily(family: FamilyId, ttl: number): Promise<void>
  /**
   * Revokes every family, code and token of a holder, each in a step of its own: what was written before the call
   * began is over when it ends, and an error on one record does not stop the rest. An empty name matches nothing.
   * Goes through all keys: for operators, not for requests.
   */
  revokeAllOf(holder: Holder): Promise<Revoked>
}
