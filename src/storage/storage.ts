import type { Hash } from '../core/record-hash.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import type { CodeRecord, SignIn } from '../tokens/code-record.ts'
import type { TokenType } from '../tokens/token-record.ts'

/**
 * What redmint keeps, as interfaces by intent. Every call is one atomic step, but for those that go through all
 * keys: it happens whole or not at all, and calls that run at the same moment behave as if one ran after the other. Times to live are in seconds
 * and are set in the same step as the record. Records that are returned are copies.
 *
 * A call that cannot tell what happened throws StorageUnavailable; nothing may be concluded from it, but
 * whoever tries again finds a code or refresh token as it was, or gets what the lost answer said.
 */
export interface Storage
  extends ClientStore,
    UserStore,
    TokenStore,
    SessionStore,
    PendingStore,
    ConsentStore,
    LogoutQueue,
    SigningKeyStore,
    FailureStore {
  /** Where this storage is, for the line at start-up: "memory", "Redis at host:port". Holds no password. */
  readonly description: string
  /** Resolves when storage can be written to; throws StorageUnavailable where it cannot. */
  probe(): Promise<void>
  /** Ends the connections. Calls afterwards throw StorageUnavailable. */
  close(): Promise<void>
}

/** Storage did not answer, refused to, or answered with a passing fault. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}

/** Whether a record was written, or why not. */
export type Created = 'ok' | 'exists'
export type Changed = 'ok' | 'missing'

/**
 * Fields to set and to remove in one step; an empty hash and an empty list change nothing. With `expected`, a record
 * whose fields have other values counts as missing.
 */
export interface Change {
  set: Hash
  unset: readonly string[]
  expected?: Hash
}

/** Who hears of changed client records, whoever wrote them. */
export interface ClientWatcher {
  /** The record of this client may have changed. */
  changed(client_id: string): void
  /** Any record may have changed: after a flush, or when notices may have been missed. */
  allChanged(): void
}

export interface ClientStore {
  readClient(client_id: string): Promise<Hash | undefined>
  /** Every client, in no order; one that is added or removed meanwhile may be missed. */
  listClients(): AsyncIterable<{ client_id: string; hash: Hash }>
  createClient(client_id: string, hash: Hash): Promise<Created>
  changeClient(client_id: string, change: Change): Promise<Changed>
  removeClient(client_id: string): Promise<Changed>
  /** Reports changes to `watcher` from now on. */
  watchClients(watcher: ClientWatcher): void
  /** Whether every change is being reported within a second; where not, nothing may be cached. */
  readonly watching: boolean
}

export interface UserStore {
  readUser(username: string): Promise<Hash | undefined>
  listUsers(): AsyncIterable<{ username: string; hash: Hash }>
  createUser(username: string, hash: Hash): Promise<Created>
  changeUser(username: string, change: Change): Promise<Changed>
  removeUser(username: string): Promise<Changed>
}

/** A token to be written. Its grant part says which sign-in it came of. */
export interface NewToken {
  type: TokenType
  client_id: string
  subject: string
  scope: string
}

/** One attempt to redeem a code: what the code must be bound to, and what to write when it is. */
export interface Redemption {
  client_id: string
  redirect_uri: string
  /** The S256 challenge computed of the presented code_verifier; absent where none was presented. */
  code_challenge?: string
  /** Names this attempt: the same attempt sent twice gets the same answer and changes nothing the second time. */
  operation: string
  /** The token strings to write, both with the code's grant part; no `access_token` where it is a JWT. */
  access_token?: string
  refresh_token: string
  /** How long an access token is accepted that came of this, a JWT included. */
  access_token_ttl: number
  /** For how long refresh tokens of this grant can be used. */
  refresh_token_ttl: number
  /** How long a refresh token lives that is not used; absent: as long as its grant can be refreshed. */
  idle_ttl?: number
}

/**
 * `ok`: this attempt spent the code, and the tokens and the grant are written. `mismatch`: the code is bound
 * to something else; nothing changed. `replayed`: the code was spent by another attempt; every token of its
 * grant is now revoked. `missing`: no such code, or its time is over.
 */
export type RedeemResult =
  | { outcome: 'ok'; code: CodeRecord }
  | { outcome: 'mismatch'; field: 'client_id' | 'redirect_uri' | 'code_challenge' }
  | { outcome: 'replayed' }
  | { outcome: 'missing' }

