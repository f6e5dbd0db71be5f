import { hash } from 'node:crypto'

// A slot is 8 bytes, and 0 is an empty one.
const FIRST_SLOTS = 2 ** 12
const FULLEST = 0.7

/**
 * Remembers texts by 64 bits of their SHA-256: at most 23 bytes for each, so that the names of a million users fit in memory.
 */
export class Seen {
  #slots = new BigUint64Array(FIRST_SLOTS)
  #count = 0

  /** Adds a text. Returns whether it was there. */
  add(text: string): boolean {
    const digest = hash('sha256', text, 'buffer').readBigUInt64BE() || 1n
    if (this.#count >= this.#slots.length * FULLEST) this.#grow()
    const is_new = place(this.#slots, digest)
    if (is_new) this.#count += 1
    return !is_new
  }

  #grow(): void {
    const slots = new BigUint64Array(this.#slots.length * 2)
    for (const digest of this.#slots) if (digest !== 0n) place(slots, digest)
    this.#slots = slots
  }
}

/** Puts a digest into the first slot that is free. Returns false if it is there. */
function place(slots: BigUint64Array, digest: bigint): boolean {
  const mask = slots.length - 1
  let at = Number(digest & 0xffffffffn) & mask
  while (slots[at] !== 0n) {
    if (slots[at] === digest) return false
    at = (at + 1) & mask
  }
  slots[at] = digest
  return true
}
