import { Cluster, Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import { StorageUnavailable } from '../errors.ts'
import { openCluster } from './cluster.ts'
import { reasonOf } from './errors.ts'
import { access, DRIVER_OPTIONS, describe, endpoint, SUBSCRIBER_OPTIONS } from './options.ts'
import { adviceFor, readServerInfo, type ServerInfo } from './server-info.ts'

/** How long, in milliseconds, the first calls wait for the first connection. */
const OPENING_TIME = 800
const REOPENING_DELAY = 500
/** How often, in milliseconds, a server is asked again that is connected and cannot be used. */
const LOOK_AGAIN_AFTER = 500

/** The driver's client, connected in the background and connected again whenever it is not. */
export class Connection {
  readonly client: Redis | Cluster
  readonly description: string
  /** Resolves when the first connection stands, or when it took so long that calls had better fail. */
  readonly #opened: Promise<void>
  /** Resolves when it is known what the connection leads to. */
  #looked: Promise<void> | undefined
  readonly #location: RedisLocation
  readonly #log: Log
  /** What was logged since all was well. */
  readonly #told = new Set<string>()
  #trouble: string | undefined
  /** Why the server that is connected must not be asked. */
  #unfit: string | undefined
  /** What was advised already. */
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
   * Resolves when calls can be made, and when the first connection takes so long that they had better fail.
   * @throws StorageUnavailable where nothing may be concluded from what this server says
   */
  async use(): Promise<void> {
    await this.#opened
    if (this.#looked !== undefined) await this.#looked
    if (this.#unfit !== undefined) throw new StorageUnavailable(this.#unfit)
    this.#gather()
  }

  /** Lets all that is asked in one turn of the event loop go out by one write: each is a system call. */
  #gather(): void {
    // The nodes of a Cluster have a socket each.
    if (this.#gathering || this.client instanceof Cluster || this.client.status !== 'ready') return
    const { stream } = this.client
    this.#gathering = true
    stream.cork()
    setImmediate(() => {
      this.#gathering = false
      stream.uncork()
    })
  }

  /** Why there is no connection; undefined where there is one. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Resolves when the client can be asked; at once where it can. */
  ready(): Promise<void> {
    return ready(this.client)
  }

  /** Another connection for subscriptions, which the caller ends; to `node` where this is a Cluster. */
  subscriber(node?: HostPort): Redis {
    const location = this.#location
    const where = location.kind === 'cluster' ? { ...node, ...access(location) } : endpoint(location)
    return new Redis({ ...SUBSCRIBER_OPTIONS, ...where })
  }

  /** Ends the connection; resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true
    await end(this.client)
  }

  #report(): void {
    this.client.on('ready', () => {
      this.#trouble = undefined
      this.#told.clear()
      this.#log.info({}, `${this.description} is connected.`)
      if (this.client instanceof Redis) this.#looked = this.#look(this.client)
    })
    this.client.on('error', (error) => {
      this.#trouble = reasonOf(error)
      this.#tell(this.#trouble)
    })
    this.client.on('close', () => {
      this.#trouble ??= 'the connection was closed'
      this.#tell(this.#trouble)
    })
    // The nodes of a Cluster come and go while it stays connected as a whole.
    this.client.on('node error', (error: unknown, node: string) => this.#tell(reasonOf(error), node))
    this.client.on('+node', (node: Redis) => {
      node.once('ready', () => {
        this.#told.clear()
        this.#advise(node, `${node.options.host}:${node.options.port} of `).catch(() => {})
      })
    })
  }

  /** A replica takes no writes, and what it says may be old: a token that was revoked since, or issued. */
  async #look(redis: Redis): Promise<void> {
    const before = this.#unfit
    try {
      const info = await this.#advise(redis)
      this.#unfit = info?.is_replica ? 'it is a replica' : undefined
    } catch (error) {
      this.#unfit = reasonOf(error)
    }
    this.#looked = undefined
    if (this.#unfit !== undefined) {
      this.#tell(this.#unfit)
      setTimeout(() => this.client.status === 'ready' && this.#look(redis), LOOK_AGAIN_AFTER).unref()
    } else if (before !== undefined) {
      this.#told.clear()
      this.#log.info({}, `${this.description} is connected.`)
    }
  }

  /** Logs once what had better be changed in the settings of a server. */
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

  #tell(reason: string, node?: string): void {
    if (this.#closed) return
    const text = `${node === undefined ? this.description : `${node} of ${this.description}`} is away: ${reason}.`
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#log.warn({}, text)
  }
}

/** Connects a client again that has given up, as the driver may after trouble with Sentinels. */
export function reopen(client: Redis | Cluster, isClosed: () => boolean): void {
  client.on('end', () => {
    const again = () => isClosed() || client.connect().catch(() => {})
    if (!isClosed()) setTimeout(again, REOPENING_DELAY).unref()
  })
}

/** Ends a client; resolves when its connections are gone. */
export async function end(client: Redis | Cluster): Promise<void> {
  if (client.status === 'end') return
  // Between two attempts there is nothing to end, and the driver would not say when it has.
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
