import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import { inBatches } from '../core/batches.ts'
import { SharedBudget, type SharedBudgetLimits } from '../limits/shared-budget.ts'
import type { ListLimits, NewEntry } from '../storage/bounded-lists.ts'
import type { Storage } from '../storage/storage.ts'
import type { Losses } from './losses.ts'
import type { STEP_LISTS } from './step-record.ts'

/** How long a step waits that was just written: of the same ones in between the last one is written. Milliseconds. */
const AGAIN = 10_000
/** Of how many kinds more are counted. */
const MAX_KINDS = 500
const BATCH = 100

/** Whose a step is, which like ones have in common. */
export interface StepOwner {
  readonly owner: string
  readonly kind: string
}

/** A step on its way. Its text is made when it is written: most are followed by a like one before. */
type Waiting = Omit<NewEntry, 'text'> & { at: number; text: (at: number) => string }

/** What bounds the steps of one list. */
export interface LaneLimits {
  readonly list: (typeof STEP_LISTS)[keyof typeof STEP_LISTS]
  /** How many wait, and of how many it is known when they were written. */
  readonly waiting: number
  /** How many a process writes in a minute. */
  readonly writes: SharedBudgetLimits
  /** Of owners who have another share of them. */
  readonly shares?: Readonly<Record<string, number>>
  /** What is kept in all servers. */
  readonly kept: ListLimits
}

/** Steps on their way into one list. Like ones are one entry, the last of them. */
export class StepLane {
  readonly #limits: LaneLimits
  readonly #storage: Pick<Storage, 'bounded'>
  readonly #losses: Losses
  readonly #now: () => number
  readonly #budget: SharedBudget
  readonly #written: LRUCache<string, number>
  #waiting = new Map<string, Waiting>()
  #more = new Map<string, number>()

  constructor(limits: LaneLimits, storage: Pick<Storage, 'bounded'>, losses: Losses, now: () => number) {
    this.#limits = limits
    this.#storage = storage
    this.#losses = losses
    this.#now = now
    this.#budget = new SharedBudget(limits.writes, limits.shares ?? {}, now)
    this.#written = new LRUCache(atMost(limits.waiting))
  }

  /**
   * Takes a step over, of which each token is one.
   * @param text gets the time when it happened, in milliseconds since 1970
   * @param ownerOf asked if no like one waits
   * @returns whether it will be kept: else it is counted
   */
  take(name: string, text: (at: number) => string, ownerOf: () => StepOwner): boolean {
    const at = this.#now()
    const like = this.#waiting.get(name)
    if (like !== undefined) {
      like.at = at
      like.text = text
      return true
    }
    const { kind, owner } = ownerOf()
    if (!this.#budget.take(kind, owner)) {
      this.#count(kind)
      return false
    }
    if (this.#waiting.size >= this.#limits.waiting) {
      this.#losses.count(1)
      return false
    }
    this.#waiting.set(name, { name, kind, owner, at, text })
    return true
  }

  #count(kind: string): void {
    if (this.#more.has(kind) || this.#more.size < MAX_KINDS)
      this.#more.set(kind, (this.#more.get(kind) ?? 0) + 1)
    else this.#losses.count(1)
  }

  /**
   * Writes what waits. Returns whether something still does.
   * @param all also what was just written
   * @throws StorageUnavailable, and what waited is lost
   */
  async flush(all: boolean): Promise<boolean> {
    const now = this.#now()
    const due = [...this.#waiting.values()]
      .filter(
        ({ name }) => all || Math.abs(now - (this.#written.get(name) ?? Number.NEGATIVE_INFINITY)) >= AGAIN,
      )
      .sort((a, b) => a.at - b.at)
    const more = this.#more
    this.#more = new Map()
    for (const { name } of due) {
      this.#waiting.delete(name)
      this.#written.set(name, now)
    }
    let left = due.length
    const { list, kept } = this.#limits
    try {
      await inBatches(due, BATCH, async (batch) => {
        const entries = batch.map(({ name, kind, owner, at, text }) => ({
          name,
          kind,
          owner,
          text: text(at),
        }))
        await this.#storage.bounded.put(list, entries, kept)
        left -= batch.length
      })
      if (more.size > 0) await this.#storage.bounded.put(list, [], kept, more)
      if (due.length > 0) this.#losses.end()
    } catch (error) {
      this.#losses.fail(left, error)
      throw error
    }
    return this.#waiting.size > 0
  }
}
