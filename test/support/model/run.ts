// One run of the model: the issued tokens and every attempt, so that attempts can be repeated.

import type { Derivation } from '../../../src/storage/derivation.ts'
import type { CodeRedemption } from '../../../src/tokens/token-families.ts'
import type { WaitingRedemption } from '../../../src/tokens/waiting-code.ts'
import type { RefreshAttempt } from '../contract/use-refresh-token.ts'
import { Model } from './model.ts'
import type { Question } from './questions.ts'

interface Refreshed {
  token: string
  refresh: RefreshAttempt
  at: number
  /** The operation that had spent the token at the time of the response. */
  spent_by: string | undefined
}

export class Run {
  readonly model = new Model()
  /** Every token string that was ever used, stored or not. */
  readonly tokens: string[] = []
  readonly grants: string[] = []
  /** Tokens that were seen as revoked. */
  readonly dead = new Set<string>()
  readonly redemptions: { code: string; redemption: CodeRedemption }[] = []
  /** The grants that an API spent. */
  readonly spent = new Set<string>()
  readonly polls: { question: Question; redemption: WaitingRedemption }[] = []
  readonly refreshes: Refreshed[] = []
  readonly derivations: Derivation[] = []
  /** JWTs that a token was derived from. */
  readonly jwts: string[] = []
  #named = 0

  newGrant(): string {
    const grant = `grant${this.grants.length + 1}`.padEnd(16, '-')
    this.grants.push(grant)
    return grant
  }

  newToken(grant: string, kind = 'token'): string {
    this.#named += 1
    // Refresh tokens of a family share the first part of their secret.
    const secret = `${kind.padEnd(30, '-')}${this.#named}`.padEnd(43, '-')
    const token = `${grant}.${secret}`
    this.tokens.push(token)
    return token
  }

  newOperation(): string {
    this.#named += 1
    return `operation ${this.#named}`
  }

  /**
   * Whether a storage can recognise a repeated attempt: it is the operation that spent the token, or
   * nothing else happened to the token since, at once or while its access token lives.
   */
  canBeRepeated({ token, refresh, at, spent_by }: Refreshed): boolean {
    const used = this.model.tokens.find((one) => one.token === token)
    if (used === undefined || !used.told.has(refresh.operation)) return true
    if (used.spent?.by === refresh.operation) return true
    if (used.spent?.by !== spent_by) return false
    return at === this.model.now || this.model.token(refresh.access_token ?? '') !== undefined
  }
}
