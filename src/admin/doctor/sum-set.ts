import { createHash } from 'node:crypto'

// 0 is an empty slot, and -1 one whose sum was removed.
const EMPTY = 0
const REMOVED = -1
const FIRST_SLOTS = 16
const FULLEST = 0.6

/** A set of whole numbers from 1 on, of which each takes at most 27 bytes: a Set takes about 50. */
export class SumSet {
  #slots = new Float64Array(FIRST_SLOTS)
  /** Those that are not empty. */
  #used = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  has(sum: number): boolean {
    return this.#slots[this.#find(sum)] === sum
  }

  add(sum: number): void {
    if (this.has(sum)) return
    if (this.#used >= this.#slots.length * FULLEST) this.#grow()
    this.#slots[this.#find(sum)] = sum
    this.#used += 1
    this.#size += 1
  }

  delete(sum: number): void {
    const slot = this.#find(sum)
    if (this.#slots[slot] !== sum) return
    this.#slots[slot] = REMOVED
    this.#size -= 1
  }

  /** Returns the slot of a number: the one that has it, or else the empty one where it belongs. */
  #find(sum: number): number {
    const mask = this.#slots.length - 1
    let slot = sum % this.#slots.length
    while (this.#slots[slot] !== EMPTY && this.#slots[slot] !== sum) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const former = this.#slots
    this.#slots = new Float64Array(former.length * 2)
    this.#used = this.#size
    for (const sum of former) if (sum > 0) this.#slots[this.#find(sum)] = sum
  }
}

/** Returns a number of 48 bits that stands for texts: of a million, two have the same in one of 560 installations. */
export function sumOf(...texts: readonly string[]): number {
  return createHash('sha256').update(JSON.stringify(texts)).digest().readUIntBE(0, 6) + 1
}
