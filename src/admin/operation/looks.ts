import { LRUCache } from 'lru-cache'
import { atMost } from '../../core/at-most.ts'
import type { AdminContext, OperationOutcome } from './operation.ts'

/** Milliseconds. Pages of one person that somebody goes through within it are one look. */
const ONE_LOOK = 900_000
const MAX_LOOKS = 10_000

/** Notes who looked at whom: nobody reads about a person unseen. A process reports one event for a look. */
export class Looks {
  /** Who looks at whom just now. One that is pushed out is reported sooner again. */
  readonly #just_now: LRUCache<string, true>

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#just_now = new LRUCache({ ...atMost(MAX_LOOKS), ttl: ONE_LOOK, ttlResolution: 0, perf: { now } })
  }

  /** Reports that a caller saw the person whom an answer shows, if it shows one. */
  note(
    { caller, report }: Pick<AdminContext, 'caller' | 'report'>,
    { shows }: OperationOutcome<unknown>,
  ): void {
    if (shows === undefined) return
    const { kind, id, client_id } = caller
    const look = JSON.stringify([kind, id, client_id, shows])
    if (this.#just_now.has(look)) return
    this.#just_now.set(look, true)
    report({ event: 'user_viewed', username: shows })
  }
}
