interface Entry<V> {
  value: V
  /** Milliseconds since 1970. As in Redis, the entry has expired when the clock is later than this. */
  expires: number
}

/**
 * A map whose entries expire. An expired entry reads as missing; it is deleted when the map has twice the size that it
 * had after the last sweep, so there is no timer.
 */
export class ExpiringMap<V> {
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<V>>()
  #sweepAbove = 0

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The number of entries, including expired ones that are not deleted yet. */
  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    const entry = this.#live(key)
    return entry?.value
  }

  /** Sets a value that expires at `expires`, in milliseconds since 1970. */
  set(key: string, value: V, expires: number): void {
    this.#entries.set(key, { value, expires })
    if (this.#entries.size > this.#sweepAbove) this.sweep()
  }

  /** Replaces a value and keeps its expiry; does nothing if there is no value. */
  update(key: string, change: (value: V) => V): void {
    const entry = this.#live(key)
    if (entry !== undefined) entry.value = change(entry.value)
  }

  /** Removes and returns a value. */
  take(key: string): V | undefined {
    const entry = this.#live(key)
    this.#entries.delete(key)
    return entry?.value
  }

  /** When a value expires, in milliseconds since 1970. */
  expires(key: string): number | undefined {
    return this.#live(key)?.expires
  }

  /** Extends the lifetime of a value to `expires`; never shortens it. */
  keepUntil(key: string, expires: number): void {
    const entry = this.#live(key)
    if (entry !== undefined) entry.expires = Math.max(entry.expires, expires)
  }

  /** All entries that have not expired, in no order. */
  *entries(): Generator<[key: string, value: V]> {
    for (const key of this.#entries.keys()) {
      const entry = this.#live(key)
      if (entry !== undefined) yield [key, entry.value]
    }
  }

  /** The key that expires first, of those that `counts` accepts; undefined if there is none. */
  firstToExpire(counts: (key: string) => boolean): string | undefined {
    let first: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [key, { expires }] of this.#entries) {
      if (expires >= least || this.#live(key) === undefined || !counts(key)) continue
      first = key
      least = expires
    }
    return first
  }

  /** Deletes the entries that have expired. */
  sweep(): void {
    const now = this.#now()
    for (const [key, entry] of this.#entries) if (now > entry.expires) this.#entries.delete(key)
    this.#sweepAbove = 2 * this.#entries.size
  }

  #live(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#now() <= entry.expires ? entry : undefined
  }
}
