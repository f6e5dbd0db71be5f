import type { Activities, ActivityLimits } from '../trail.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import type { MemoryRecords } from './records.ts'
import { wellFormed } from './text.ts'

/** What happened lately to users, in memory. */
export class MemoryActivities implements Activities {
  readonly #base: Base
  readonly #records: MemoryRecords
  readonly #lists: ExpiringMap<readonly string[]>

  constructor(base: Base, records: MemoryRecords) {
    this.#base = base
    this.#records = records
    this.#lists = new ExpiringMap(base.now)
  }

  async note(username: string, texts: readonly string[], limits: ActivityLimits): Promise<void> {
    this.#base.gate.pass()
    const { max, prefix, few, ttl } = limits
    const name = wellFormed(username)
    if (this.#records.of({ name: 'user' }).get(name) === undefined) return
    const newest_first = [...texts].reverse().map(wellFormed)
    let left = few
    const list = [...newest_first, ...(this.#lists.get(name) ?? [])]
      .filter((text) => !text.startsWith(prefix) || left-- > 0)
      .slice(0, max)
    this.#lists.set(name, list, this.#base.now() + ttl * 1000)
  }

  async read(username: string): Promise<string[]> {
    this.#base.gate.pass()
    return [...(this.#lists.get(wellFormed(username)) ?? [])]
  }

  async forget(username: string): Promise<void> {
    this.#base.gate.pass()
    this.#lists.take(wellFormed(username))
  }
}