/** One attempt to use a refresh token: what it must be bound to, and what to write when it is. */
export interface Refresh {
  client_id: string
  /** Scope names that are asked for; absent: all that the token has. */
  scope?: string
  /** Scope names that the client may obtain now; what is written never exceeds them. */
  allowed_scopes: string
  /** Names this attempt, as in Redemption. */
  operation: string
  /** The token strings to write, both with the refresh token's grant part; no `access_token` where it is a JWT. */
  access_token?: string
  /** How long an access token is accepted that came of this, a JWT included. */
  access_token_ttl: number
  /** What the refresh token is spent for; absent: it stays in use. */
  successor?: string
  /** The successor as it is kept with the spent token, for a retry. */
  sealed_successor?: string
  /** For how long after it was spent a refresh token gets its successor again, in seconds. */
  retry_window: number
  /** How long a refresh token lives that is not used; absent: as long as its grant can be refreshed. */
  idle_ttl?: number
}

/**
 * `ok`: the access token is written, and the refresh token is spent for its successor or still in use; where
 * an earlier attempt spent it within the retry window, `spent_by` and `sealed_successor` are that attempt's.
 * `scope`: more was asked for than the token has; nothing changed. `mismatch`: it is another client's; nothing
 * changed. `reused`: it was spent before the retry window; every token of its grant is now revoked. `missing`:
 * no such refresh token, or it is over or revoked.
 */
export type RefreshResult =
  | {
      outcome: 'ok'
      /** What is known of the sign-in, by the grant's record. */
      sign_in: SignIn
      scope: string
      /** Until when refresh tokens of the grant can be used, in milliseconds since 1970. */
      refresh_until: number
      spent_by?: string
      sealed_successor?: string
    }
  | { outcome: 'mismatch' | 'scope' | 'reused' | 'missing' }

/** A token's own record and that of its grant, as far as there are any. */
export interface TokenAndGrant {
  token: Hash | undefined
  grant: Hash | undefined
}

/** A user, by the sub or the username: a pairwise sub is none that the user's record has. */
export interface UserNames {
  subject: string
  username: string
}

/** Whose codes, tokens, grants and sessions: all that a client has, or all of a user. */
export type Holder = { client_id: string } | UserNames

/** How many were good until now: sessions, grants, codes not redeemed, tokens that went with no grant. */
export interface Ended {
  sessions: number
  grants: number
  codes: number
  tokens: number
}

export interface TokenStore {
  saveCode(code: string, record: CodeRecord, ttl: number): Promise<void>
  /**
   * Checks client_id, redirect_uri and code_challenge, in this order, then whether the code is spent; only
   * when all is right spends it and writes the tokens. A spent code is remembered for as long as a token can come
   * of its grant and live, by the lifetimes of this redemption.
   */
  redeemCode(code: string, redemption: Redemption): Promise<RedeemResult>
  /** Writes a token that is new. Where it is there already, this is the same call again and changes nothing. */
  saveToken(token: string, record: NewToken, ttl: number): Promise<void>
  /** The token's record as it stands, expired or revoked as it may be. */
  findToken(token: string): Promise<Hash | undefined>
  /** The token's record and its grant's, read at one moment. */
  findTokenAndGrant(token: string): Promise<TokenAndGrant>
  /** Checks all that the result tells apart, and only then spends the refresh token and writes the tokens. */
  refresh(token: string, refresh: Refresh): Promise<RefreshResult>
  /**
   * Marks a token revoked, and with a refresh token its whole grant. With `client_id` a token that was issued
   * to another client is a `mismatch` and stays as it is.
   */
  revokeToken(token: string, client_id?: string): Promise<Changed | 'mismatch'>
  /** Writes the record of a token that has none, a JWT's, as revoked until it expires. */
  saveRevokedToken(jti: string, record: NewToken, expires_at: Date): Promise<void>
  /** Marks a grant and every token of it revoked. */
  revokeGrant(grant: string): Promise<Changed>
  /**
   * The same; and where there is no such grant yet, none can come of its code any more. `ttl`: for how long that is
   * remembered, as long as a code lives.
   */
  endGrant(grant: string, ttl: number): Promise<void>
  /**
   * Revokes every grant, code and token of a holder, each in a step of its own: what was written before the call
   * began is over when it ends, and a fault at one keeps none of the others. An empty name is nobody's. Goes
   * through all keys, so it is for operators and for no request.
   */
  revokeAllOf(holder: Holder): Promise<Ended>
  /** The record of a grant (one sign-in's family of tokens). */
  findGrant(grant: string): Promise<Hash | undefined>
}

