import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import { tooManyFailures } from '../core/client-errors.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { LIFTED } from './lockouts.ts'
import { counterOf } from './networks.ts'

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
  /** The lockout that was lifted last, as far as this process has taken note of it. */
  lifted?: string | undefined
  /** Whether a lockout may have been lifted since. */
  is_unsure?: boolean
}

/**
 * Limits failed authentications of a client from one address (RFC 6749 §2.3.1). All replicas share the counter; only a
 * failure reads it. This class keeps its last value. If no failures remain, attempts with a secret are refused unchecked
 * until the window ends, or an operator clears the counter; otherwise at most as many as remain are checked at the same
 * time.
 */
export class FailureLimit {
  readonly #max: number
  readonly #window: number
  readonly #now: () => number
  readonly #storage: Pick<Storage, 'changes' | 'records'>
  /** By name. A dropped entry is known again after the next failure. */
  readonly #known = new LRUCache<string, Known>(atMost(MAX_REMEMBERED))
  /** The running checks of attempts with a secret, by name; they reject on errors other than an OAuthError. */
  readonly #open = new Map<string, Set<Promise<void>>>()
  /** How often a lockout was lifted, or may have been. */
  #lifts = 0

  /**
   * @param max allowed failures in a window
   * @param window in seconds, from the first failure
   * @param now milliseconds since 1970
   * @param storage reports counters that operators clear
   */
  constructor(max: number, window: number, now: () => number, storage: Pick<Storage, 'changes' | 'records'>) {
    this.#max = max
    this.#window = window
    this.#now = now
    this.#storage = storage
    storage.changes.watch(LIFTED, {
      changed: (name) => {
        this.#lifts += 1
        const known = this.#known.get(name)
        if (known !== undefined) known.is_unsure = true
      },
      allChanged: () => {
        this.#lifts += 1
        for (const known of this.#known.values()) known.is_unsure = true
      },
    })
  }

  /** Forgets all failures: storage has none of them any more. */
  forget(): void {
    this.#known.clear()
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
    if (attempt.has_secret) await this.#makeSure(name)
    while (attempt.has_secret && this.#isBusy(name, attempt)) await Promise.all(this.#open.get(name) ?? [])
    // No await from the check above to the entry in #open, or a burst of attempts would pass the limit.
    return attempt.fromCache() ?? (await this.#start(name, attempt))
  }

  /** If nothing remains, and a lockout may have been lifted since, asks storage whether it was. */
  async #makeSure(name: string): Promise<void> {
    const known = this.#known.get(name)
    const { changes, records } = this.#storage
    if (known?.remaining !== 0 || (!known.is_unsure && changes.isLive(LIFTED))) return
    const lifts = this.#lifts
    let lifted: string | undefined
    try {
      lifted = recordOf(await records.read(LIFTED, name))
    } catch (error) {
      if (error instanceof StorageUnavailable) return
      throw error
    }
    if (lifted === undefined || lifted === known.lifted) known.is_unsure = this.#lifts !== lifts
    // Another attempt may have taken note of it, and failed, meanwhile.
    else if (this.#known.get(name) === known) {
      this.#known.set(name, { remaining: this.#max, ends: known.ends, lifted })
    }
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
    const lifts = this.#lifts
    try {
      const counted = await attempt.count(name)
      const { lifted, remaining } = this.#recall(name)
      // It may have been counted before it was lifted.
      const is_unsure = this.#lifts !== lifts
      this.#known.set(name, {
        // Made-up names may have pushed the counter out of storage: what was counted here stays counted.
        remaining: Math.max(0, Math.min(counted.remaining, remaining - 1)),
        ends: this.#now() + counted.ttl,
        lifted,
        is_unsure,
      })
      return counted
    } catch (error) {
      // Count here if storage cannot, or an outage of storage would allow unlimited guesses.
      const known = this.#recall(name)
      this.#known.set(name, { ...known, remaining: Math.max(0, known.remaining - 1) })
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
  return hash('sha256', `${counterOf(attempt.address())} ${attempt.client_id}`, 'hex')
}
