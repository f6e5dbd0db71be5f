import type { Client, GrantType } from '../clients/client-record.ts'
import type { Context } from '../context.ts'
import type { Parameters } from '../core/parameters.ts'
import type { SigningKey } from '../keys/ring.ts'
import type { SignIn } from '../tokens/code-record.ts'

/**
 * What distinguishes one grant from another. The order of things is the pipeline's (issue.ts), which runs
 * every hook of every grant: no grant can forget to authenticate the client or to check its grant types.
 */
export interface Grant {
  readonly grant_type: GrantType
  /** The grant type that a client must be registered for. */
  readonly registered_as: GrantType
  /** Whether clients without a secret may use it. */
  readonly public_clients: boolean
  /** Whether a user stands behind it: a refresh token, and an id_token where `openid` was granted. */
  readonly has_user: boolean
  /** Reads what this grant needs of the request, before anything is looked up. */
  parse(parameters: Parameters): GrantRequest
}

/** One request for a grant, read and not yet judged. */
export interface GrantRequest {
  /** The grant part of the tokens to issue. */
  grantId(): string
  /** Decides whether the grant is good, and writes the tokens in the same atomic step. */
  write(context: Context, client: Client, plan: TokenPlan): Promise<Granted>
}

/** The tokens that will be issued if the grant is good. Their strings are drawn before anything is spent. */
export interface TokenPlan {
  /** The opaque access token, or the jti of the JWT. */
  jti: string
  /** For how many seconds the access token may be accepted, by the slowest clock. */
  access_token_ttl: number
  refresh_token: string
  /** Signs the access token; absent where it is opaque and `jti` itself is the token. */
  access_token_key?: SigningKey
  /** Signs the id_token; absent where no user stands behind the grant. */
  id_token_key?: SigningKey
}

/** What was granted. */
export interface Granted {
  scope: string
  /** Absent where no user stands behind it. */
  sign_in?: SignIn
  nonce?: string
  /** The refresh token to hand out, where it is not the planned one. */
  refresh_token?: string
}
