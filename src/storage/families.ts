import type { AuditEntries } from '../core/audit-entries.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Derivation, Derived, DerivedToken, OriginsOfToken } from './derivation.ts'
import type { Listing } from './lists.ts'
import type { NotedJwt } from './noted-jwts.ts'
import type { KindName, Write } from './records.ts'
import type { SingleUse, UsedBefore } from './single-use.ts'

/** The record kind of codes. It is defined here because redeeming a code creates a family. */
export const CODE_KIND = { name: 'code', slot: 'family' } as const satisfies KindName

/** The optional fields of the sign-in of a code. Redeeming it copies them to the grant record. */
export const SIGN_IN_FIELDS = [
  'username',
  'sid',
  'amr',
  'acr',
  'claims',
  'resource',
  'started_at',
  'session_started_at',
  'authorization_details',
] as const

/** What a redemption tells of the code, besides the fields that it is bound to. */
export const CODE_FACTS = ['subject', 'scope', 'auth_time', 'nonce', 'dpop_jkt', ...SIGN_IN_FIELDS] as const

/** One attempt to redeem a code: what the code must be bound to, and what to write then. Lifetimes are in seconds. */
export interface Redemption {
  /** The required values of the code's fields, in the order of the checks; undefined: the field must be absent. */
  bound_to: Readonly<Record<string, string | undefined>>
  /** Identifies this attempt. If it is sent again, the answer is the same and nothing changes. */
  operation: string
  /** The access token to write, of the code's family; absent if it is a JWT. */
  access_token?: string
  /** What the access token is for; absent: this server. */
  target?: ResourceTarget
  /** Absent: the family gets no refresh token. */
  refresh_token?: string
  /** The scope that a code must have for a refresh token; absent: none is needed. */
  refresh_scope?: string
  /** The lifetime of the access token, opaque or JWT. */
  access_token_ttl: number
  /** How long refresh tokens of this family can be used. */
  refresh_token_ttl: number
  /** The lifetime of an unused refresh token; absent: as long as its family can be refreshed. */
  idle_ttl?: number
  /** The ids that this attempt uses up; looked at when all other checks have passed. */
  single_uses?: readonly SingleUse[]
  /** What the tokens are bound to; absent: nothing. A code that is bound to a DPoP key needs this key. */
  confirmation?: KeyConfirmation
  /** Whether the refresh token is bound, too (RFC 9449 §5, RFC 8705 §4). */
  binds_refresh_token?: boolean
  /** The details of the access token (RFC 9396 §6.1); absent: those of the code. */
  details?: TokenDetails
  /** The access token, if it is a JWT whose status is in a list. */
  noted?: NotedJwt
}

/** The text of the details of an access token; `asked`: the request asks for some, and has to learn those of its grant. */
export type TokenDetails = { readonly text: string } | 'asked'

/** The resources that an access token is for (RFC 8707 §2). */
export interface ResourceTarget {
  /** Their ids, separated by spaces; they must be among those of the grant. Empty: the request names none. */
  readonly resource: string
  /** The audience of the token, separated by spaces; empty: this server. */
  readonly audience: string
  /** The names that the scope of the access token may have; absent: any. */
  readonly scopes?: readonly string[]
}

/** A token to write. */
export interface NewToken {
  /** The token string, or the jti of a JWT. It begins with the family id. */
  token: string
  /** The fields of its record besides `jti`, `expires_at` and `revoked`. */
  fields: Hash
}

/** The access token of a client for itself, if the request uses up no id. It has no subject, and its own family id. */
export interface ClientToken {
  token: string
  client_id: ClientId
  scope: string
  /** Separated by spaces; absent or empty: this server. */
  audience?: string
  confirmation?: KeyConfirmation
  /** In seconds since 1970; absent: its record does not say it. */
  issued_at?: number
}

