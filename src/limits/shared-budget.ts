/** How often something may happen in a minute, for owners who share it. */
export interface SharedBudgetLimits {
  readonly per_name: number
  /** Of one owner, unless it has another share. */
  readonly per_owner: number
  /** For all owners together. */
  readonly in_all: number
  /** So many of each owner are not refused for what others took. */
  readonly always: number
}

const MINUTE = 60_000

/**
 * Counts something by name, owner and minute in this process. Whoever takes much leaves the others their share. It remembers
 * the names of a minute, of which an owner has at most its share.
 */
export class SharedBudget {
  readonly #limits: SharedBudgetLimits
  readonly #shares: Readonly<Record<string, number>>
  readonly #now: () => number
  readonly #names = new Map<string, number>()
  readonly #owners = new Map<string, number>()
  #total = 0
  #ends = 0

  /**
   * @param shares those of owners who have another share than the rest
   * @param now milliseconds since 1970
   */
  constructor(limits: SharedBudgetLimits, shares: Readonly<Record<string, number>>, now: () => number) {
    this.#limits = limits
    this.#shares = shares
    this.#now = now
  }

  /** Counts one under this name of an owner. Returns false, and counts nothing, if there were too many in this minute. */
  take(name: string, owner: string): boolean {
    this.#beginMinute()
    const { per_name, per_owner, in_all, always } = this.#limits
    const of_name = this.#names.get(name) ?? 0
    const of_owner = this.#owners.get(owner) ?? 0
    const share = Object.hasOwn(this.#shares, owner) ? this.#shares[owner] : per_owner
    if (of_name >= per_name || of_owner >= (share ?? per_owner)) return false
    if (this.#total >= in_all && of_owner >= always) return false
    this.#names.set(name, of_name + 1)
    this.#owners.set(owner, of_owner + 1)
    this.#total += 1
    return true
  }

  #beginMinute(): void {
    const now = this.#now()
    if (now < this.#ends && now >= this.#ends - MINUTE) return
    this.#names.clear()
    this.#owners.clear()
    this.#total = 0
    this.#ends = now + MINUTE
  }
}
