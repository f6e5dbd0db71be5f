import { LRUCache } from 'lru-cache'
import { isUrl } from '../core/uri.ts'
import { MinuteBudget } from '../limits/minute-budget.ts'
import { FetchPlaces, type PlaceLimits } from './fetch-places.ts'
import { type FreshnessLimits, freshnessOf } from './freshness.ts'
import { away, type FetchFailure, fetchFailure, type GetDocument } from './public-get.ts'

/** The bounds of a cache of documents; times in seconds. */
export interface DocumentCacheLimits extends FreshnessLimits {
  /** How long a document that is not fresh any more may still be used, where its user allows that. */
  readonly max_stale: number
  /** The time between two fetches of a document that is kept, if the first one failed, or something was missing in it. */
  readonly retry_interval: number
  /** How many characters the kept documents have as JSON. */
  readonly max_size: number
  /** How many fetches run at the same time. */
  readonly places: PlaceLimits
  /** How many fetches of one host, and of all together, start in a minute. */
  readonly per_host: number
  readonly per_minute: number
}

/**
 * Whether a document that is not fresh any more may be used. `on_error`: if a new one cannot be fetched. `meanwhile`: also
 * while a new one is fetched.
 */
export type StaleUse = 'never' | 'on_error' | 'meanwhile'

/** A document as its reader understood it. */
export interface UsableDocument<T> {
  readonly ok: true
  readonly value: T
  /** When it was fetched, in milliseconds since 1970. */
  readonly fetched_at: number
}

/** What a reader makes of a document. `problem` continues a sentence about the document. */
export type ReadDocument<T> = (
  document: Record<string, unknown>,
  url: string,
) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

interface Entry<T> extends UsableDocument<T> {
  /** In milliseconds since 1970. */
  readonly fresh_until: number
  readonly size: number
  /** When a fetch ended last, successfully or not; in milliseconds since 1970. */
  attempted_at: number
  has_failed: boolean
  /** When something that was missing in it caused a fetch last, in milliseconds since 1970; absent: not yet. */
  searched_at?: number | undefined
}

// After a clock was set back, nobody knows how old it is.
const isFresh = (
  { fetched_at, fresh_until }: Pick<Entry<unknown>, 'fetched_at' | 'fresh_until'>,
  now: number,
) => fetched_at <= now && now < fresh_until

const TOO_MANY = away('budget', 'too many were fetched a moment ago')

/** Documents of other hosts by URL, for this process. Failures are not kept: the budget bounds how often they repeat. */
export class DocumentCache<T> {
  readonly #get: GetDocument
  readonly #read: ReadDocument<T>
  readonly #limits: DocumentCacheLimits
  readonly #now: () => number
  readonly #budget: MinuteBudget
  readonly #places: FetchPlaces
  readonly #entries: LRUCache<string, Entry<T>>
  readonly #fetches = new Map<string, Promise<UsableDocument<T> | FetchFailure>>()

  /** @param now milliseconds since 1970 */
  constructor(get: GetDocument, read: ReadDocument<T>, limits: DocumentCacheLimits, now: () => number) {
    this.#get = get
    this.#read = read
    this.#limits = limits
    this.#now = now
    this.#budget = new MinuteBudget({ per_name: limits.per_host, in_all: limits.per_minute }, now)
    this.#places = new FetchPlaces(limits.places, now)
    this.#entries = new LRUCache({ maxSize: limits.max_size, sizeCalculation: ({ size }) => size })
  }

