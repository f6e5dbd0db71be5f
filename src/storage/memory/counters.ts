import type { BrowserLimit, Counters, Failures, KnownBrowser } from '../counters.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'

/** Failure counters and known browsers in memory. */
export class MemoryCounters implements Counters {
  readonly #base: Base
  readonly #failures: ExpiringMap<number>
  /** For each user: browsers by name, the oldest first. */
  readonly #browsers: ExpiringMap<Map<string, { bound_to: string; expires: number }>>

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

  async rememberBrowser(user: string, browser: KnownBrowser, { max, ttl }: BrowserLimit): Promise<void> {
    this.#base.gate.pass()
    const expires = this.#base.now() + ttl * 1000
    const browsers = new Map(this.#browsers.get(user))
    for (const name of [browser.name, browser.replaces ?? '']) browsers.delete(name)
    browsers.set(browser.name, { bound_to: browser.bound_to, expires })
    this.#browsers.set(user, new Map([...browsers].slice(-max)), expires)
  }

  async findBrowser(user: string, name: string): Promise<string | undefined> {
    this.#base.gate.pass()
    const browser = this.#browsers.get(user)?.get(name)
    return browser !== undefined && this.#base.now() <= browser.expires ? browser.bound_to : undefined
  }
}
