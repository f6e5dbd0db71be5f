import type { AuditEntries } from '../../core/audit-entries.ts'
import type { Queue, Retry } from '../queue.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'
import type { MemoryTrail } from './trail.ts'

/** Queues in memory: for each item the time when it is due, in milliseconds since 1970. */
export class MemoryQueue implements Queue {
  readonly #base: Base
  readonly #trail: MemoryTrail
  readonly #queues = new Map<string, Map<string, number>>()

  constructor(base: Base, trail: MemoryTrail) {
    this.#base = base
    this.#trail = trail
  }

  async add(queue: string, items: readonly string[], told?: AuditEntries): Promise<void> {
    this.#base.gate.pass()
    if (items.length === 0) return
    for (const item of items) this.#of(queue).set(wellFormed(item), this.#base.now())
    this.#trail.write(told)
  }

  async offer(
    queue: string,
    item: string,
    { max, ahead = 0 }: { readonly max: number; readonly ahead?: number },
  ): Promise<boolean> {
    this.#base.gate.pass()
    const items = this.#of(queue)
    if (items.has(wellFormed(item))) return true
    if (items.size >= max) return false
    items.set(wellFormed(item), this.#base.now() - ahead)
    return true
  }

  async claim(queue: string, max: number, lease: number): Promise<string[]> {
    this.#base.gate.pass()
    const now = this.#base.now()
    const items = this.#of(queue)
    const due = [...items].filter(([, instant]) => instant <= now)
    const claimed = due.sort(([, one], [, other]) => one - other).slice(0, max)
    for (const [item] of claimed) items.set(item, now + lease * 1000)
    return claimed.map(([item]) => item)
  }

  async size(queue: string): Promise<number> {
    this.#base.gate.pass()
    return this.#of(queue).size
  }

  async list(queue: string, max: number): Promise<string[]> {
    this.#base.gate.pass()
    const items = [...this.#of(queue)].sort(([, one], [, other]) => one - other)
    return items.slice(0, max).map(([item]) => item)
  }

  async finish(queue: string, ...items: readonly string[]): Promise<void> {
    this.#base.gate.pass()
    for (const item of items) this.#of(queue).delete(wellFormed(item))
  }

  async retryLater(queue: string, ...retries: readonly Retry[]): Promise<number> {
    this.#base.gate.pass()
    const items = this.#of(queue)
    const replaced = retries.filter(({ item, replacement, delay }) => {
      if (!items.delete(wellFormed(item))) return items.has(wellFormed(replacement))
      items.set(wellFormed(replacement), this.#base.now() + delay * 1000)
      return true
    })
    return replaced.length
  }

  #of(queue: string): Map<string, number> {
    const items = this.#queues.get(queue) ?? new Map<string, number>()
    this.#queues.set(queue, items)
    return items
  }
}
