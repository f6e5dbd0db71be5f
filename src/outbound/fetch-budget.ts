/** How many fetches a process starts in a minute. */
export interface FetchBudgetLimits {
  readonly per_host: number
  /** For all hosts together; it also bounds how many hosts are remembered. */
  readonly per_minute: number
}

const MINUTE = 60_000

/** Counts fetches by host and minute, so that strangers cannot make this process ask others without end. */
export class FetchBudget {
  readonly #limits: FetchBudgetLimits
  readonly #now: () => number
  readonly #hosts = new Map<string, number>()
  #total = 0
  #ends = 0

  /** @param now milliseconds since 1970 */
  constructor(limits: FetchBudgetLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Counts a fetch from this host. Returns false, and counts nothing, if there were too many in this minute. */
  take(host: string): boolean {
    const now = this.#now()
    if (now >= this.#ends || now < this.#ends - MINUTE) {
      this.#hosts.clear()
      this.#total = 0
      this.#ends = now + MINUTE
    }
    const count = this.#hosts.get(host) ?? 0
    if (count >= this.#limits.per_host || this.#total >= this.#limits.per_minute) return false
    this.#hosts.set(host, count + 1)
    this.#total += 1
    return true
  }
}