/** What is granted for an assertion or a DPoP proof, which may be used once. Lifetimes are in seconds. */
export interface GrantOnce {
  /** The access token, or the jti of a JWT. If it is sent again, the answer is the same and nothing changes. */
  token: string
  /** Whether the token is a JWT, which has no record. */
  is_jwt: boolean
  /** The ids to use up; empty: none, because the issuer of the assertion allows it to be used again. */
  single_uses: readonly SingleUse[]
  client_id: ClientId
  scope: string
  /** Separated by spaces; absent or empty: this server. */
  audience?: string
  /** The lifetime of the access token, opaque or JWT. */
  access_token_ttl: number
  confirmation?: KeyConfirmation
  /** As in ClientToken: of a client that acts for itself. */
  issued_at?: number
  /**
   * The user, further fields of the grant record, and the lists that it joins; absent: the client acts for itself, and has
   * no family.
   */
  user?: { subject: string; fields: Hash; lists?: readonly Listing[] }
  /** Who acts for the user, as the record of the token has it; absent: nobody but the client. */
  act?: string
  /** As in Redemption. */
  noted?: NotedJwt
}

/** A token that a client presents, and that stays as it is. */
export interface Presentation {
  /** A refresh token; or the jti of an id_token, which has no record unless it was revoked. */
  readonly token: string
  readonly type: 'refresh_token' | 'id_token'
  /** Who presents it: a refresh token must be one of this client. */
  readonly client_id: ClientId
  /** As in Redemption. */
  readonly single_uses: readonly SingleUse[]
}

/**
 * The outcome of a poll of a code that waits for the answer of its user (RFC 8628 §3.5): no answer yet, no answer yet
 * and the poll is too early, or the user refused. Nothing is spent.
 */
export type PollOutcome = 'pending' | 'slow_down' | 'denied'

/**
 * `ok`: this attempt spent the code and wrote the tokens and the family; `code` has CODE_FACTS and what it is bound to.
 * `mismatch`: the code is bound to another value; nothing changed. `target`: the code is for these resources, and the
 * target names others or is absent; nothing changed. `details`: those of the code, which were asked for; nothing changed.
 * `replayed`: another attempt spent the code; every token of its family is now revoked. `missing`: the code is unknown or
 * expired.
 */
export type Redeemed =
  | { outcome: 'ok'; code: Hash }
  | { outcome: 'mismatch'; field: string }
  | { outcome: 'target'; resource: string }
  | { outcome: 'details'; details: string }
  | { outcome: 'replayed' }
  | { outcome: 'missing' | PollOutcome }
  | UsedBefore

/** How a refresh token was spent. */
export interface Spending {
  /** The attempt that spent it. It is secret: together with the token it yields the tokens of the answer. */
  operation: string
  /** How its access token was issued, as that attempt noted it. */
  answered: string
}

/** One attempt to use a refresh token: what it must be bound to, and what to write then. Lifetimes are in seconds. */
export interface Refresh {
  client_id: ClientId
  /** The requested scope; absent: the scope of the token. */
  scope?: string
  /** The scope that the client may obtain now; the access token never exceeds it. */
  allowed_scopes: string
  /** The scope that a refresh token must have to be used; absent: none is needed. */
  refresh_scope?: string
  /** Identifies this attempt, as in Redemption. */
  operation: string
  /** The access token to write, of the refresh token's family; absent if it is a JWT. */
  access_token?: string
  /** As in Redemption; its scopes are part of `allowed_scopes`. */
  target?: ResourceTarget
  /** The lifetime of the access token, opaque or JWT. */
  access_token_ttl: number
  /** The successor of the refresh token, and what a retry gets as Spending.answered; absent: the token is not spent. */
  successor?: { token: string; answered: string }
  /** How long a spent refresh token gets the same answer again, while its successor was not presented. */
  retry_window: number
  /** The lifetime of an unused refresh token; absent: as long as its family can be refreshed. */
  idle_ttl?: number
  /** As in Redemption. */
  single_uses?: readonly SingleUse[]
  /** What the access token is bound to. A refresh token that is bound needs the same. */
  confirmation?: KeyConfirmation
  /** Whether the successor is bound to all of it, as in Redemption; otherwise it is bound to what its predecessor is. */
  binds_refresh_token?: boolean
  /** As in Redemption; absent: those of the grant. */
  details?: TokenDetails
  /** As in Redemption. */
  noted?: NotedJwt
}

/** What a refresh tells of the grant record: the sign-in, when it began, and the latest expiry of its refresh tokens. */
export const GRANT_FACTS = [
  'subject',
  'auth_time',
  'username',
  'sid',
  'amr',
  'acr',
  'claims',
  'resource',
  'refresh_until',
  'started_at',
  'session_started_at',
  'authorization_details',
] as const

