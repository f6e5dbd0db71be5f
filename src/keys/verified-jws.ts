import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { VerificationKey } from './verification-key.ts'

/** The content of a JWS whose signature is valid. */
export interface VerifiedJws {
  /** The key that verified it. */
  readonly key: VerificationKey
  /** The media type in its header, in lower case; undefined if there is none. */
  readonly typ: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
}

interface Limits {
  /** How many tokens are kept. */
  readonly max: number
  /** How many characters the kept tokens have. */
  readonly max_size: number
}

// About 20 MB of memory.
const LIMITS: Limits = { max: 20_000, max_size: 16 * 1024 * 1024 }

/**
 * The tokens that were verified last, so that the signature of a token that comes again is not verified again. Keeps the
 * SHA-256 of a token instead of the token: nobody can use what is kept here as a token.
 */
export class VerifiedTokens {
  readonly #tokens: LRUCache<string, VerifiedJws>

  constructor({ max, max_size }: Limits = LIMITS) {
    this.#tokens = new LRUCache({ max, maxSize: max_size })
  }

  /** Returns the content of exactly this token, if it is kept. Does not check whether its key is still published. */
  find(token: string): VerifiedJws | undefined {
    return this.#tokens.get(digest(token))
  }

  /** Keeps a token whose signature is valid. */
  keep(token: string, jws: VerifiedJws): void {
    this.#tokens.set(digest(token), jws, { size: token.length })
  }
}

const digest = (token: string) => hash('sha256', token, 'base64')
