import type { Actor } from '../../core/actor.ts'
import type { KeyConfirmation } from '../../core/confirmation.ts'
import type { TokenOrigin } from '../../storage/derivation.ts'

/** The content of a token. If a JWT is not accepted, its content is not proven. */
export interface InspectedToken {
  form: 'opaque' | 'jwt' | 'unknown'
  type?: string
  client_id?: string
  subject?: string
  scope?: string
  /** What it is for in detail, as JSON; absent: nothing. */
  authorization_details?: string
  /** Whom it is for; absent: the issuer. */
  audience?: readonly string[]
  expires_at?: Date
  /** What it is bound to; absent: nothing. */
  confirmation?: KeyConfirmation
  /** Who acts with it for its subject, the current actor first; absent: nobody. */
  actors?: readonly Actor[]
  /** What it was exchanged for, the nearest one first; absent: it was not got by exchange. */
  origins?: readonly TokenOrigin[]
  /** The id of its token family. */
  grant?: string
}

/** The reasons why a token is not accepted, and its content. */
export interface TokenExplanation {
  reasons: string[]
  facts: InspectedToken
}
