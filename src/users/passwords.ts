import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '../config/settings.ts'
import { inSpan, keepSpan } from '../core/spans.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { Asker } from './fair-queue.ts'
import { type Argon2, HashThreads } from './hash-threads.ts'
import { type HashCost, isOfCost, isPasswordHash, randomHash } from './password-hash.ts'
import { preparePassword } from './password-text.ts'

/**
 * How many passwords may wait to be hashed, and how many more of people who are known. Nobody gets more than a part of
 * the places.
 */
export const WAITING = {
  all: 100,
  per_address: 25,
  per_user: 10,
  known: { all: 100, per_address: 25, per_user: 10 },
}

/** The longest time that a failure is held back, in milliseconds: a hash that took longer met a stalled machine. */
const MAX_HOLD = 5000

/** The time of this process in milliseconds. */
interface Clock {
  now(): number
  wait(ms: number): Promise<unknown>
}

interface PasswordsOptions {
  settings: HashCost & Pick<Settings, 'argon2_concurrency'>
  argon2?: Argon2
  clock?: Clock
}

/**
 * Hashes and verifies passwords, at most `argon2_concurrency` at the same time. New hashes are of argon2id (RFC 9106);
 * those of other systems are accepted, and need a rehash.
 */
export class Passwords {
  readonly #cost: HashCost
  readonly #argon2: Argon2
  readonly #limit: ConcurrencyLimit
  readonly #dummyHash: string
  readonly #clock: Clock
  /** How long a hash that needs a rehash took at most, in milliseconds. */
  #slowest = 0

  constructor({
    settings,
    argon2 = new HashThreads(),
    clock = { now: () => performance.now(), wait },
  }: PasswordsOptions) {
    this.#clock = clock
    this.#cost = settings
    this.#argon2 = argon2
    this.#limit = new ConcurrencyLimit(settings.argon2_concurrency, WAITING)
    this.#dummyHash = randomHash(settings)
  }

  /** How many passwords wait to be hashed. */
  get waiting(): number {
    return this.#limit.waiting
  }

  /**
   * Hashes a new password. Returns a PHC string.
   * @param asker whose part of the waiting places it takes; absent: an operator's command
   * @throws OAuthError `temporarily_unavailable` (503) if too many wait; TypeError if preparePassword refuses the text
   */
  async hash(password: string, asker?: Asker): Promise<string> {
    const prepared = preparePassword(password)
    if (prepared === undefined) throw new TypeError('the text is not a valid password')
    const { argon2_memory, argon2_iterations, argon2_parallelism } = this.#cost
    const cost = {
      memoryCost: argon2_memory,
      timeCost: argon2_iterations,
      parallelism: argon2_parallelism,
    }
    return inSpan('password', {}, () =>
      this.#limit.run(
        keepSpan(() => inSpan('password.hash', {}, () => this.#argon2.hash(prepared, cost))),
        asker,
      ),
    )
  }

  /**
   * Whether a password matches a stored hash. Always computes one hash, so that it takes the same time if the stored
   * hash is missing or malformed, or the text is not a valid password. Once it met a hash that needs a rehash, every
   * failure takes as long as the slowest of those, so that nobody learns which accounts have one.
   * @param asker whose part of the waiting places it takes; absent: an operator's command
   * @throws OAuthError `temporarily_unavailable` (503) if too many wait
   */
  async verify(password: string, stored: string | undefined, asker?: Asker): Promise<boolean> {
    const prepared = preparePassword(password)
    const hash = stored !== undefined && isPasswordHash(stored) ? stored : undefined
    let started = 0
    const verify = keepSpan(() =>
      inSpan('password.hash', {}, () => {
        started = this.#clock.now()
        return this.#argon2.verify(hash ?? this.#dummyHash, prepared ?? 'dummy')
      }),
    )
    // The span around it has the time in the queue, too.
    const same = await inSpan('password', {}, () => this.#limit.run(verify, asker))
    const spent = this.#clock.now() - started
    if (hash !== undefined && this.needsRehash(hash)) {
      this.#slowest = Math.min(MAX_HOLD, Math.max(this.#slowest, spent))
    }
    if (same && hash !== undefined && prepared !== undefined) return true
    // Its place in the queue is free meanwhile.
    if (spent < this.#slowest) await this.#clock.wait(this.#slowest - spent)
    return false
  }

  /** Whether a hash has another cost than a new one, or is one of another system. */
  needsRehash(hash: string): boolean {
    return !isOfCost(hash, this.#cost)
  }
}
