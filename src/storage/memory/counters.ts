import type { Counters, Failures } from '../counters.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'

/** Failure counters and known browsers in memory. */
export class MemoryCounters implements Counters {
  readonly #base: Base
  readonly #failures: ExpiringMap<number>
  readonly #browsers: ExpiringMap<true>

  constructor(base: Base) {
    this.#base = base
    this.#failures = new ExpiringMap(base.now)
    this.#browsers = new ExpiringMap(base.now)
  }

  async countFailure(name: string, window: number): Promise<Failures> {
    this.#base.gate.pass()
    const now = this.#base.now()
    const ends = this.#failures.expires(name) ?? now + window
    const count = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, count, ends)
    return { count, ends_in: ends - now }
  }

  async forgiveFailure(name: string): Promise<void> {
    this.#base.gate.pass()
    this.#failures.update(name, (count) => Math.max(0, count - 1))
  }

  async rememberBrowser(name: string, ttl: number): Promise<void> {
    this.#base.gate.pass()
    this.#browsers.set(name, true, this.#base.now() + ttl * 1000)
  }

  async knowsBrowser(name: string): Promise<boolean> {
    this.#base.gate.pass()
    return this.#browsers.get(name) !== undefined
  }
}
