import type { Outboxes, OutboxLimits } from '../../outboxes.ts'
import type { RedisAccess } from './access.ts'

/** Outboxes in Redis: a sorted set each, scored by the time when an item was put. */
export class RedisOutboxes implements Outboxes {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async put(owner: string, items: readonly string[], { max, ttl }: OutboxLimits): Promise<boolean> {
    if (items.length === 0) return true
    const key = this.#access.keys.outbox(owner)
    return (await this.#access.write('put-outbox', [key], { max, ttl, items })) === 1
  }

  async read(
    owner: string,
    { limit, ttl }: { readonly limit: number; readonly ttl: number },
  ): Promise<string[]> {
    const since = `(${Date.now() - ttl * 1000}`
    const key = this.#access.keys.outbox(owner)
    return this.#access.command('list-items', 'zrangebyscore', key, since, '+inf', 'LIMIT', 0, limit)
  }

  async remove(owner: string, ...items: readonly string[]): Promise<void> {
    if (items.length === 0) return
    await this.#access.command('finish-items', 'zrem', this.#access.keys.outbox(owner), ...items)
  }

  async size(owner: string): Promise<number> {
    return this.#access.command('count-items', 'zcard', this.#access.keys.outbox(owner))
  }

  async clear(owner: string): Promise<void> {
    await this.#access.command('finish-items', 'del', this.#access.keys.outbox(owner))
  }
}
