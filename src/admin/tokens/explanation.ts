import type { KeyConfirmation } from '../../core/confirmation.ts'

/** The content of a token. If a JWT is not accepted, its content is not proven. */
export interface InspectedToken {
  form: 'opaque' | 'jwt' | 'unknown'
  type?: string
  client_id?: string
  subject?: string
  scope?: string
  /** Whom it is for; absent: the issuer. */
  audience?: readonly string[]
  expires_at?: Date
  /** What it is bound to; absent: nothing. */
  confirmation?: KeyConfirmation
  /** The id of its token family. */
  grant?: string
}

/** The reasons why a token is not accepted, and its content. */
export interface TokenExplanation {
  reasons: string[]
  facts: InspectedToken
}
