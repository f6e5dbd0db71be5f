import { Cluster } from 'ioredis'
import type { HostPort } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Watcher } from '../changes.ts'
import { clusterMasters } from './cluster.ts'
import type { Connection } from './connect.ts'
import { reasonOf } from './errors.ts'
import { TrackedNode } from './tracked-node.ts'

// Milliseconds.
const CHECK_INTERVAL = 500

/**
 * Reports every changed record of a kind by the key tracking of Redis: one connection to each node that has keys,
 * checked twice a second.
 */
export class ChangeTracking {
  readonly #connection: Connection
  readonly #name: string
  readonly #prefix: string
  readonly #log: Log
  readonly #watchers: Watcher[] = []
  readonly #nodes = new Map<string, TrackedNode>()
  readonly #timer: NodeJS.Timeout
  readonly #logged = new Set<string>()
  /** Whether #nodes were all the nodes with keys at the last check. */
  #complete = false
  #checking = false
  #closed = false

  /**
   * @param name the kind of the records
   * @param prefix the prefix of their keys
   */
  constructor(connection: Connection, { name, prefix }: { name: string; prefix: string }, log: Log) {
    this.#connection = connection
    this.#name = name.charAt(0).toUpperCase() + name.slice(1)
    this.#prefix = prefix
    this.#log = log
    this.#timer = setInterval(() => void this.#check(), CHECK_INTERVAL).unref()
    connection.client.on('ready', () => void this.#check())
    void this.#check()
  }

  /** Whether every change is reported. */
  get live(): boolean {
    return this.#complete && [...this.#nodes.values()].every((node) => node.live)
  }

  add(watcher: Watcher): void {
    this.#watchers.push(watcher)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#complete = false
    clearInterval(this.#timer)
    await Promise.all([...this.#nodes.values()].map((node) => node.close()))
  }

  async #check(): Promise<void> {
    if (this.#checking || this.#closed) return
    this.#checking = true
    for (const node of this.#nodes.values()) node.check()
    try {
      this.#follow(await this.#keyNodes())
      this.#complete = true
    } catch {
      this.#complete = false
    }
    this.#checking = false
  }

  /** The nodes with keys: the masters of a Cluster, or undefined for the one server of the connection. */
  async #keyNodes(): Promise<(HostPort | undefined)[]> {
    const { client } = this.#connection
    return client instanceof Cluster ? clusterMasters(client) : [undefined]
  }

  // A new node reports allChanged when its tracking starts; the keys of a removed node are on another node.
  #follow(places: (HostPort | undefined)[]): void {
    if (this.#closed) return
    const wanted = new Map(places.map((place) => [place ? `${place.host}:${place.port}` : '', place]))
    for (const [name, node] of this.#nodes) {
      if (wanted.has(name)) continue
      this.#nodes.delete(name)
      void node.close()
    }
    for (const [name, place] of wanted) {
      if (!this.#nodes.has(name)) this.#nodes.set(name, this.#track(place))
    }
  }

  #track(place: HostPort | undefined): TrackedNode {
    return new TrackedNode(this.#connection.subscriber(place), this.#prefix, {
      changed: (id) => {
        for (const watcher of this.#watchers) watcher.changed(id)
      },
      allChanged: () => {
        for (const watcher of this.#watchers) watcher.allChanged()
      },
      started: () => this.#logged.clear(),
      refused: (error) => this.#logOnce(reasonOf(error)),
    })
  }

  #logOnce(reason: string): void {
    if (this.#closed || this.#logged.has(reason)) return
    this.#logged.add(reason)
    this.#log.warn({}, `${this.#name} records are not cached, because Redis reports no changes: ${reason}.`)
  }
}
