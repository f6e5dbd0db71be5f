import { issuerUnavailable } from '../core/bearer-errors.ts'

// Milliseconds. A key that the authorization server withdraws is refused after FRESH_FOR.
const FRESH_FOR = 300_000
// No token lives longer than a day, so older keys verify nothing that is still valid.
const USABLE_FOR = 86_400_000
const RETRY_AFTER = 1_000
const RENEW_AFTER = 30_000

/** A document that is fetched again when it is old, by one request at a time, and stays in use while that fails. */
export class Kept<T> {
  readonly #load: () => Promise<T>
  readonly #now: () => number
  #value: T | undefined
  #loaded_at = Number.NEGATIVE_INFINITY
  #tried_at = Number.NEGATIVE_INFINITY
  #renewed_at = Number.NEGATIVE_INFINITY
  #failure: unknown
  #loading: Promise<void> | undefined

  /** @param now milliseconds since 1970 */
  constructor(load: () => Promise<T>, now: () => number) {
    this.#load = load
    this.#now = now
  }

  /**
   * Returns the document: at most five minutes old, or at most a day old while it cannot be fetched.
   * @throws OAuthError `temporarily_unavailable`
   */
  async read(): Promise<T> {
    if (this.#isYounger(FRESH_FOR)) return this.#value as T
    const loading = this.#reload(RETRY_AFTER)
    // In an outage only one request waits, unless there is nothing to use.
    if (this.#failure === undefined || !this.#isYounger(USABLE_FOR)) await loading
    if (this.#isYounger(USABLE_FOR)) return this.#value as T
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

  #isYounger(age: number): boolean {
    return this.#value !== undefined && this.#since(this.#loaded_at) < age
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
