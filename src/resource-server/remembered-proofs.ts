import type { UsedProofs } from './binding.ts'

// Each has about 200 bytes, and is needed for two to four minutes: 2,000 a second.
const MAX_PROOFS = 500_000

/** The proofs that were used, in the memory of this process, until they are too old to be accepted. */
export class RememberedProofs implements UsedProofs {
  readonly #now: () => number
  readonly #max: number
  /** When each may be forgotten, in milliseconds since 1970; in the order of their use. */
  readonly #until = new Map<string, number>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, max = MAX_PROOFS) {
    this.#now = now
    this.#max = max
  }

  /** @throws Error if it is full of proofs that must still be remembered: the new proof is then not accepted */
  use(id: string, seconds: number): boolean {
    const now = this.#now()
    this.#forget(now)
    if ((this.#until.get(id) ?? 0) > now) return false
    if (this.#until.size >= this.#max) {
      throw new Error(`${this.#max} proofs were used within minutes: set dpop.used_proofs to a larger store`)
    }
    this.#until.set(id, now + seconds * 1000)
    return true
  }

  // A proof that must be remembered for longer delays the removal of those after it.
  #forget(now: number): void {
    for (const [id, until] of this.#until) {
      if (until > now) return
      this.#until.delete(id)
    }
  }
}
