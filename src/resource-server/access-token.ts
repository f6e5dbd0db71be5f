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

  constructor({ subject, client_id, scope, expires_at, claims = {}, acr, auth_time }: TokenFacts) {
    this.subject = subject
    this.client_id = client_id
    this.scope = scope
    this.expires_at = expires_at
    this.claims = claims
    this.acr = acr
    this.auth_time = auth_time
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
