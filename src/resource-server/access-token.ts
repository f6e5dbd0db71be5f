import type { Actor } from '../core/actor.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import { scopeNames } from '../core/scope.ts'

/** What verification says about an access token. */
export interface TokenFacts {
  readonly client_id: string
  /** The user; empty if the client acts for itself. */
  readonly subject: string
  readonly scope: string
  readonly expires_at: Date
  readonly audience?: readonly string[] | undefined
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  readonly acr?: string | undefined
  readonly auth_time?: number | undefined
  /** What it is bound to; absent: nothing. */
  readonly confirmation?: KeyConfirmation | undefined
  /** Who acts for the user (RFC 8693 §4.1); absent: nobody but its client. */
  readonly act?: Actor | undefined
}

/** An access token that was verified, as the routes of a resource server see it. */
export class AccessToken {
  /** The user; empty if the client acts for itself. */
  readonly subject: string
  readonly client_id: string
  /** The scopes, separated by spaces. */
  readonly scope: string
  readonly expires_at: Date
  /** The claims of a JWT, or the members of the introspection response. */
  readonly claims: Readonly<Record<string, unknown>>
  /** How the user signed in (RFC 9470 §6). */
  readonly acr: string | undefined
  /** When the user signed in: seconds since 1970 (RFC 9470 §6). */
  readonly auth_time: number | undefined
  /** What the token is bound to: the key of a DPoP proof (RFC 9449 §6), a client certificate (RFC 8705 §3), or nothing. */
  readonly confirmation: KeyConfirmation | undefined
  /** Who acts for the user, with those who acted before in its `act` (RFC 8693 §4.1); undefined: the user's client alone. */
  readonly actor: Actor | undefined
  /** Headers for the answer to the request: a nonce for the next DPoP proof (RFC 9449 §8.2), or none. */
  readonly response_headers: Readonly<Record<string, string>>

  constructor(facts: TokenFacts, response_headers: Readonly<Record<string, string>> = {}) {
    const { subject, client_id, scope, expires_at, claims = {}, acr, auth_time, confirmation, act } = facts
    this.subject = subject
    this.client_id = client_id
    this.scope = scope
    this.expires_at = expires_at
    this.claims = claims
    this.acr = acr
    this.auth_time = auth_time
    this.confirmation = confirmation
    this.actor = act
    this.response_headers = response_headers
  }

  /** The distinct scopes. */
  get scopes(): string[] {
    return scopeNames(this.scope)
  }

  /** `SCOPE_<scope>` for every scope. */
  get authorities(): string[] {
    return this.scopes.map((name) => `SCOPE_${name}`)
  }
}