/**
 * `ok`: the refresh token is replaced by its successor or still in use, and the access token is written. `family` has
 * the GRANT_FACTS of the grant record. `spent` tells how it was spent: by this attempt, or by an earlier one, whose answer
 * is then the answer to this one. `scope`: the request exceeds the token's scope, or a retry asks for another scope than
 * the first attempt; nothing changed.
 * `mismatch`: the token belongs to another client; nothing changed. `target`: as in Redeemed, or a retry names other
 * resources than the first attempt. `details`: those of the grant, which were asked for; nothing changed. `retry_details`: a
 * retry asks for other details than the first attempt; nothing changed. `key`: the refresh token is bound to another key or
 * certificate; nothing changed. `retry_key`: a retry comes with another key or certificate than the first attempt; nothing
 * changed. `reused`: it was spent, and the retry window is over or its successor was presented; every token of its family
 * is now revoked. `missing`: the refresh token is unknown, expired or revoked.
 */
export type Refreshed =
  | { outcome: 'ok'; family: Hash; scope: string; spent?: Spending }
  | { outcome: 'target'; resource: string }
  | { outcome: 'details'; details: string }
  | { outcome: 'mismatch' | 'scope' | 'key' | 'retry_key' | 'retry_details' | 'reused' | 'missing' }
  | UsedBefore

/** The record of a token and its grant record; undefined if missing. */
export interface TokenAndFamily {
  token: Hash | undefined
  family: Hash | undefined
}

/** A family with its live tokens, as operators see them. */
export interface FamilyAndTokens {
  /** Undefined: there is none, or none any more. */
  readonly family: Hash | undefined
  /** `type`, `scope`, `audience`, `expires_at` and `revoked` of each, those that expire first at the top. */
  readonly tokens: readonly Hash[]
}

/** A DPoP proof that comes with an access token. */
export interface PresentedProof {
  /** A token string of the family of the token. */
  readonly single_use: SingleUse
  /** The thumbprint of the key of the proof. */
  readonly jkt: string
}

/** What came of revoking: it ends now, it ended before (`again`), or there is none. */
export type EndOutcome = 'ok' | 'again' | 'missing'

/** How many active records were revoked: families, codes that were not redeemed, tokens without a family. */
export interface RevokedCounts {
  families: number
  codes: number
  tokens: number
}

/**
 * How many live tokens a family can have. One more access token ends the one that expires first: a sign-in that uses
 * more at a time is a fault or an attack, and Redis must hold and revoke them.
 */
export const MAX_LIVE_TOKENS = 1000

/**
 * The state machine of codes and tokens. The codes and tokens of one sign-in are a family: they are revoked together.
 * The status of the family decides: once it is not `active`, each of its tokens reads as revoked. Each call except
 * `revokeGrantedBefore` is one atomic step and one command. Calls throw StorageUnavailable if the outcome is unknown; a
 * retry then finds the code or refresh token unchanged, or gets the answer that was lost.
 */
