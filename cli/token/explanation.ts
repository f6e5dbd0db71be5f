/** What a token says. Where it is a JWT that is not accepted, nothing of it is proven. */
export interface TokenFacts {
  form: 'opaque' | 'jwt' | 'unknown'
  type?: string
  client_id?: string
  subject?: string
  scope?: string
  expires_at?: Date
  /** The sign-in or request that it came of. */
  grant?: string
}

/** Why a token is not accepted, in words, and what it says. */
export interface Explanation {
  reasons: string[]
  facts: TokenFacts
}
