import {
  type BrowserLimit,
  type Counters,
  type FailureGroup,
  type Failures,
  type KnownBrowser,
  MAX_COUNTERS,
  placeOf,
  SHARED,
  type SignedInUser,
} from '../counters.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import type { MemorySignIns } from './sign-ins.ts'

interface Counter {
  count: number
  /** Milliseconds since 1970. */
  readonly ends: number
}

/** Failure counters and known browsers in memory. */
export class MemoryCounters implements Counters {
  readonly #base: Base
  readonly #sign_ins: MemorySignIns
  /** The counters of each bucket by their field. */
  readonly #buckets: ExpiringMap<Map<string, Counter>>
  /** For each user: browsers by name, the oldest first. */
  readonly #browsers: ExpiringMap<Map<string, { bound_to: string; expires: number }>>

  constructor(base: Base, sign_ins: MemorySignIns) {
    this.#base = base
    this.#sign_ins = sign_ins
    this.#buckets = new ExpiringMap(base.now)
    this.#browsers = new ExpiringMap(base.now)
  }

  async countFailure(group: FailureGroup, name: string, window: number): Promise<Failures> {
    this.#base.gate.pass()
    const now = this.#base.now()
    const place = placeOf(group, name)
    const running = [...(this.#buckets.get(place.bucket) ?? [])].filter(([, { ends }]) => ends > now)
    const bucket = new Map(running)
    const field = bucket.has(place.field) || bucket.size < MAX_COUNTERS ? place.field : SHARED
    const { count, ends } = bucket.get(field) ?? { count: 0, ends: now + window }
    bucket.set(field, { count: count + 1, ends })
    this.#buckets.set(place.bucket, bucket, Math.max(...[...bucket.values()].map((counter) => counter.ends)))
    return { count: count + 1, ends_in: ends - now }
  }

  async forgiveFailure(group: FailureGroup, name: string): Promise<void> {
    this.#base.gate.pass()
    const { bucket, field } = placeOf(group, name)
    const counters = this.#buckets.get(bucket)
    const counter = counters?.get(field) ?? counters?.get(SHARED)
    if (counter !== undefined) counter.count = Math.max(0, counter.count - 1)
  }

  async clearFailures(group: FailureGroup, name: string): Promise<void> {
    this.#base.gate.pass()
    const { bucket, field } = placeOf(group, name)
    const counters = this.#buckets.get(bucket)
    const counter = counters?.get(field) ?? counters?.get(SHARED)
    if (counter !== undefined) counters?.set(field, { count: 0, ends: counter.ends })
  }

  async rememberBrowser(
    user: string,
    browser: KnownBrowser,
    { max, ttl }: BrowserLimit,
    { username, at }: SignedInUser,
  ): Promise<void> {
    this.#base.gate.pass()
    const expires = this.#base.now() + ttl * 1000
    const browsers = new Map(this.#browsers.get(user))
    for (const name of [browser.name, browser.replaces ?? '']) browsers.delete(name)
    browsers.set(browser.name, { bound_to: browser.bound_to, expires })
    this.#browsers.set(user, new Map([...browsers].slice(-max)), expires)
    this.#sign_ins.note(username, at)
  }

  async findBrowser(user: string, name: string): Promise<string | undefined> {
    this.#base.gate.pass()
    const browser = this.#browsers.get(user)?.get(name)
    return browser !== undefined && this.#base.now() <= browser.expires ? browser.bound_to : undefined
  }
}