/** How many failures there were since the window opened. */
export interface Failures {
  count: number
  /** Milliseconds until the window ends, and the count with it. */
  ends_in: number
}

export interface FailureStore {
  /** Counts a failure under a name; the first one opens a window of so many milliseconds. */
  countFailure(name: string, window: number): Promise<Failures>
  /** Takes one failure back that turned out to be none; the window ends when it would have. */
  forgiveFailure(name: string): Promise<void>
  /** Remembers for a while that a browser belongs to a user; one name stands for both. */
  rememberBrowser(name: string, ttl: number): Promise<void>
  knowsBrowser(name: string): Promise<boolean>
}

/** Signed-in browsers, by a digest of what the browser's cookie holds. */
export interface SessionStore {
  /** Writes a session that is new. It ends when nobody used it for `idle_ttl`, and at its `ends_at` in any case. */
  createSession(id: string, session: SessionRecord, idle_ttl: number): Promise<void>
  /** The session as it stands, which is used by this, and so alive for another `idle_ttl`. */
  useSession(id: string, idle_ttl: number): Promise<SessionRecord | undefined>
  /**
   * Notes that the session's user goes on to a client: what scope the client may have without asking, and the grant
   * that ends with the session, where one does. `missing`: the session is over, and nothing may be issued.
   */
  joinSession(id: string, client_id: string, scope: string, grant?: string): Promise<Changed>
  /** Ends a session, and says what it was: to one caller only. */
  endSession(id: string): Promise<SessionRecord | undefined>
  /** The ids of all sessions of a user, in no order. Goes through all keys, so it is for operators and for no request. */
  sessionsOf(user: UserNames): AsyncIterable<string>
}

/** What waits for a person: authorization requests, and logout requests. Named by a token string. */
export interface PendingStore {
  savePending(id: string, record: PendingRecord, ttl: number): Promise<void>
  readPending(id: string): Promise<PendingRecord | undefined>
  /** Sets fields, and leaves the end as it is. */
  changePending(id: string, set: Partial<PendingRecord>): Promise<Changed>
  /**
   * Takes the pending request away, once: whoever gets `ok` is the only one. With `code` that is written in the same
   * step; it has the grant part of `id`.
   */
  finishPending(id: string, code?: { code: string; record: CodeRecord; ttl: number }): Promise<Changed>
}

/** To what a person agreed. */
export interface ConsentStore {
  /** The scope names that a user lets a client have; undefined where none is remembered. */
  readConsent(sub: string, client_id: string): Promise<string | undefined>
  /** Remembers them, in the place of those before. */
  saveConsent(sub: string, client_id: string, scope: string, ttl: number): Promise<void>
}

/** One client that has to be told of one logout (OpenID Connect Back-Channel Logout §2.3). */
export interface LogoutNotice {
  /** Random; two notices are never the same. */
  id: string
  client_id: string
  /** The user as this client knows them. */
  sub: string
  sid: string
  /** How often it was sent in vain. */
  attempts: number
}

/** Logouts that clients have yet to hear of; all replicas work on one queue. */
export interface LogoutQueue {
  /** Adds notices that are due at once. */
  queueLogouts(notices: readonly LogoutNotice[]): Promise<void>
  /**
   * Takes up to `max` notices that are due. Nobody else gets them for `lease` seconds; if they are neither finished nor
   * put off by then, they are due again.
   */
  claimLogouts(max: number, lease: number): Promise<LogoutNotice[]>
  /** Takes a claimed notice out of the queue. */
  finishLogout(notice: LogoutNotice): Promise<void>
  /** Makes a claimed notice due in `delay` seconds, with one attempt more. */
  putOffLogout(notice: LogoutNotice, delay: number): Promise<void>
}

export interface SigningKeyStore {
  /** The key records by kid; empty before the first start. */
  readSigningKeys(): Promise<Hash>
  /** Replaces the whole set, provided that it still is `expected`; false where somebody was faster. */
  replaceSigningKeys(expected: Hash, next: Hash): Promise<boolean>
}
