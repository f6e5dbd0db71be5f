import type { Settings } from '../config/settings.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { Asker } from './fair-queue.ts'
import { type Argon2, HashThreads } from './hash-threads.ts'
import { type HashCost, isOfCost, isPasswordHash, randomHash } from './password-hash.ts'
import { preparePassword } from './password-text.ts'

/** How many passwords may wait to be hashed. Nobody gets more than a part of the places. */
export const WAITING = { all: 100, per_address: 25, per_user: 10 }

interface PasswordsOptions {
  settings: HashCost & Pick<Settings, 'argon2_concurrency'>
  argon2?: Argon2
}

/** Hashes and verifies passwords (argon2id, RFC 9106), at most `argon2_concurrency` at the same time. */
export class Passwords {
  readonly #cost: HashCost
  readonly #argon2: Argon2
  readonly #limit: ConcurrencyLimit
  readonly #dummyHash: string

  constructor({ settings, argon2 = new HashThreads() }: PasswordsOptions) {
    this.#cost = settings
    this.#argon2 = argon2
    this.#limit = new ConcurrencyLimit(settings.argon2_concurrency, WAITING)
    this.#dummyHash = randomHash(settings)
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
    return this.#limit.run(() => this.#argon2.hash(prepared, cost), asker)
  }

  /**
   * Whether a password matches a stored hash. Always computes one hash, so that it takes the same time if the stored
   * hash is missing or malformed, or the text is not a valid password.
   * @param asker whose part of the waiting places it takes; absent: an operator's command
   * @throws OAuthError `temporarily_unavailable` (503) if too many wait
   */
  async verify(password: string, stored: string | undefined, asker?: Asker): Promise<boolean> {
    const prepared = preparePassword(password)
    const hash = stored !== undefined && isPasswordHash(stored) ? stored : undefined
    const same = await this.#limit.run(
      () => this.#argon2.verify(hash ?? this.#dummyHash, prepared ?? 'dummy'),
      asker,
    )
    return same && hash !== undefined && prepared !== undefined
  }

  /** Whether the cost of a hash differs from that of a new one. */
  needsRehash(hash: string): boolean {
    return !isOfCost(hash, this.#cost)
  }
}
