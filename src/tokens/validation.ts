import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/actor.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import type { SeenToken } from '../core/connection-steps.ts'
import type { ClientId } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { TokenFamilies } from '../storage/families.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import type { VerifyingKeys } from './jws.ts'

/** The dependencies of token validation. */
export interface ValidationContext {
  readonly settings: Pick<Settings, 'demo' | 'issuer' | 'pairwise_salt' | 'groups_claim'>
  readonly storage: { readonly families: Pick<TokenFamilies, 'findTokenAndFamily' | 'findTokenByProof'> }
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly accounts: Pick<AccountRegistry, 'find'>
  readonly keys: VerifyingKeys
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The content of an access token of either format. */
export interface ValidAccessToken {
  readonly jti: string
  readonly client_id: ClientId
  /** The user; empty if the client acts for itself. */
  readonly subject: string
  readonly scope: string
  readonly expires_at: Date
  /** In seconds since 1970; of an opaque token only if its client has the id of a removed one. */
  readonly issued_at?: number
  /** Whom the token is for; absent: this server. */
  readonly audience?: readonly string[]
  /** When the user signed in, in seconds since 1970, and how (RFC 9470 §6), if that is known. */
  readonly auth_time?: number
  readonly acr?: string
  /** What it is bound to; absent: nothing. */
  readonly confirmation?: KeyConfirmation
  /** Who acts for the user (RFC 8693 §4.1); absent: nobody but its client. */
  readonly act?: Actor
  /** What it is for in detail (RFC 9396), as text; absent: nothing. */
  readonly authorization_details?: string
  /** Who may act for the user, as its claim says (RFC 8693 §4.4); absent: it does not say it. */
  readonly may_act?: unknown
  /** The grant record, if it was read and exists. */
  readonly grant?: Hash
}

/**
 * A valid token, with its client if the state of the token was looked at, and with the client that its user signed in at if
 * another one acts with it; or the reason for the log why it is invalid.
 * `replayed`: the DPoP proof that came with it was used before, with a token of this client if that is known. `shown`: it is
 * a token of this server all the same, and whose; absent: nothing proves that.
 */
export type Validation<T> =
  | { valid: true; token: T; client?: Client; origin?: Client }
  | { valid: false; reason: string; replayed?: { client_id?: ClientId }; shown?: SeenToken }
