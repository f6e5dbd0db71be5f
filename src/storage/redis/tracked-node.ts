import type { Redis } from 'ioredis'
import type { Watcher } from '../changes.ts'
import { end, reopen } from './connect.ts'

// The channel on which Redis reports changed keys to a RESP2 connection.
const CHANNEL = '__redis__:invalidate'

/** Receives the changes on a node, and the state of the subscription. */
interface Listener extends Watcher {
  started(): void
  /** Redis is connected, but tracking could not be started. */
  refused(error: unknown): void
}

/** Reports changed keys with a prefix on one node. */
export class TrackedNode {
  readonly #redis: Redis
  readonly #prefix: string
  readonly #listener: Listener
  #live = false
  #starting = false
  #closed = false

  /** @param redis a separate RESP2 client that is not connected yet */
  constructor(redis: Redis, prefix: string, listener: Listener) {
    this.#redis = redis
    this.#prefix = prefix
    this.#listener = listener
    redis.on('ready', () => void this.#start())
    redis.on('close', () => this.#lost())
    redis.on('messageBuffer', (_channel: Buffer, keys: unknown) => this.#report(keys))
    // The main connection of the storage logs connection errors.
    redis.on('error', () => {})
    reopen(redis, () => this.#closed)
  }

  /** Whether this node reports every change. */
  get live(): boolean {
    return this.#live
  }

  /** Pings the node, and reconnects if it does not answer. */
  check(): void {
    if (this.#live) this.#redis.ping().catch(() => this.#restart())
    else if (!this.#starting) this.#restart()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#live = false
    await end(this.#redis)
  }

  async #start(): Promise<void> {
    this.#starting = true
    try {
      const id = await this.#redis.client('ID')
      // In this order: a RESP2 connection with a subscription accepts no other commands.
      await this.#redis.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', id, 'BCAST', 'PREFIX', this.#prefix)
      await this.#redis.subscribe(CHANNEL)
      this.#listener.allChanged()
      this.#listener.started()
      this.#live = true
    } catch (error) {
      this.#listener.refused(error)
    }
    this.#starting = false
  }

  // Only if it is connected: interrupting an attempt to connect can end the driver's client permanently.
  #restart(): void {
    this.#lost()
    if (this.#redis.status === 'ready' && !this.#closed) this.#redis.disconnect(true)
  }

  #lost(): void {
    if (!this.#live) return
    this.#live = false
    this.#listener.allChanged()
  }

  // A list of keys, or null after a flush.
  #report(keys: unknown): void {
    if (!Array.isArray(keys)) this.#listener.allChanged()
    else for (const key of keys) this.#listener.changed(String(key).slice(this.#prefix.length))
  }
}
