import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { VerificationKey } from './verification-key.ts'

/** The content of a JWS whose signature is valid. */
export interface VerifiedJws {
  /** The key that verified it. */
  readonly key: VerificationKey
  readonly claims: Readonly<Record<string, unknown>>
}

/** What a kept token counts beside its characters: its digest, its claims and its place. */
export const PLACE = 300
// 20,000 tokens of 500 characters; about 20 MB of memory.
const MAX_SIZE = 16_000_000

/**
 * The tokens that were verified last, so that the signature of a token that comes again is not verified again. Keeps the
 * SHA-256 of a token instead of the token: nobody can use what is kept here as a token.
 */
export class VerifiedTokens {
  readonly #tokens: LRUCache<string, VerifiedJws>

  /** @param max_size how many characters are kept, each token counting PLACE more */
  constructor(max_size = MAX_SIZE) {
    this.#tokens = new LRUCache({ maxSize: max_size })
  }

  /** Returns the content of exactly this token, if it is kept. Does not check whether its key is still published. */
  find(token: string): VerifiedJws | undefined {
    return this.#tokens.get(digest(token))
  }

  /** Keeps a token whose signature is valid. */
  keep(token: string, jws: VerifiedJws): void {
    this.#tokens.set(digest(token), jws, { size: token.length + PLACE })
  }
}

const digest = (token: string) => hash('sha256', token, 'base64')
