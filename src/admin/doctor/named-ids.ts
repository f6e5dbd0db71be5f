import { SumSet, sumOf } from './sum-set.ts'

/** How many names a line has at most. */
const SHOWN = 5

/** Ids that are counted, each once, of which a line names the first ones: all records may be among them. */
export class NamedIds {
  readonly #sums = new SumSet()
  /** In their order. */
  #first: string[] = []

  get size(): number {
    return this.#sums.size
  }

  add(id: string): void {
    const sum = sumOf(id)
    if (this.#sums.has(sum)) return
    this.#sums.add(sum)
    const last = this.#first.at(-1)
    if (this.#first.length < SHOWN || (last !== undefined && id < last))
      this.#first = [...this.#first, id].sort().slice(0, SHOWN)
  }

  /** "a, b, …" */
  listed(): string {
    return `${this.#first.join(', ')}${this.size > SHOWN ? ', …' : ''}`
  }

  /** "a, b, … (7 of 12)" */
  listedOf(total: number): string {
    return `${this.listed()} (${this.size} of ${total})`
  }
}
