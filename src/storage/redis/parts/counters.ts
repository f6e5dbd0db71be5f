import { EventEmitter } from 'node:events'
import {
  type BrowserLimit,
  type Counters,
  type FailureGroup,
  type Failures,
  type KnownBrowser,
  MAX_COUNTERS,
  placeOf,
  type SignedInUser,
} from '../../counters.ts'
import type { RedisAccess } from './access.ts'

/** Failure counters in Redis, a hash for each bucket, and known browsers, a hash for each user. */
export class RedisCounters implements Counters {
  /** Services of one process may share it. */
  readonly full: Counters['full'] = new EventEmitter<{ full: [FailureGroup] }>().setMaxListeners(0)
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async countFailure(group: FailureGroup, name: string, window: number): Promise<Failures> {
    const { bucket, field, shared } = placeOf(group, name)
    const args = { field, shared, window, max: MAX_COUNTERS }
    const key = this.#access.keys.failures(bucket)
    const [count, ends_in, is_full] = await this.#access.run('count-failure', [key], args)
    if (is_full === 1) this.full.emit('full', group)
    return { count, ends_in }
  }

  async forgiveFailure(group: FailureGroup, name: string): Promise<void> {
    const { bucket, field, shared } = placeOf(group, name)
    await this.#access.run('forgive-failure', [this.#access.keys.failures(bucket)], { field, shared })
  }

  async clearFailures(group: FailureGroup, name: string): Promise<void> {
    const { bucket, field, shared } = placeOf(group, name)
    await this.#access.run('clear-failures', [this.#access.keys.failures(bucket)], { field, shared })
  }

  async rememberBrowser(
    user: string,
    browser: KnownBrowser,
    { max, ttl }: BrowserLimit,
    { username, at }: SignedInUser,
  ): Promise<void> {
    const { name, bound_to, replaces } = browser
    const { keys, connection } = this.#access
    const args = { name, bound_to, ttl: Math.round(ttl * 1000), max, replaces, username, at }
    if (connection.spansSlots) {
      await this.#access.run('remember-browser', [keys.browsers(user), keys.signIns], args)
      return
    }
    await Promise.all([
      this.#access.run('remember-browser', [keys.browsers(user)], args),
      this.#access.command('sign-ins', 'zadd', keys.signIns, at, username),
    ])
  }

  async findBrowser(user: string, name: string): Promise<string | undefined> {
    return (await this.#access.run('find-browser', [this.#access.keys.browsers(user)], { name })) || undefined
  }
}
