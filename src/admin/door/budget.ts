import { hash } from 'node:crypto'
import { MinuteBudget } from '../../limits/minute-budget.ts'
import type { AdminCaller } from '../operation/operation.ts'

/** How many requests a process answers in a minute, to one caller and in all. */
export const ADMIN_REQUESTS = { per_name: 600, in_all: 6000 }
/** The same for what answers a challenge: for one challenge and in all. How many there are, people decide who sign in. */
const CHALLENGE_REQUESTS = { per_name: 30, in_all: 30_000 }

/** Counts the requests to the admin API. */
export class AdminBudget {
  readonly #callers: MinuteBudget
  readonly #challenges: MinuteBudget

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#callers = new MinuteBudget(ADMIN_REQUESTS, now)
    this.#challenges = new MinuteBudget(CHALLENGE_REQUESTS, now)
  }

  /**
   * Counts a request. Returns false, and counts nothing, if there were too many in this minute.
   * @param challenge which it is about; absent: none
   */
  take({ kind, id, client_id }: AdminCaller, challenge?: string): boolean {
    return challenge === undefined
      ? this.#callers.take(JSON.stringify([kind, id, client_id]))
      : this.#challenges.take(hash('sha256', challenge, 'base64url'))
  }
}
