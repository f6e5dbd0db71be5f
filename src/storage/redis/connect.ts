import { Cluster, Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import { StorageUnavailable } from '../errors.ts'
import { openCluster } from './cluster.ts'
import { reasonOf } from './errors.ts'
import { access, DRIVER_OPTIONS, describe, endpoint, SUBSCRIBER_OPTIONS } from './options.ts'
import { adviceFor, readServerInfo, type ServerInfo } from './server-info.ts'

// All in milliseconds.
/** How long the first calls wait for the first connection. */
const OPENING_TIME = 800
const REOPENING_DELAY = 500
/** When to check a connected but unusable server again. */
const INSPECT_AGAIN_AFTER = 500

/** The driver's client. It connects in the background, and reconnects for ever. */
export class Connection {
  readonly client: Redis | Cluster
  readonly description: string
  /** Resolves when the first connection is ready, or after OPENING_TIME. */
  readonly #opened: Promise<void>
  /** The check of the server that is under way. */
  #inspection: Promise<void> | undefined
  readonly #location: RedisLocation
  readonly #log: Log
  /** The messages logged since the last successful connection. */
  readonly #logged = new Set<string>()
  #trouble: string | undefined
  /** Why the connected server must not be used. */
  #unusable: string | undefined
  /** The advice that was logged. */
  readonly #advised = new Set<string>()
  #gathering = false
  #closed = false

  constructor(location: RedisLocation, log: Log) {
    this.#location = location
    this.#log = log
    this.description = describe(location)
    this.client =
      location.kind === 'cluster'
        ? openCluster(location)
        : new Redis({ ...DRIVER_OPTIONS, ...endpoint(location) })
    this.#report()
    reopen(this.client, () => this.#closed)
    this.#opened = new Promise((resolve) => {
      const timer = setTimeout(resolve, OPENING_TIME)
      connected(this.client).then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /**
   * Waits until commands can be sent, but not longer than OPENING_TIME for the first connection.
   * @throws StorageUnavailable if the connected server must not be used
   */
  async use(): Promise<void> {
    await this.#opened
    if (this.#inspection !== undefined) await this.#inspection
    if (this.#unusable !== undefined) throw new StorageUnavailable(this.#unusable)
    this.#batch()
  }

  /** Sends all commands of one turn of the event loop by one write, to save system calls. */
  #batch(): void {
    // Each node of a Cluster has its own socket.
    if (this.#gathering || this.client instanceof Cluster || this.client.status !== 'ready') return
    const { stream } = this.client
    this.#gathering = true
    stream.cork()
    setImmediate(() => {
      this.#gathering = false
      stream.uncork()
    })
  }

  /** Why there is no connection; undefined if there is one. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Resolves when the client is connected. */
  ready(): Promise<void> {
    return ready(this.client)
  }

  /** Returns a new connection for subscriptions, which the caller closes; to `node` if this is a Cluster. */
  subscriber(node?: HostPort): Redis {
    const location = this.#location
    const target = location.kind === 'cluster' ? { ...node, ...access(location) } : endpoint(location)
    return new Redis({ ...SUBSCRIBER_OPTIONS, ...target })
  }

  /** Closes the connection; resolves when it is closed. */
  async close(): Promise<void> {
    this.#closed = true
    await end(this.client)
  }

  #report(): void {
    this.client.on('ready', () => {
      this.#trouble = undefined
      this.#logged.clear()
      this.#log.info({}, `${this.description} is connected.`)
      if (this.client instanceof Redis) this.#inspection = this.#inspect(this.client)
    })
    this.client.on('error', (error) => {
      this.#trouble = reasonOf(error)
      this.#logOnce(this.#trouble)
    })
    this.client.on('close', () => {
      this.#trouble ??= 'the connection was closed'
      this.#logOnce(this.#trouble)
    })
    // Single nodes of a Cluster can fail while the client stays connected.
    this.client.on('node error', (error: unknown, node: string) => this.#logOnce(reasonOf(error), node))
    this.client.on('+node', (node: Redis) => {
      node.once('ready', () => {
        this.#logged.clear()
        this.#advise(node, `${node.options.host}:${node.options.port} of `).catch(() => {})
      })
    })
  }

  /** Checks that the server is a master: a replica accepts no writes, and its data may be stale. */
  async #inspect(redis: Redis): Promise<void> {
    const before = this.#unusable
    try {
      const info = await this.#advise(redis)
      this.#unusable = info?.is_replica ? 'it is a replica' : undefined
    } catch (error) {
      this.#unusable = reasonOf(error)
    }
    this.#inspection = undefined
    if (this.#unusable !== undefined) {
      this.#logOnce(this.#unusable)
      setTimeout(() => this.client.status === 'ready' && this.#inspect(redis), INSPECT_AGAIN_AFTER).unref()
    } else if (before !== undefined) {
      this.#logged.clear()
      this.#log.info({}, `${this.description} is connected.`)
    }
  }

  /** Logs each advice on the settings of a server once. */
  async #advise(redis: Redis, node = ''): Promise<ServerInfo | undefined> {
    const info = await readServerInfo(redis)
    const advice = info === undefined ? [] : adviceFor(info, this.#location.kind === 'sentinel')
    for (const sentence of advice) {
      const text = `${node}${this.description}: ${sentence}`
      if (!this.#advised.has(text)) this.#log.warn({}, text)
      this.#advised.add(text)
    }
    return info
  }

  #logOnce(reason: string, node?: string): void {
    if (this.#closed) return
    const text = `${node === undefined ? this.description : `${node} of ${this.description}`} is away: ${reason}.`
    if (this.#logged.has(text)) return
    this.#logged.add(text)
    this.#log.warn({}, text)
  }
}

/** Reconnects a client that has given up, as the driver may after errors of Sentinels. */
export function reopen(client: Redis | Cluster, isClosed: () => boolean): void {
  client.on('end', () => {
    const again = () => isClosed() || client.connect().catch(() => {})
    if (!isClosed()) setTimeout(again, REOPENING_DELAY).unref()
  })
}

/** Closes a client; resolves when its connections are closed. */
export async function end(client: Redis | Cluster): Promise<void> {
  if (client.status === 'end') return
  // Between two attempts there is no connection, and the driver emits no `end`.
  if (client.status === 'reconnecting') return client.disconnect()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 2 * DRIVER_OPTIONS.disconnectTimeout)
    client.once('end', () => {
      clearTimeout(timer)
      resolve()
    })
    client.disconnect()
  })
}

async function connected(client: Redis | Cluster): Promise<void> {
  await ready(client)
  if (client instanceof Cluster) await Promise.all(client.nodes('master').map(ready))
}

function ready(client: Redis | Cluster): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  return new Promise((resolve) => {
    client.once('ready', resolve)
  })
}
