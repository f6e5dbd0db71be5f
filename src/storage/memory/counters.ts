import { EventEmitter } from 'node:events'
import {
  type BrowserLimit,
  type Counters,
  type FailureGroup,
  type FailureName,
  type Failures,
  type KnownBrowser,
  type LimitedCounter,
  MAX_COUNTERS,
  placeOf,
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
  /** Services of one process may share it. */
  readonly full: Counters['full'] = new EventEmitter<{ full: [FailureGroup] }>().setMaxListeners(0)
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

  async countFailure(group: FailureGroup, name: string, window: number, weight = 1): Promise<Failures> {
    this.#base.gate.pass()
    return this.#count(group, name, window, weight)
  }

  async countFailures(counters: readonly LimitedCounter[], window: number): Promise<Failures[]> {
    this.#base.gate.pass()
    const counted: Failures[] = []
    for (const [index, { group, name, max }] of counters.entries()) {
      const failures = this.#count(group, name, window)
      counted.push(failures)
      if (failures.count <= max) continue
      for (const earlier of counters.slice(0, index)) this.#forgive(earlier)
      break
    }
    return counted
  }

  async forgiveFailures(counters: readonly FailureName[]): Promise<void> {
    this.#base.gate.pass()
    for (const counter of counters) this.#forgive(counter)
  }

  #count(group: FailureGroup, name: string, window: number, weight = 1): Failures {
    const now = this.#base.now()
    const place = placeOf(group, name)
    const counters = this.#buckets.get(place.bucket) ?? new Map<string, Counter>()
    let { field } = place
    if (!counters.has(field) && counters.size >= MAX_COUNTERS) {
      for (const [other, { ends }] of counters) if (ends <= now) counters.delete(other)
      if (counters.size >= MAX_COUNTERS) {
        if (place.shared === undefined) counters.delete(leastOf(counters))
        else field = place.shared
        this.full.emit('full', group)
      }
    }
    const known = counters.get(field)
    const { count: before, ends } = known && known.ends > now ? known : { count: 0, ends: now + window }
    const count = before + weight
    counters.set(field, { count, ends })
    this.#buckets.set(place.bucket, counters, Math.max(...[...counters.values()].map((one) => one.ends)))
    return { count, ends_in: ends - now }
  }

  #forgive({ group, name }: FailureName): void {
    const { bucket, field, shared = '' } = placeOf(group, name)
    const counters = this.#buckets.get(bucket)
    const counter = counters?.get(field) ?? counters?.get(shared)
    if (counter !== undefined) counter.count = Math.max(0, counter.count - 1)
  }

  async clearFailures(group: FailureGroup, name: string): Promise<void> {
    this.#base.gate.pass()
    const { bucket, field, shared = '' } = placeOf(group, name)
    const counters = this.#buckets.get(bucket)
    const counter = counters?.get(field) ?? counters?.get(shared)
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

/** The counter that gives way: that which counts least, of several the one that ends first. */
function leastOf(counters: ReadonlyMap<string, Counter>): string {
  const [least] = [...counters].sort(([, one], [, other]) => one.count - other.count || one.ends - other.ends)
  return least?.[0] ?? ''
}
