import { setTimeout as delay } from 'node:timers/promises'
import type { FamilyId } from '../../../core/ids.ts'
import type { RedisAccess } from './access.ts'

// In milliseconds.
const CLOSE_WITHIN = 500

/**
 * Marks the tokens of ended families as revoked, in steps of less than a millisecond each, so that redis-cli shows what
 * the status of the family decides. If it stops early, checks of a token mark the token that they meet.
 */
export class Marking {
  readonly #access: Pick<RedisAccess, 'keys' | 'run' | 'log'>
  /** The families that are being marked. */
  readonly #running = new Map<FamilyId, Promise<void>>()
  #closed = false

  constructor(access: Pick<RedisAccess, 'keys' | 'run' | 'log'>) {
    this.#access = access
  }

  /** Marks the remaining tokens of a family in the background. `more`: the answer of the script that ended it. */
  goOn(family: FamilyId, more: string | undefined): void {
    if (more !== '1' || this.#running.has(family)) return
    const done = this.all(family)
      .catch((err: unknown) => {
        this.#access.log.warn({ err }, 'Not every token of a revoked family is marked as revoked yet.')
      })
      .finally(() => this.#running.delete(family))
    this.#running.set(family, done)
  }

  /** Marks all tokens of an ended family. @throws StorageUnavailable */
  async all(family: FamilyId): Promise<void> {
    const { keys, run } = this.#access
    const [record, index] = [keys.family(family), keys.familyIndex(family)]
    while (!this.#closed && (await run('mark-revoked', [record, index], {})) === '1');
  }

  /** Waits a short time for what is under way, and then gives up. */
  async close(): Promise<void> {
    const open = Promise.all(this.#running.values())
    await Promise.race([open, delay(CLOSE_WITHIN, undefined, { ref: false })])
    this.#closed = true
  }
}
