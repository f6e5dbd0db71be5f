interface Entry<V> {
  value: V
  /** Milliseconds since 1970; over once the clock is past it, as in Redis. */
  expires: number
}

/**
 * A map whose entries end at an instant of their own. What has ended reads as missing at once, and is dropped
 * when the map has grown to twice what it held after it was last swept: cheap, and without a timer.
 */
export class ExpiringMap<V> {
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<V>>()
  #sweepAbove = 0

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** How many entries are held, ended ones included until they are dropped. */
  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    const entry = this.#live(key)
    return entry?.value
  }

  /** Puts a value in place that ends at `expires`, in milliseconds since 1970. */
  set(key: string, value: V, expires: number): void {
    this.#entries.set(key, { value, expires })
    if (this.#entries.size > this.#sweepAbove) this.#sweep()
  }

  /** Puts another value in place and leaves its end as it is; does nothing where there is no value. */
  update(key: string, change: (value: V) => V): void {
    const entry = this.#live(key)
    if (entry !== undefined) entry.value = change(entry.value)
  }

  /** Takes a value out. */
  take(key: string): V | undefined {
    const entry = this.#live(key)
    this.#entries.delete(key)
    return entry?.value
  }

  /** When a value ends, in milliseconds since 1970. */
  expires(key: string): number | undefined {
    return this.#live(key)?.expires
  }

  /** Lets a value live until `expires`, or longer where it already does. */
  keepUntil(key: string, expires: number): void {
    const entry = this.#live(key)
    if (entry !== undefined) entry.expires = Math.max(entry.expires, expires)
  }

  /** What has not ended, in no order. */
  *entries(): Generator<[key: string, value: V]> {
    for (const key of this.#entries.keys()) {
      const entry = this.#live(key)
      if (entry !== undefined) yield [key, entry.value]
    }
  }

  #live(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#now() <= entry.expires ? entry : undefined
  }

  #sweep(): void {
    const now = this.#now()
    for (const [key, entry] of this.#entries) if (now > entry.expires) this.#entries.delete(key)
    this.#sweepAbove = 2 * this.#entries.size
  }
}
