/** How often something may happen in a minute. */
export interface MinuteBudgetLimits {
  readonly per_name: number
  /** For all names together; it also bounds how many names are remembered. */
  readonly in_all: number
}

const MINUTE = 60_000

/** Counts something by name and minute in this process, so that strangers cannot make it happen without end. */
export class MinuteBudget {
  readonly #limits: MinuteBudgetLimits
  readonly #now: () => number
  readonly #names = new Map<string, number>()
  #total = 0
  #ends = 0

  /** @param now milliseconds since 1970 */
  constructor(limits: MinuteBudgetLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Counts one under this name. Returns false, and counts nothing, if there were too many in this minute. */
  take(name: string): boolean {
    const now = this.#now()
    if (now >= this.#ends || now < this.#ends - MINUTE) {
      this.#names.clear()
      this.#total = 0
      this.#ends = now + MINUTE
    }
    const count = this.#names.get(name) ?? 0
    if (count >= this.#limits.per_name || this.#total >= this.#limits.in_all) return false
    this.#names.set(name, count + 1)
    this.#total += 1
    return true
  }
}
