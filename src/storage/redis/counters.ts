import type { BrowserLimit, Counters, Failures, KnownBrowser } from '../counters.ts'
import type { RedisAccess } from './access.ts'

/** Failure counters in Redis, each a string, and known browsers: a hash for each user. */
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

  async rememberBrowser(user: string, browser: KnownBrowser, { max, ttl }: BrowserLimit): Promise<void> {
    const { name, bound_to, replaces = '' } = browser
    const key = this.#access.keys.browsers(user)
    await this.#access.run('remember-browser', [key], [name, bound_to, Math.round(ttl * 1000), max, replaces])
  }

  async findBrowser(user: string, name: string): Promise<string | undefined> {
    return (await this.#access.run('find-browser', [this.#access.keys.browsers(user)], [name])) || undefined
  }
}
