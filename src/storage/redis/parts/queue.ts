import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { Queue, QueueName, Retry } from '../../queue.ts'
import type { RedisAccess } from './access.ts'
import { withTrail } from './trail.ts'

/** Queues in Redis: a sorted set each, scored by the time when an item is due. */
export class RedisQueue implements Queue {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async add(queue: QueueName, items: readonly string[], told?: AuditEntries): Promise<void> {
    if (items.length === 0) return
    const key = this.#access.keys.queue(queue)
    await withTrail(this.#access, key, told, ({ keys, args }) =>
      this.#access.write('queue-items', [key, ...keys], { entries: args, items }),
    )
  }

  async offer(
    queue: QueueName,
    item: string,
    { max, ahead = 0 }: { readonly max: number; readonly ahead?: number },
  ): Promise<boolean> {
    const key = this.#access.keys.queue(queue)
    return (await this.#access.write('offer-item', [key], { item, max, ahead })) === 1
  }

  async claim(queue: QueueName, max: number, lease: number): Promise<string[]> {
    return this.#access.run('claim-items', [this.#access.keys.queue(queue)], { max, lease })
  }

  async size(queue: QueueName): Promise<number> {
    const key = this.#access.keys.queue(queue)
    return this.#access.command('count-items', 'zcard', key)
  }

  async list(queue: QueueName, max: number): Promise<string[]> {
    const key = this.#access.keys.queue(queue)
    return this.#access.command('list-items', 'zrange', key, 0, max - 1)
  }

  async finish(queue: QueueName, ...items: readonly string[]): Promise<void> {
    if (items.length === 0) return
    const key = this.#access.keys.queue(queue)
    await this.#access.command('finish-items', 'zrem', key, ...items)
  }

  async retryLater(queue: QueueName, ...retries: readonly Retry[]): Promise<number> {
    const items = retries.flatMap(({ item, replacement, delay }) => [item, replacement, delay])
    return this.#access.run('retry-items', [this.#access.keys.queue(queue)], { items })
  }
}
