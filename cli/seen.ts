import { hash } from 'node:crypto'

// A slot is 8 bytes and 4 for its place, and 0 is an empty one.
const FIRST_SLOTS = 16
const FULLEST = 0.7

/**
 * Remembers texts by 64 bits of their SHA-256, and where each was first: at most 35 bytes for each, so that the names of
 * a million users fit in memory.
 */
export class Seen {
  #slots = new BigUint64Array(FIRST_SLOTS)
  #places = new Uint32Array(FIRST_SLOTS)
  #count = 0

  /** Adds a text. Returns whether it was there. */
  add(text: string): boolean {
    return this.first(text, 0) !== undefined
  }

  /** Adds a text that stands at a place. Returns the place where it was first; undefined: it is new. */
  first(text: string, place: number): number | undefined {
    const digest = hash('sha256', text, 'buffer').readBigUInt64BE() || 1n
    if (this.#count >= this.#slots.length * FULLEST) this.#grow()
    const slot = slotOf(this.#slots, digest)
    if (this.#slots[slot] === digest) return this.#places[slot]
    this.#slots[slot] = digest
    this.#places[slot] = place
    this.#count += 1
    return undefined
  }

  #grow(): void {
    const slots = new BigUint64Array(this.#slots.length * 2)
    const places = new Uint32Array(slots.length)
    for (const [i, digest] of this.#slots.entries()) {
      if (digest === 0n) continue
      const slot = slotOf(slots, digest)
      slots[slot] = digest
      places[slot] = this.#places[i] ?? 0
    }
    this.#slots = slots
    this.#places = places
  }
}

/** Returns the slot of a digest: the first that is free, or has it. */
function slotOf(slots: BigUint64Array, digest: bigint): number {
  const mask = slots.length - 1
  let at = Number(digest & 0xffffffffn) & mask
  while (slots[at] !== 0n && slots[at] !== digest) at = (at + 1) & mask
  return at
}
