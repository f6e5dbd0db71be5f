import * as argon2 from '@node-rs/argon2'
import type { Settings } from '../config/settings.ts'
import { Turns } from './concurrency-limit.ts'
import { type HashCost, isOfCost, isPasswordHash, randomHash } from './password-hash.ts'
import { preparePassword } from './password-text.ts'

/** How many wait at most until their password is hashed. */
export const MAX_WAITING = 100
// libuv's own default.
const POOL = 4

/** What hashes: @node-rs/argon2. */
export type Argon2 = Pick<typeof argon2, 'hash' | 'verify'>

interface PasswordsOptions {
  settings: HashCost & Pick<Settings, 'argon2_concurrency'>
  argon2?: Argon2
}

/**
 * Hashes passwords (argon2id, RFC 9106) and compares them. The work is done in the thread pool of libuv, where Node also
 * looks up host names and reads files: one thread of it stays free for them, whatever `argon2_concurrency` says.
 */
export class Passwords {
  readonly #cost: HashCost
  readonly #argon2: Argon2
  readonly #turns: Turns
  readonly #nobodys: string

  constructor({ settings, argon2: implementation = argon2 }: PasswordsOptions) {
    this.#cost = settings
    this.#argon2 = implementation
    this.#turns = new Turns(atOnce(settings.argon2_concurrency), MAX_WAITING)
    this.#nobodys = randomHash(settings)
  }

  /**
   * The hash of a new password, as a PHC string.
   * @throws OAuthError `temporarily_unavailable` (503) where too many wait; TypeError for what is no password
   */
  async hash(password: string): Promise<string> {
    const prepared = preparePassword(password)
    if (prepared === undefined) throw new TypeError('what is to be hashed is no password')
    const { argon2_memory, argon2_iterations, argon2_parallelism } = this.#cost
    return this.#turns.take(() =>
      this.#argon2.hash(prepared, {
        memoryCost: argon2_memory,
        timeCost: argon2_iterations,
        parallelism: argon2_parallelism,
      }),
    )
  }

  /**
   * Whether a password is the one that was hashed. One hash is computed in any case: where there is none to compare
   * with, or a malformed one, or what was sent is no password, it takes as long and is false.
   * @throws OAuthError `temporarily_unavailable` (503) where too many wait
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const prepared = preparePassword(password)
    const hash = stored !== undefined && isPasswordHash(stored) ? stored : undefined
    const same = await this.#turns.take(() =>
      this.#argon2.verify(hash ?? this.#nobodys, prepared ?? 'no password'),
    )
    return same && hash !== undefined && prepared !== undefined
  }

  /** Whether a hash was made at another cost than a new one would be. */
  needsRehash(hash: string): boolean {
    return !isOfCost(hash, this.#cost)
  }
}

function atOnce(concurrency: number): number {
  const pool = Number(process.env.UV_THREADPOOL_SIZE) || POOL
  return Math.max(1, Math.min(concurrency, pool - 1))
}
