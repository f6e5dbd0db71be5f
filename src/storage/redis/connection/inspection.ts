import type { Redis } from 'ioredis'
import type { Log } from '../../../core/log.ts'
import { StorageUnavailable } from '../../errors.ts'
import { sendTo } from './driver.ts'
import { reasonOf } from './errors.ts'
import type { OutageLog } from './outage-log.ts'
import { adviceFor, identityOf, readServerInfo, type ServerInfo, spansSlots } from './server-info.ts'

/** When to check a connected but unusable server again, in milliseconds. */
const AGAIN_AFTER = 500

interface Options {
  /** What logs call the location. */
  description: string
  /** Whether a failover is possible even if the server has no replica now. */
  fails_over: boolean
  /** The database to use. */
  db: number
  /** The prefix of the keys that its user may use. */
  prefix: string
  log: Log
  outages: OutageLog
}

function unusableAs(info: ServerInfo | undefined): string | undefined {
  if (info?.is_sentinel) return 'it is a Sentinel'
  return info?.is_replica ? 'it is a replica' : undefined
}

/** Finds out which server a connection leads to, and whether it may be used. */
export class Inspection {
  readonly #options: Options
  /** The check that is under way. */
  #running: Promise<void> | undefined
  /** Why the connected server must not be used. */
  #unusable: string | undefined
  /** The identity of the connected server, as soon as it was inspected. */
  #server: string | undefined
  #spansSlots = true
  /** The last server that was usable. */
  #lastServer: string | undefined
  readonly #moved: (() => void)[] = []
  /** The advice that was logged. */
  readonly #advised = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  /** The identity of the connected server; undefined while there is none, or it is not known yet. */
  get server(): string | undefined {
    return this.#server
  }

  /** Whether a script may have keys of several slots; true while it is not known. */
  get spansSlots(): boolean {
    return this.#spansSlots
  }

  /** Calls `listener` when a reconnect has led to another server. */
  onMoved(listener: () => void): void {
    this.#moved.push(listener)
  }

  /**
   * Returns what to wait for until a check that is under way is done; undefined if there is none.
   * @throws StorageUnavailable if the connected server must not be used; the promise, too
   */
  passed(): Promise<void> | undefined {
    if (this.#running !== undefined) return this.#running.then(() => this.#assertUsable())
    this.#assertUsable()
    return undefined
  }

  #assertUsable(): void {
    if (this.#unusable !== undefined) throw new StorageUnavailable(this.#unusable)
  }

  /** Checks a server that was just connected. */
  start(redis: Redis): void {
    this.#running = this.#inspect(redis)
  }

  /** The connection was closed. */
  end(): void {
    this.#server = undefined
  }

  /**
   * Logs each advice on the settings of a server once.
   * @param node the name of a node of a Cluster, for the log
   * @throws errors of the driver
   */
  async advise(redis: Redis, node = ''): Promise<ServerInfo | undefined> {
    const { description, fails_over, log } = this.#options
    const info = await readServerInfo(redis)
    const advice = info === undefined ? [] : adviceFor(info, fails_over)
    for (const sentence of advice) {
      const text = `${node}${description}: ${sentence}`
      if (!this.#advised.has(text)) log.warn({}, text)
      this.#advised.add(text)
    }
    return info
  }

  /**
   * Checks that the server is a master, since a replica accepts no writes and its data may be stale, and that it has the
   * database: the driver would go on with database 0.
   */
  async #inspect(redis: Redis): Promise<void> {
    const { db, prefix, outages } = this.#options
    try {
      if (db !== 0) await sendTo(redis, 'select', [db])
      const info = await this.advise(redis)
      this.#server = identityOf(redis, info)
      this.#unusable = unusableAs(info)
      if (this.#unusable === undefined) this.#spansSlots = await spansSlots(redis, prefix)
    } catch (error) {
      this.#unusable = reasonOf(error)
    }
    this.#running = undefined
    if (this.#unusable === undefined) {
      outages.connected()
      const moved = this.#lastServer !== undefined && this.#lastServer !== this.#server
      this.#lastServer = this.#server
      if (moved) for (const listener of this.#moved) listener()
    } else {
      outages.away(this.#unusable)
      setTimeout(() => redis.status === 'ready' && this.#inspect(redis), AGAIN_AFTER).unref()
    }
  }
}
