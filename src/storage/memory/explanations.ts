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
      while (this.#entries.size >= max) this.#makeRoom(oldest?.owner ?? owner)
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

  /** Forgets the oldest of the owner who has most: of the one who needs room, if nobody has more. */
  #makeRoom(needed_by: string): void {
    const counts = new Map<string, number>()
    for (const { owner } of this.#entries.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const has_most = (owner: string) =>
      counts.get(needed_by) === most ? owner === needed_by : counts.get(owner) === most
    const oldest = [...this.#entries.values()].find(({ owner }) => has_most(owner))
    if (oldest !== undefined) this.#forget(oldest)
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
