import { issuerUnavailable } from '../core/bearer-errors.ts'

/** How old a document may be, in milliseconds: before it is fetched again, and while it cannot be fetched. */
interface Ages {
  readonly fresh: number
  readonly usable: number
}

// A key that the authorization server withdraws is refused after five minutes. No token lives longer than a day, so older
// keys verify nothing that is still valid.
const OF_KEYS: Ages = { fresh: 300_000, usable: 86_400_000 }
// Milliseconds.
const RETRY_AFTER = 1_000
const RENEW_AFTER = 30_000

/** A document that is fetched again when it is old, by one request at a time, and stays in use while that fails. */
export class Kept<T> {
  readonly #load: () => Promise<T>
  readonly #now: () => number
  readonly #agesOf: (value: T) => Ages
  #value: T | undefined
  #loaded_at = Number.NEGATIVE_INFINITY
  #tried_at = Number.NEGATIVE_INFINITY
  #renewed_at = Number.NEGATIVE_INFINITY
  #failure: unknown
  #loading: Promise<void> | undefined

  /**
   * @param now milliseconds since 1970
   * @param agesOf how old a document may be
   */
  constructor(load: () => Promise<T>, now: () => number, agesOf: (value: T) => Ages = () => OF_KEYS) {
    this.#load = load
    this.#now = now
    this.#agesOf = agesOf
  }

  /**
   * Returns the document: a fresh one, or while it cannot be fetched one that is usable.
   * @throws OAuthError `temporarily_unavailable`
   */
  async read(): Promise<T> {
    if (this.#is('fresh')) return this.#value as T
    const loading = this.#reload(RETRY_AFTER)
    // In an outage only one request waits, unless there is nothing to use.
    if (this.#failure === undefined || !this.#is('usable')) await loading
    if (this.#is('usable')) return this.#value as T
    throw issuerUnavailable(this.#failure)
  }

  /**
   * Returns the document after another attempt to fetch it, because something in it is missing. Such attempts are at
   * least 30 seconds apart; ordinary ones do not count.
   * @throws OAuthError `temporarily_unavailable` if the last attempt failed: a newer document may exist
   */
  async renew(): Promise<T> {
    if (this.#failure !== undefined) await this.#reload(RETRY_AFTER)
    else if (this.#since(this.#renewed_at) >= RENEW_AFTER) {
      this.#renewed_at = this.#now()
      await this.#reload(0)
    }
    // What is fetched at this moment may have it.
    else await this.#loading
    if (this.#failure !== undefined) throw issuerUnavailable(this.#failure)
    return this.#value as T
  }

  #is(age: keyof Ages): boolean {
    const value = this.#value
    return value !== undefined && this.#since(this.#loaded_at) < this.#agesOf(value)[age]
  }

  // If the clock was set back by more than the limits, the document is neither young nor fetched a moment ago.
  #since(instant: number): number {
    return Math.abs(this.#now() - instant)
  }

  #reload(pause: number): Promise<void> | undefined {
    if (this.#loading === undefined && this.#since(this.#tried_at) >= pause) {
      this.#tried_at = this.#now()
      this.#loading = this.#attempt()
    }
    return this.#loading
  }

  async #attempt(): Promise<void> {
    try {
      this.#value = await this.#load()
      this.#loaded_at = this.#now()
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
    }
    this.#loading = undefined
  }
}
