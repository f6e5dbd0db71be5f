import type { Redis } from 'ioredis'
import { end, reopen } from './lifecycle.ts'
import { identityOf, readServerInfo } from './server-info.ts'

// The channel on which Redis reports changed keys to a RESP2 connection.
const CHANNEL = '__redis__:invalidate'

/** Receives the changes on a node, and the state of the subscription. */
interface Listener {
  /** Returns the prefixes of the keys to track; they must not overlap. */
  prefixes(): readonly string[]
  /** The record with this key may have changed. */
  changed(key: string): void
  /** Any record may have changed. */
  allChanged(): void
  started(): void
  /** Redis is connected, but tracking could not be started. */
  refused(error: unknown): void
}

/** Reports changed keys on one node. */
export class TrackedNode {
  readonly #redis: Redis
  readonly #listener: Listener
  /** The address, if that tells nodes apart, as in a Cluster. */
  readonly #address: string | undefined
  /** The identity of the server of the running subscription. */
  #server: string | undefined
  /** The prefixes of the running subscription. */
  #prefixes: readonly string[] = []
  #live = false
  #starting = false
  #closed = false

  /** @param redis a separate RESP2 client that is not connected yet */
  constructor(redis: Redis, listener: Listener, address?: string) {
    this.#redis = redis
    this.#listener = listener
    this.#address = address
    redis.on('ready', () => void this.#start())
    redis.on('close', () => this.#lost())
    redis.on('messageBuffer', (_channel: Buffer, keys: unknown) => this.#report(keys))
    // The main connection of the storage logs connection errors.
    redis.on('error', () => {})
    reopen(redis, () => this.#closed)
  }

  /** Whether this node reports every change of keys with this prefix. */
  isLive(prefix: string): boolean {
    return this.#live && this.#prefixes.includes(prefix)
  }

  /** The server that reports changes: its address in a Cluster, its identity elsewhere. */
  get server(): string | undefined {
    return this.#address ?? this.#server
  }

  /**
   * Pings the node. Reconnects if it does not answer, or if the subscription is not the one that is wanted.
   * @param servers the servers that commands go to, if they are known
   */
  check(servers: readonly string[] | undefined): void {
    if (this.#starting) return
    if (this.#live && this.#isWanted(servers)) this.#redis.ping().catch(() => this.#restart())
    else this.#restart()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#live = false
    await end(this.#redis)
  }

  #isWanted(servers: readonly string[] | undefined): boolean {
    const tracksAll = this.#listener.prefixes().every((prefix) => this.#prefixes.includes(prefix))
    // The nodes of a Cluster are chosen by their address.
    const rightServer =
      this.#address !== undefined || servers === undefined || servers.includes(this.#server ?? '')
    return tracksAll && rightServer
  }

  async #start(): Promise<void> {
    this.#starting = true
    try {
      const prefixes = this.#listener.prefixes()
      this.#server = identityOf(this.#redis, await readServerInfo(this.#redis))
      const id = await this.#redis.client('ID')
      const wanted = prefixes.flatMap((prefix) => ['PREFIX', prefix])
      // In this order: a RESP2 connection with a subscription accepts no other commands.
      await this.#redis.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', id, 'BCAST', ...wanted)
      await this.#redis.subscribe(CHANNEL)
      this.#prefixes = prefixes
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
    else for (const key of keys) this.#listener.changed(String(key))
  }
}
