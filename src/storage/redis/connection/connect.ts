import { Cluster, Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../../config/redis-location.ts'
import type { Log } from '../../../core/log.ts'
import { StorageUnavailable } from '../../errors.ts'
import { addressOf, clusterMasters, openCluster } from './cluster.ts'
import { quiet } from './driver.ts'
import { connectReason, reasonOf, refusalOf } from './errors.ts'
import { Inspection } from './inspection.ts'
import { connected, end, ready, reopen } from './lifecycle.ts'
import { MasterClient } from './master-client.ts'
import { access, DRIVER_OPTIONS, describe, endpoint, SUBSCRIBER_OPTIONS } from './options.ts'
import { OutageLog, type Way } from './outage-log.ts'
import { Sentinels } from './sentinels.ts'
import { findTrouble } from './trouble.ts'

/** How long the first calls wait for the first connection, in milliseconds. */
const OPENING_TIME = 800

const CLOSED = 'the connection was closed'

/** The driver's client. It connects in the background, and reconnects for ever. */
export class RedisConnection {
  readonly client: Redis | Cluster
  readonly description: string
  /** The client of a master behind Sentinels. */
  readonly #master: MasterClient | undefined
  readonly #sentinels: Sentinels | undefined
  /** Resolves when the first connection is ready, or after OPENING_TIME. */
  readonly #opened: Promise<void>
  #isOpen = false
  readonly #inspection: Inspection
  readonly #location: RedisLocation
  readonly #prefix: string
  readonly #outages: OutageLog
  #trouble: string | undefined
  /** The error of the present attempt or connection. */
  #failure: string | undefined
  /** Whether the connection was ready when it broke. */
  #wasReady = false
  /** Whether the nodes of a Cluster are being asked why it cannot be opened. */
  #asking = false
  #closed = false

  /**
   * @param prefix that of the keys that its user may use
   * @param sentinels those of the location, if another connection has them already
   */
  constructor(location: RedisLocation, log: Log, prefix: string, sentinels?: Sentinels) {
    this.#location = location
    this.#prefix = prefix
    this.description = describe(location)
    const outages = new OutageLog(location, this.description, log)
    this.#outages = outages
    const fails_over = location.kind === 'sentinel'
    const db = location.kind === 'single' ? (endpoint(location).db ?? 0) : 0
    this.#inspection = new Inspection({ description: this.description, fails_over, db, prefix, log, outages })
    if (location.kind === 'sentinel') {
      this.#sentinels = sentinels ?? new Sentinels(location)
      this.#master = new MasterClient(location, this.#sentinels)
      this.client = this.#master.client
    } else if (location.kind === 'cluster') {
      this.client = openCluster(location)
    } else {
      this.client = quiet(new Redis({ ...DRIVER_OPTIONS, ...endpoint(location) }))
    }
    this.#report()
    reopen(this.client, () => this.#closed)
    this.#opened = new Promise((resolve) => {
      const open = () => {
        this.#isOpen = true
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(open, OPENING_TIME)
      connected(this.client).then(open)
    })
  }

  /** Returns another connection to the same place. */
  again(log: Log): RedisConnection {
    return new RedisConnection(this.#location, log, this.#prefix, this.#sentinels)
  }

  /**
   * Returns what to wait for until commands can be sent, but not longer than OPENING_TIME for the first connection;
   * undefined: they can be sent now.
   * @throws StorageUnavailable if the connected server must not be used; the promise, too
   */
  use(): Promise<void> | undefined {
    return this.#isOpen ? this.#inspection.passed() : this.#opened.then(() => this.#inspection.passed())
  }

  /** Why there is no connection; undefined if there is one. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /**
   * The servers that commands go to: the addresses of the masters of a Cluster, or the identity of the one server.
   * Undefined while it is not known.
   */
  get servers(): readonly string[] | undefined {
    if (this.client instanceof Cluster) return this.client.nodes('master').map(addressOf)
    const { server } = this.#inspection
    return server === undefined ? undefined : [server]
  }

  /** Whether all servers that commands go to, named as in `servers`, pass a test; false while they are not known. */
  sendsOnlyTo(passes: (server: string) => boolean): boolean {
    if (this.client instanceof Cluster) {
      return this.client.nodes('master').every((node) => passes(addressOf(node)))
    }
    const { server } = this.#inspection
    return server !== undefined && passes(server)
  }

  /** Whether a script may have keys of several slots. */
  get spansSlots(): boolean {
    return !this.isCluster && this.#inspection.spansSlots
  }

  /** Whether this is a Cluster, whose nodes are told apart by their addresses. */
  get isCluster(): boolean {
    return this.client instanceof Cluster
  }

  /**
   * Returns the addresses of the nodes with keys, for `subscriber`; undefined stands for the one server of a URL.
   * @throws StorageUnavailable, errors of the driver
   */
  async keyPlaces(): Promise<(HostPort | undefined)[]> {
    if (this.client instanceof Cluster) return clusterMasters(this.client)
    if (this.#master === undefined) return [undefined]
    const { place } = this.#master
    if (place === undefined) throw new StorageUnavailable('no connection to a master')
    return [place]
  }

  /** Calls `listener` when a reconnect has led to another server; not for a Cluster. */
  onMoved(listener: () => void): void {
    this.#inspection.onMoved(listener)
  }

  /** Resolves when the client is connected. */
  ready(): Promise<void> {
    return ready(this.client)
  }

  /**
   * Returns a new connection for subscriptions, which the caller closes.
   * @param node a master of a Cluster, or the master behind Sentinels
   */
  subscriber(node?: HostPort): Redis {
    const location = this.#location
    const target = location.kind === 'single' ? endpoint(location) : { ...node, ...access(location) }
    return quiet(new Redis({ ...SUBSCRIBER_OPTIONS, ...target }))
  }

  /** Logs an error if Redis refused to run something in its present state, once. Returns whether it did. */
  refused(way: Way, error: unknown): boolean {
    const code = refusalOf(error)
    if (code !== undefined) this.#outages.refused(way, code)
    return code !== undefined
  }

  /** Logs that Redis runs commands or scripts again, if it had refused some. */
  accepted(way: Way): void {
    this.#outages.accepted(way)
  }

  /** Closes the connection; resolves when it is closed. */
  async close(): Promise<void> {
    this.#closed = true
    this.#outages.close()
    await Promise.all([end(this.client), this.#sentinels?.close()])
  }

  #report(): void {
    this.client.on('ready', () => {
      this.#trouble = undefined
      this.#wasReady = true
      if (this.client instanceof Redis) this.#inspection.start(this.client)
      else this.#outages.connected()
    })
    this.client.on('connecting', () => {
      this.#failure = undefined
    })
    this.client.on('error', (error) => {
      this.#failure = this.#reasonOf(error)
      this.#failed(this.#failure)
    })
    this.client.on('close', () => {
      this.#failed(this.#failure ?? this.#reasonOf(undefined))
      this.#wasReady = false
      this.#inspection.end()
    })
    // Single nodes of a Cluster can fail while the client stays connected.
    this.client.on('node error', (error: unknown, node: string) => {
      if (this.client.status === 'ready') this.#outages.away(reasonOf(error), node)
    })
    this.client.on('+node', (node: Redis) => {
      node.once('ready', () => {
        this.#outages.connected(addressOf(node))
        this.#inspection.advise(node, `${addressOf(node)} of `).catch(() => {})
      })
    })
  }

  /** Why the connection broke or cannot be made. */
  #reasonOf(error: unknown): string {
    if (this.client instanceof Redis && !this.#wasReady) return connectReason(this.client, error)
    return error === undefined ? CLOSED : reasonOf(error)
  }

  /** A working connection that breaks is logged after the next attempt, which shows whether Redis is away. */
  #failed(reason: string): void {
    if (this.client instanceof Cluster && !this.#wasReady) {
      this.#trouble ??= reason
      this.#askNodes(reason)
      return
    }
    this.#trouble = reason
    if (this.#wasReady) this.#outages.lost(reason)
    else this.#outages.away(reason)
  }

  /** The driver does not say why a Cluster cannot be opened. */
  #askNodes(reason: string): void {
    if (this.#asking) return
    this.#asking = true
    findTrouble(this.#location).then((trouble) => {
      this.#asking = false
      if (this.client.status === 'ready') return
      this.#trouble = trouble ?? reason
      this.#outages.away(this.#trouble)
    })
  }
}
