import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'

/** What a fetch is for: a document that is not known yet, or one that is. */
export type FetchKind = 'new' | 'renewal'

/** How many fetches run at the same time. */
export interface PlaceLimits {
  /** Of documents that are not known yet, and besides of known ones on hosts that are slow. */
  readonly concurrency: number
  /** Of known documents on other hosts. */
  readonly renewals: number
  /** Of each kind and one host. */
  readonly per_host: number
}

/** Gives a place back. */
export type LeavePlace = () => void

/** A host whose document took so many milliseconds is slow, */
const SLOW = 1_000
/** for so long. */
const SLOW_FOR = 600_000
const MAX_SLOW_HOSTS = 10_000

/**
 * The places of fetches that run at the same time, so that the hosts of some cannot keep out those of others. A host has
 * a few places, and one that was slow shares those of the slow ones afterwards: strangers who have many known documents
 * on hosts that do not answer wait for each other, and not a client that people use for them.
 */
export class FetchPlaces {
  readonly #limits: PlaceLimits
  readonly #now: () => number
  readonly #taken = new Map<string, number>()
  /** Until when hosts are slow, in milliseconds since 1970. */
  readonly #slow = new LRUCache<string, number>(atMost(MAX_SLOW_HOSTS))

  /** @param now milliseconds since 1970 */
  constructor(limits: PlaceLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Takes a place for a fetch from a host. Returns undefined if there is none. */
  take(kind: FetchKind, host: string): LeavePlace | undefined {
    const start = this.#now()
    const pool = kind === 'renewal' && this.#isSlow(host, start) ? 'slow' : kind
    const of_host = `${pool} ${host}`
    const { concurrency, renewals, per_host } = this.#limits
    if (this.#count(pool) >= (pool === 'renewal' ? renewals : concurrency)) return undefined
    if (this.#count(of_host) >= per_host) return undefined
    this.#add(pool, 1)
    this.#add(of_host, 1)
    return () => {
      this.#add(pool, -1)
      this.#add(of_host, -1)
      const now = this.#now()
      if (kind === 'renewal' && now - start >= SLOW) this.#slow.set(host, now + SLOW_FOR)
    }
  }

  #isSlow(host: string, now: number): boolean {
    const until = this.#slow.get(host) ?? 0
    // Not longer if the clock was set back since.
    return now < until && until - now <= SLOW_FOR
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #add(name: string, change: number): void {
    const count = this.#count(name) + change
    if (count === 0) this.#taken.delete(name)
    else this.#taken.set(name, count)
  }
}
