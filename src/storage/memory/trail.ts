import type { AuditEntries } from '../../core/audit-entries.ts'
import type { Block, Trail, TrailEntry, TrailPart, TrailRange } from '../trail.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'

/** A part of the audit trail in memory. */
class MemoryTrailPart implements TrailPart {
  readonly #base: Base
  readonly #entries = new Items<TrailEntry>()
  readonly #blocks = new Items<Block>()
  readonly #batches = new Set<string>()

  constructor(base: Base) {
    this.#base = base
  }

  async append(batch: string, told: AuditEntries): Promise<void> {
    this.#base.gate.pass()
    // Nothing is repeated: no answer is lost.
    if (this.#batches.has(batch)) return
    this.#batches.clear()
    this.#batches.add(batch)
    this.write(told)
  }

  /** Adds entries, for steps that do more. */
  write(told: AuditEntries | undefined): void {
    const now = this.#base.now()
    for (const { text, mac } of told?.entries ?? [])
      this.#entries.add(now, (id) => ({ id, text: wellFormed(text), ...(mac !== undefined && { mac }) }))
  }

  async read(range: TrailRange): Promise<TrailEntry[]> {
    this.#base.gate.pass()
    return this.#entries.read(range)
  }

  async size(): Promise<number> {
    this.#base.gate.pass()
    return this.#entries.size
  }

  async trim(before: string, told: AuditEntries): Promise<boolean> {
    this.#base.gate.pass()
    if (!this.#entries.trim(before)) return false
    const [ms] = before.split('-')
    const last = this.#blocks.last?.id ?? ''
    // The next block follows the last one, whatever was deleted.
    this.#blocks.trim(compareEntryIds(last, `${ms}-0`) < 0 ? last : `${ms}-0`)
    this.write(told)
    return true
  }

  async seal(last: string | undefined, text: string): Promise<boolean> {
    this.#base.gate.pass()
    if (this.#blocks.last?.id !== last) return false
    this.#blocks.add(this.#base.now(), (id) => ({ id, text }))
    return true
  }

  async blocks(range: TrailRange): Promise<Block[]> {
    this.#base.gate.pass()
    return this.#blocks.read(range)
  }
}

/** The audit trail in memory. */
export class MemoryTrail extends MemoryTrailPart implements Trail {
  readonly repeated: TrailPart
  readonly #gate: Base['gate']

  constructor(base: Base) {
    super(base)
    this.repeated = new MemoryTrailPart(base)
    this.#gate = base.gate
  }

  async collect(): Promise<void> {
    this.#gate.pass()
  }
}

/** Items by rising ids, as in a stream of Redis. */
class Items<Item extends { readonly id: string }> {
  #items: Item[] = []
  #top: readonly [ms: number, number: number] = [0, -1]

  get size(): number {
    return this.#items.length
  }

  get last(): Item | undefined {
    return this.#items.at(-1)
  }

  add(now: number, make: (id: string) => Item): void {
    const [ms, number] = this.#top
    this.#top = now > ms ? [now, 0] : [ms, number + 1]
    this.#items.push(make(this.#top.join('-')))
  }

  read({ after, before, is_reverse = false, limit }: TrailRange): Item[] {
    const low = after === undefined ? 0 : this.#position(after, true)
    const high = before === undefined ? this.#items.length : this.#position(before, false)
    if (low >= high) return []
    if (is_reverse) return this.#items.slice(Math.max(low, high - limit), high).reverse()
    return this.#items.slice(low, Math.min(high, low + limit))
  }

  /** Drops the items before an id; returns whether there were any. */
  trim(before: string): boolean {
    const kept = this.#items.slice(this.#position(before, false))
    const is_shorter = kept.length < this.#items.length
    this.#items = kept
    return is_shorter
  }

  /** The position of the first item that is after an id, or has it, unless `is_after`. */
  #position(id: string, is_after: boolean): number {
    let [low, high] = [0, this.#items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const order = compareEntryIds(this.#items[middle]?.id ?? '', id)
      if (order < 0 || (is_after && order === 0)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function compareEntryIds(one: string, other: string): number {
  const [ms = 0, number = 0] = one.split('-').map(Number)
  const [other_ms = 0, other_number = 0] = other.split('-').map(Number)
  return ms - other_ms || number - other_number
}
