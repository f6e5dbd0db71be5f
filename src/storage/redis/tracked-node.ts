import type { Redis } from 'ioredis'
import type { Watcher } from '../changes.ts'
import { end, reopen } from './connect.ts'

// Where Redis publishes the keys that changed, to a connection that speaks RESP2.
const CHANNEL = '__redis__:invalidate'

/** Is told of changes on a node, and of the state of the subscription. */
interface Listener extends Watcher {
  started(): void
  /** Redis is there, but tracking could not be set up. */
  refused(error: unknown): void
}

/** The reports of one node on the keys under a prefix. */
export class TrackedNode {
  readonly #redis: Redis
  readonly #prefix: string
  readonly #listener: Listener
  #live = false
  #starting = false
  #closed = false

  /** @param redis a connection of its own, RESP2, that is not yet connected */
  constructor(redis: Redis, prefix: string, listener: Listener) {
    this.#redis = redis
    this.#prefix = prefix
    this.#listener = listener
    redis.on('ready', () => void this.#start())
    redis.on('close', () => this.#lost())
    redis.on('messageBuffer', (_channel: Buffer, keys: unknown) => this.#report(keys))
    // The storage's own connection tells why Redis is away.
    redis.on('error', () => {})
    reopen(redis, () => this.#closed)
  }

  /** Whether this node reports every change. */
  get live(): boolean {
    return this.#live
  }

  /** Asks the node for a sign of life; a node that gives none is connected to anew. */
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
      // In this order: a RESP2 connection that has subscribed takes no other commands.
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

  // Only where the connection stands: to interrupt an attempt to connect can end the driver's client for good.
  #restart(): void {
    this.#lost()
    if (this.#redis.status === 'ready' && !this.#closed) this.#redis.disconnect(true)
  }

  #lost(): void {
    if (!this.#live) return
    this.#live = false
    this.#listener.allChanged()
  }

  // A list of keys, or nothing in its place after a flush.
  #report(keys: unknown): void {
    if (!Array.isArray(keys)) this.#listener.allChanged()
    else for (const key of keys) this.#listener.changed(String(key).slice(this.#prefix.length))
  }
}
