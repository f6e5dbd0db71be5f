import type { Counters, Failures } from '../counters.ts'
import type { RedisAccess } from './access.ts'

/** Failure counters and known browsers in Redis, each a string. */
export class RedisCounters implements Counters {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async countFailure(name: string, window: number): Promise<Failures> {
    const key = this.#access.keys.failures(name)
    const [count, ends_in] = await this.#access.run('count-failure', [key], [window])
    return { count, ends_in }
  }

  async forgiveFailure(name: string): Promise<void> {
    await this.#access.run('forgive-failure', [this.#access.keys.failures(name)], [])
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
