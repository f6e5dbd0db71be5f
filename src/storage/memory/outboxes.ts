import type { Outboxes, OutboxLimits } from '../outboxes.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'

/** The outboxes in memory: for each the items in their order, and when they were put, in milliseconds since 1970. */
export class MemoryOutboxes implements Outboxes {
  readonly #base: Base
  readonly #outboxes = new Map<string, Map<string, number>>()

  constructor(base: Base) {
    this.#base = base
  }

  async put(owner: string, items: readonly string[], { max, ttl }: OutboxLimits): Promise<boolean> {
    this.#base.gate.pass()
    const now = this.#base.now()
    const outbox = this.#outboxes.get(wellFormed(owner)) ?? new Map<string, number>()
    for (const [item, at] of outbox) if (at <= now - ttl * 1000) outbox.delete(item)
    const added = [...new Set(items.map(wellFormed))].filter((item) => !outbox.has(item))
    const has_room = outbox.size + added.length <= max
    if (has_room) for (const item of added) outbox.set(item, now)
    if (outbox.size > 0) this.#outboxes.set(wellFormed(owner), outbox)
    return has_room
  }

  async read(
    owner: string,
    { limit, ttl }: { readonly limit: number; readonly ttl: number },
  ): Promise<string[]> {
    this.#base.gate.pass()
    const since = this.#base.now() - ttl * 1000
    const items = [...(this.#outboxes.get(wellFormed(owner)) ?? [])]
    return items
      .filter(([, at]) => at > since)
      .slice(0, limit)
      .map(([item]) => item)
  }

  async remove(owner: string, ...items: readonly string[]): Promise<void> {
    this.#base.gate.pass()
    const outbox = this.#outboxes.get(wellFormed(owner))
    for (const item of items) outbox?.delete(wellFormed(item))
    if (outbox?.size === 0) this.#outboxes.delete(wellFormed(owner))
  }

  async size(owner: string): Promise<number> {
    this.#base.gate.pass()
    return this.#outboxes.get(wellFormed(owner))?.size ?? 0
  }

  async clear(owner: string): Promise<void> {
    this.#base.gate.pass()
    this.#outboxes.delete(wellFormed(owner))
  }
}
