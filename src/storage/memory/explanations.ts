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
    for (const { id, kind, text } of explanations) {
      if (this.#entries.has(id)) continue
      const alike = this.#ofKind(kind)
      const [oldest] = alike
      if (oldest !== undefined && (alike.length >= per_kind || this.#entries.size >= max))
        this.#forget(oldest)
      for (const first of this.#entries.values()) {
        if (this.#entries.size < max) break
        this.#forget(first)
      }
      this.#entries.set(id, { id, kind, text: wellFormed(text), ends: this.#base.now() + ttl })
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
