import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import { fetchObject, fetchText } from '../outbound/operator-fetch.ts'
import { INTROSPECTION_JWT } from '../tokens/jwt.ts'
import type { Validation } from '../tokens/validation.ts'
import type { TokenFacts } from './access-token.ts'

/** How a resource server introspects opaque tokens (RFC 7662). */
export interface IntrospectionOptions {
  /** A confidential client that may introspect the tokens of others. */
  readonly client_id: string
  readonly client_secret: string
  /** For how many seconds an answer is used again; a revoked token is accepted for as long. Default: 0. */
  readonly cache_seconds?: number
  /** Whether answers are signed JWTs (RFC 9701): others are not accepted then. Default: false. */
  readonly signed?: boolean
}

type Answered = Readonly<Record<string, unknown>>

/** Says what answers mean. */
export interface AnswerReader {
  read(answer: Answered): Validation<TokenFacts>
  /** Returns the answer in a JWT for this client. Rejects if it is not valid. */
  open(jwt: string, client_id: string): Promise<Answered>
}

interface Answer {
  readonly facts: TokenFacts
  /** Milliseconds since 1970. */
  readonly until: number
}

const MAX_ANSWERS = 10_000

/** Asks the introspection endpoint about opaque tokens. Keeps the SHA-256 of a token instead of the token. */
export class IntrospectionClient {
  readonly #options: IntrospectionOptions
  readonly #reader: AnswerReader
  readonly #now: () => number
  readonly #answers = new LRUCache<string, Answer>(atMost(MAX_ANSWERS))
  readonly #asked = new Map<string, Promise<Validation<TokenFacts>>>()

  /** @param now milliseconds since 1970 */
  constructor(options: IntrospectionOptions, reader: AnswerReader, now: () => number) {
    this.#options = options
    this.#reader = reader
    this.#now = now
  }

  /**
   * Returns whether a token is valid: concurrent requests for one token share an answer.
   * @throws Error that says what is wrong, if there is no answer
   */
  async verify(endpoint: string, token: string): Promise<Validation<TokenFacts>> {
    const id = hash('sha256', token, 'base64')
    const kept = this.#answers.get(id)
    if (kept !== undefined && this.#now() < kept.until) return { valid: true, token: kept.facts }
    const asked = this.#asked.get(id)
    if (asked !== undefined) return await asked
    const asking = this.#ask(endpoint, token, id).finally(() => this.#asked.delete(id))
    this.#asked.set(id, asking)
    return await asking
  }

  /**
   * Spends a token that counts once: of all requests one gets true. They share no answer.
   * @throws as verify
   */
  async spend(endpoint: string, token: string): Promise<boolean> {
    const found = this.#reader.read(await this.#post(endpoint, { token, spend: 'true' }))
    return found.valid && found.token.claims?.spent === true
  }

  async #ask(endpoint: string, token: string, id: string): Promise<Validation<TokenFacts>> {
    const { cache_seconds = 0 } = this.#options
    const asked_at = this.#now()
    const validation = this.#reader.read(await this.#post(endpoint, { token }))
    if (validation.valid && cache_seconds > 0) {
      const facts = validation.token
      // RFC 7662 §4: not longer than the token lives. The token was active when the question was answered, not now.
      const until = Math.min(asked_at + cache_seconds * 1000, facts.expires_at.getTime())
      this.#answers.set(id, { facts, until })
    }
    return validation
  }

  async #post(endpoint: string, asked: Readonly<Record<string, string>>): Promise<Answered> {
    const { client_id, client_secret, signed = false } = this.#options
    const request = {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(client_id, client_secret),
        accept: signed ? INTROSPECTION_JWT : 'application/json',
      },
      body: new URLSearchParams({ ...asked, token_type_hint: 'access_token' }),
    }
    return signed
      ? await this.#reader.open(await fetchText(endpoint, request), client_id)
      : await fetchObject(endpoint, request)
  }
}

// RFC 6749 §2.3.1: both are form-encoded.
function basicAuthorization(client_id: string, client_secret: string): string {
  const [id, secret] = [client_id, client_secret].map((text) =>
    new URLSearchParams({ '': text }).toString().slice(1),
  )
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}
