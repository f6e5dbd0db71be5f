import type { ExplanationLimits, Explanations, KeptExplanation } from '../explanations.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'

interface Entry extends KeptExplanation {
  readonly ends: number
}

/** Explanations in memory. */
export class MemoryExplanations implements Explanations {
  readonly #base: Base
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #more = new Map<string, number>()

  constructor(base: Base) {
    this.#base = base
  }

  async keep(
    explanations: readonly KeptExplanation[],
    more: ReadonlyMap<string, number>,
    { max, per_kind, ttl }: ExplanationLimits,
  ): Promise<void> {
    this.#sweep()
    for (const { id, kind, owner, text } of explanations) {
      if (this.#entries.has(id)) continue
      const [oldest, ...others] = this.#ofKind(kind)
      if (oldest !== undefined && others.length + 1 >= per_kind) this.#forget(oldest)
      while (this.#entries.size >= max) this.#makeRoom(oldest?.owner ?? owner, 2 * per_kind)
      const kind_owner = this.#ofKind(kind)[0]?.owner ?? owner
      const ends = this.#base.now() + ttl
      this.#entries.set(id, { id, kind, owner: kind_owner, text: wellFormed(text), ends })
    }
    for (const [kind, count] of more) {
      if (this.#ofKind(kind).length > 0) this.#more.set(kind, (this.#more.get(kind) ?? 0) + count)
    }
  }

  async find(id: string): Promise<string | undefined> {
    this.#sweep()
    return this.#entries.get(id)?.text
  }

  async list(max: number): Promise<string[]> {
    this.#sweep()
    return [...this.#entries.values()]
      .slice(-max)
      .reverse()
      .map(({ text }) => text)
  }

  async countMore(kind: string): Promise<number> {
    this.#sweep()
    return this.#more.get(kind) ?? 0
  }

  #ofKind(kind: string): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.kind === kind)
  }

  /**
   * Forgets one of the owner who has most, or of the one who needs room, if nobody has more: of its oldest, the first one
   * of the kind of which there are most.
   */
  #makeRoom(needed_by: string, looked_at: number): void {
    const entries = [...this.#entries.values()]
    const counts = countBy(entries, ({ owner }) => owner)
    const most = Math.max(...counts.values())
    const owner = counts.get(needed_by) === most ? needed_by : keyWith(counts, most)
    const oldest = entries.filter((entry) => entry.owner === owner).slice(0, looked_at)
    const kinds = countBy(oldest, ({ kind }) => kind)
    const kind = keyWith(kinds, Math.max(...kinds.values()))
    const first = oldest.find((entry) => entry.kind === kind)
    if (first !== undefined) this.#forget(first)
  }

  #forget({ id, kind }: Entry): void {
    this.#entries.delete(id)
    if (this.#ofKind(kind).length === 0) this.#more.delete(kind)
  }

  #sweep(): void {
    this.#base.gate.pass()
    const now = this.#base.now()
    for (const entry of this.#entries.values()) if (entry.ends <= now) this.#forget(entry)
  }
}

/** Returns how many there are of each key, in the order of their first ones. */
function countBy(entries: readonly Entry[], keyOf: (entry: Entry) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return counts
}

/** Returns the first key with this count. */
function keyWith(counts: ReadonlyMap<string, number>, count: number): string | undefined {
  return [...counts].find(([, other]) => other === count)?.[0]
}