  /** Returns the document, fetched if it is not fresh, or why there is none. Never rejects. */
  async find(url: string, stale: StaleUse = 'never'): Promise<UsableDocument<T> | FetchFailure> {
    const entry = this.#entries.get(url)
    const now = this.#now()
    if (entry !== undefined && isFresh(entry, now)) return entry
    if (stale === 'never' || entry === undefined || !this.#isUsable(entry, now)) return this.#fetch(url)
    if (!this.#mayRetry(entry)) return entry
    const fetching = this.#fetch(url)
    return stale === 'meanwhile' ? entry : unlessFailed(await fetching, entry)
  }

  /** Returns the document if it is kept and fresh. */
  fresh(url: string): T | undefined {
    const entry = this.#entries.get(url)
    return entry !== undefined && isFresh(entry, this.#now()) ? entry.value : undefined
  }

  /** Returns the document if it is kept and may still be used by callers that do not need a fresh one. */
  kept(url: string): T | undefined {
    const entry = this.#entries.get(url)
    return entry !== undefined && this.#isUsable(entry, this.#now()) ? entry.value : undefined
  }

  /** Returns the document that was fetched last, however old it is. */
  last(url: string): T | undefined {
    return this.#entries.peek(url)?.value
  }

  /**
   * Returns the document, fetched again although it may be fresh, because something in it is missing; at most once in
   * `retry_interval`, in which other fetches do not count. If that fails, the old one counts while it may still be used.
   * Never rejects.
   */
  async refetch(url: string): Promise<UsableDocument<T> | FetchFailure> {
    const entry = this.#entries.get(url)
    if (entry === undefined || !this.#maySearch(entry)) return this.find(url, 'on_error')
    entry.searched_at = this.#now()
    const is_usable = this.#isUsable(entry, this.#now())
    const fetched = await this.#fetch(url)
    return is_usable ? unlessFailed(fetched, entry) : fetched
  }

  #isUsable({ fresh_until }: Entry<T>, now: number): boolean {
    return now < fresh_until + this.#limits.max_stale * 1000
  }

  #mayRetry({ attempted_at }: Entry<T>): boolean {
    return this.#isLongAgo(attempted_at)
  }

  #maySearch(entry: Entry<T>): boolean {
    if (entry.has_failed) return this.#mayRetry(entry)
    return entry.searched_at === undefined || this.#isLongAgo(entry.searched_at)
  }

  #isLongAgo(at: number): boolean {
    // Also if the clock was set back since.
    return Math.abs(this.#now() - at) >= this.#limits.retry_interval * 1000
  }

  /** Fetches a document. Concurrent callers share one fetch. */
  #fetch(url: string): Promise<UsableDocument<T> | FetchFailure> {
    const running = this.#fetches.get(url)
    if (running !== undefined) return running
    // A kept document is fetched at most as often as its freshness ends, or after a failure as it may be tried again, so
    // strangers cannot use up its turn.
    const entry = this.#entries.peek(url)
    const is_renewal = entry !== undefined && (!entry.has_failed || this.#mayRetry(entry))
    const host = hostOf(url)
    const leave = this.#places.take(is_renewal ? 'renewal' : 'new', host)
    if (leave === undefined) return Promise.resolve(TOO_MANY)
    if (!is_renewal && !this.#budget.take(host)) {
      leave()
      return Promise.resolve(TOO_MANY)
    }
    const fetching = this.#load(url).finally(() => {
      leave()
      this.#fetches.delete(url)
    })
    this.#fetches.set(url, fetching)
    return fetching
  }

  async #load(url: string): Promise<UsableDocument<T> | FetchFailure> {
    const fetched = await this.#get(url)
    const now = this.#now()
    if (!fetched.ok) return this.#fail(url, fetched, now)
    const read = this.#read(fetched.document, url)
    if (!read.ok) return this.#fail(url, fetchFailure('invalid', read.problem, true), now)
    const entry: Entry<T> = {
      ok: true,
      value: read.value,
      fetched_at: now,
      fresh_until: now + freshnessOf(fetched.headers, this.#limits, now) * 1000,
      size: url.length + JSON.stringify(fetched.document).length,
      attempted_at: now,
      has_failed: false,
      searched_at: this.#entries.peek(url)?.searched_at,
    }
    this.#entries.set(url, entry)
    return entry
  }

  #fail(url: string, failure: FetchFailure, now: number): FetchFailure {
    const entry = this.#entries.peek(url)
    if (failure.is_gone) this.#entries.delete(url)
    else if (entry !== undefined) Object.assign(entry, { attempted_at: now, has_failed: true })
    return failure
  }
}

function unlessFailed<T>(
  fetched: UsableDocument<T> | FetchFailure,
  old: UsableDocument<T>,
): UsableDocument<T> | FetchFailure {
  return fetched.ok || fetched.is_gone ? fetched : old
}

function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).hostname : ''
}