export interface TokenFamilies {
  /**
   * Checks `bound_to`, then whether the code waits for its user or is spent; only then spends it and writes the tokens.
   * A spent code is recognised as long as its family exists.
   */
  redeemCode(code: string, redemption: Redemption): Promise<Redeemed>
  /**
   * Checks all conditions of `Refreshed`, and only then spends the refresh token and writes the tokens. A spent token
   * is recognised as long as its family exists.
   */
  refresh(token: string, refresh: Refresh): Promise<Refreshed>
  /**
   * Returns the id of a family for a token that a client gets for itself. Storage may choose ids that are asked for at
   * the same time so that it can write their tokens together.
   */
  newClientFamily(): FamilyId
  /**
   * Writes a new token of a client for `ttl` seconds. No family is looked up: its family id must be new. Does nothing
   * if the token exists: the call was repeated. Calls about the token must wait for its answer: they could overtake it.
   */
  saveClientToken(token: ClientToken, ttl: number): Promise<void>
  /**
   * Uses up ids that may be used once, and writes what is granted for them.
   * @param told what the audit trail says of it, in the same step, if its family is new
   */
  grantOnce(grant: GrantOnce, told?: AuditEntries): Promise<'ok' | UsedBefore>
  /** Uses up ids that may be used once, for a client, and writes a record in the same step. */
  useOnce(single_uses: readonly SingleUse[], client_id: ClientId, write?: Write): Promise<'ok' | UsedBefore>
  /**
   * Writes a token that is derived from another one of its family, if that, all that it was derived from, and the family
   * are live. The record names them: once one of them is not live, it reads as revoked.
   * @param told what the audit trail says of it, in the same step
   */
  deriveToken(derivation: Derivation, told?: AuditEntries): Promise<Derived>
  /**
   * Uses up ids that may be used once together with a token that stays as it is. `ended`: that or its family is not live,
   * or it is another client's; nothing changed.
   * @param told what the audit trail says of it, in the same step
   */
  presentToken(presentation: Presentation, told?: AuditEntries): Promise<'ok' | 'ended' | UsedBefore>
  /** Returns the live derived tokens of a family, those that expire first at the top. */
  readDerived(family: FamilyId): Promise<readonly DerivedToken[]>
  /**
   * Returns what became of the tokens that a token was derived from, the nearest one first, and of those that prove its
   * actors. For operators: a command for each.
   * @param record the record of the token
   */
  readOrigins(token: string, record: Hash): Promise<OriginsOfToken>
  /**
   * Revokes the derived tokens of a family in whose chain of actors a client is, and returns how many those were. The client
   * gets no further one of the family: its record notes it.
   * @param told as in revokeToken
   */
  endDerived(family: FamilyId, client_id: ClientId, told?: AuditEntries): Promise<number>
  /**
   * Writes a revoked record for a token without a record, such as a JWT, which is kept until the token expires; one that
   * has a record is revoked there.
   * @param told what the audit trail says of it, in the same step, if it was not revoked before
   */
  saveRevokedToken(token: NewToken, expires_at: Date, told?: AuditEntries): Promise<'ok' | 'again'>
  /** Returns the token's record, even if it is expired or revoked. */
  findToken(token: string): Promise<Hash | undefined>
  /** Returns the token's record and its grant record, read in one atomic step. */
  findTokenAndFamily(token: string): Promise<TokenAndFamily>
  /** As findTokenAndFamily for each; in a Redis Cluster their families must share a slot. */
  findTokensAndFamilies(tokens: readonly string[]): Promise<TokenAndFamily[]>
  /**
   * As findTokenAndFamily, and uses up a proof of the key that the token is bound to; the proof of another key is left.
   * A token without a record is a JWT, whose binding the caller has checked: pass `is_jwt`.
   */
  findTokenByProof(
    token: string,
    proof: PresentedProof,
    is_jwt: boolean,
  ): Promise<TokenAndFamily | UsedBefore>
  /** Returns the grant record of a family. */
  findFamily(family: FamilyId): Promise<Hash | undefined>
  /** Returns a family and its first `max` live tokens. Nothing that could be used is in the answer. */
  readFamily(family: FamilyId, max: number): Promise<FamilyAndTokens>
  /**
   * Revokes a token; a refresh token, spent or not, with its whole family. With `client_id`, a token that was issued to
   * another client is a `mismatch` and does not change.
   * @param told what the audit trail says of it, in the same step, if something changes
   */
  revokeToken(token: string, client_id?: ClientId, told?: AuditEntries): Promise<EndOutcome | 'mismatch'>
  /** Revokes a family and all its tokens. @param told as in revokeToken */
  revokeFamily(family: FamilyId, told?: AuditEntries): Promise<EndOutcome>
  /**
   * Revokes a family and all its tokens. If its code is not redeemed yet, it cannot be redeemed any more. `ttl`: how
   * many seconds that is stored, at least the lifetime of a code.
   * @param told as in revokeToken
   */
  endFamily(family: FamilyId, ttl: number, told?: AuditEntries): Promise<EndOutcome>
  /**
   * Revokes every family and code of a sign-in before a time, in seconds since 1970, and all tokens that clients have for
   * themselves, each in its own step. Everything written before the call began is revoked when it ends; an error on one
   * record does not stop the rest. Scans all keys: for a Redis that was restored from a backup.
   */
  revokeGrantedBefore(time: number): Promise<RevokedCounts>
}
