import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { tooManyFailures } from '../core/client-errors.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'

const MAX_REMEMBERED = 10_000

/** The shared failure counter after one more failure. */
export interface FailureCount {
  /** How many more failures are allowed in this window. */
  remaining: number
  /** Whether this failure exceeded the limit. */
  is_exceeded: boolean
  /** Milliseconds until the window ends. */
  ttl: number
}

/** One attempt to authenticate as a client. */
export interface Attempt<T> {
  client_id: ClientId
  /** Returns the address of the sender. */
  address(): string
  /** Whether the request has a secret. Attempts without one cannot guess a secret and do not wait. */
  has_secret: boolean
  /** Whether the request tries to prove something, so that its failure counts. */
  isProof(): boolean
  /** Authenticates with the cached record; undefined if that fails. */
  fromCache(): T | undefined
  /** Authenticates with the stored record. @throws OAuthError `invalid_client` if that fails */
  fromStorage(): Promise<T>
  /** Counts a failure for all replicas. @throws StorageUnavailable */
  count(name: string): Promise<FailureCount>
  /** Returns the client_id for the log if it is known to be that of a client. */
  registered(): ClientId | undefined
}

/** The last known failure counter of one client and address. */
interface Known {
  remaining: number
  /** When the window ends, in milliseconds since 1970. */
  ends: number
}

/**
 * Limits failed authentications of a client from one address (RFC 6749 §2.3.1). All replicas share the counter; only a
 * failure reads it. This class keeps its last value. If no failures remain, attempts with a secret are refused unchecked
 * until the window ends; otherwise at most as many as remain are checked at the same time.
 */
export class FailureLimit {
  readonly #max: number
  readonly #window: number
  readonly #now: () => number
  /** By name. A dropped entry is known again after the next failure. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_REMEMBERED })
  /** The running checks of attempts with a secret, by name; they reject on errors other than an OAuthError. */
  readonly #open = new Map<string, Set<Promise<void>>>()

  /**
   * @param max allowed failures in a window
   * @param window in seconds, from the first failure
   * @param now milliseconds since 1970
   */
  constructor(max: number, window: number, now: () => number) {
    this.#max = max
    this.#window = window
    this.#now = now
  }

  /** Whether no failure is known, and no attempt is being checked. */
  get is_quiet(): boolean {
    return this.#known.size === 0 && this.#open.size === 0
  }

  /**
   * Returns the result of an attempt that succeeds.
   * @throws OAuthError `invalid_client` if it fails, `temporarily_unavailable` (429) after too many failures;
   * StorageUnavailable
   */
  async check<T>(attempt: Attempt<T>): Promise<T> {
    const name = nameOf(attempt)
    while (attempt.has_secret && this.#isBusy(name, attempt)) await Promise.all(this.#open.get(name) ?? [])
    // No await from the check above to the entry in #open, or a burst of attempts would pass the limit.
    return attempt.fromCache() ?? (await this.#start(name, attempt))
  }

  /** Whether as many attempts are being checked as may fail. @throws OAuthError if none may fail */
  #isBusy(name: string, attempt: Attempt<unknown>): boolean {
    const { remaining, ends } = this.#recall(name)
    if (remaining === 0) throw tooManyFailures(ends - this.#now(), attempt.registered())
    return (this.#open.get(name)?.size ?? 0) >= remaining
  }

  #start<T>(name: string, attempt: Attempt<T>): Promise<T> {
    const checking = this.#checkStored(name, attempt)
    if (attempt.has_secret) this.#enter(name, checking)
    return checking
  }

  async #checkStored<T>(name: string, attempt: Attempt<T>): Promise<T> {
    try {
      return await attempt.fromStorage()
    } catch (error) {
      const is_failure = error instanceof OAuthError && error.code === 'invalid_client'
      if (!is_failure || !attempt.isProof()) throw error
      const { is_exceeded, ttl } = await this.#count(name, attempt)
      throw is_exceeded ? tooManyFailures(ttl, attempt.registered()) : error
    }
  }

  async #count(name: string, attempt: Attempt<unknown>): Promise<FailureCount> {
    try {
      const counted = await attempt.count(name)
      this.#known.set(name, { remaining: counted.remaining, ends: this.#now() + counted.ttl })
      return counted
    } catch (error) {
      // Count here if storage cannot, or an outage of storage would allow unlimited guesses.
      const { remaining, ends } = this.#recall(name)
      this.#known.set(name, { remaining: Math.max(0, remaining - 1), ends })
      throw error
    }
  }

  #recall(name: string): Known {
    const known = this.#known.get(name)
    const now = this.#now()
    return known !== undefined && now < known.ends
      ? known
      : { remaining: this.#max, ends: now + this.#window * 1000 }
  }

  #enter(name: string, checking: Promise<unknown>): void {
    const open = this.#open.get(name) ?? new Set()
    this.#open.set(name, open)
    const settled = checking
      .then(
        () => {},
        (error: unknown) => {
          if (!(error instanceof OAuthError)) throw error
        },
      )
      .finally(() => {
        open.delete(settled)
        if (open.size === 0) this.#open.delete(name)
      })
    open.add(settled)
    // The request itself reports the error.
    settled.catch(() => {})
  }
}

/** Returns the name of the failure counter of a client and address: a digest of 64 characters. */
function nameOf(attempt: Attempt<unknown>): string {
  return hash('sha256', `${attempt.address()} ${attempt.client_id}`, 'hex')
}
