import { Cluster, type Redis } from 'ioredis'
import type { Log } from '../../log.ts'
import type { ClientWatcher } from '../storage.ts'
import { clusterMasters } from './cluster.ts'
import type { Connection } from './connect.ts'
import { TrackedNode } from './tracked-node.ts'

const CHECK_INTERVAL = 500

/**
 * Hears of every changed client record from Redis itself, whoever wrote it: one connection to each node that
 * holds keys, checked twice a second.
 */
export class ClientTracking {
  readonly #connection: Connection
  readonly #prefix: string
  readonly #log: Log
  readonly #watchers: ClientWatcher[] = []
  readonly #nodes = new Map<string, TrackedNode>()
  readonly #timer: NodeJS.Timeout
  /** Whether #nodes are the masters as they were at the last check. */
  #complete = false
  #checking = false

  /** @param prefix what the key of every client begins with */
  constructor(connection: Connection, prefix: string, log: Log) {
    this.#connection = connection
    this.#prefix = prefix
    this.#log = log
    this.#timer = setInterval(() => void this.#check(), CHECK_INTERVAL).unref()
    this.#connection.client.on('ready', () => void this.#check())
    void this.#check()
  }

  /** Whether every change is being reported. */
  get live(): boolean {
    return this.#complete && [...this.#nodes.values()].every((node) => node.live)
  }

  add(watcher: ClientWatcher): void {
    this.#watchers.push(watcher)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#nodes.values()].map((node) => node.close()))
  }

  async #check(): Promise<void> {
    if (this.#checking) return
    this.#checking = true
    for (const node of this.#nodes.values()) node.check()
    await this.#followMasters()
    this.#checking = false
  }
}
