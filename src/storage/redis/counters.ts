import {
  type Counters,
  type FailureGroup,
  type Failures,
  MAX_COUNTERS,
  placeOf,
  SHARED,
} from '../counters.ts'
import type { RedisAccess } from './access.ts'

/** Failure counters in Redis, a hash for each bucket, and known browsers, each a string. */
export class RedisCounters implements Counters {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async countFailure(group: FailureGroup, name: string, window: number): Promise<Failures> {
    const { bucket, field } = placeOf(group, name)
    const args: [string, string, number, number] = [field, SHARED, window, MAX_COUNTERS]
    const key = this.#access.keys.failures(bucket)
    const [count, ends_in] = await this.#access.run('count-failure', [key], args)
    return { count, ends_in }
  }

  async forgiveFailure(group: FailureGroup, name: string): Promise<void> {
    const { bucket, field } = placeOf(group, name)
    await this.#access.run('forgive-failure', [this.#access.keys.failures(bucket)], [field, SHARED])
  }

  async rememberBrowser(name: string, ttl: number): Promise<void> {
    const key = this.#access.keys.browser(name)
    const { client } = this.#access.connection
    await this.#access.ask(() => client.set(key, '1', 'PX', Math.round(ttl * 1000)), [key])
  }

  async knowsBrowser(name: string): Promise<boolean> {
    const key = this.#access.keys.browser(name)
    return (await this.#access.ask(() => this.#access.connection.client.exists(key), [key])) === 1
  }
}
