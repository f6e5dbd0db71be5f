import type { Activities, ActivityLimits } from '../../trail.ts'
import type { RedisAccess } from './access.ts'

/** What happened lately to users, in Redis: a stream each, in the slot of the record of its user. */
export class RedisActivities implements Activities {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async note(username: string, texts: readonly string[], limits: ActivityLimits): Promise<void> {
    const { keys, run } = this.#access
    const names = [keys.activity(username), keys.record({ name: 'user' }, username)]
    await run('note-activity', names, { ...limits, ttl: limits.ttl * 1000, texts })
  }

  async read(username: string): Promise<string[]> {
    const key = this.#access.keys.activity(username)
    const items = await this.#access.command<[string, string[]][]>(
      'read-activity',
      'xrevrange',
      key,
      '+',
      '-',
    )
    return items.map(([, [, text = '']]) => text)
  }

  async forget(username: string): Promise<void> {
    await this.#access.command('forget-activity', 'del', this.#access.keys.activity(username))
  }
}
