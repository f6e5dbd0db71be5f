import type { HostPort } from '../../../config/redis-location.ts'
import type { Log } from '../../../core/log.ts'
import type { Watcher } from '../../changes.ts'
import type { RedisConnection } from './connect.ts'
import { reasonOf } from './errors.ts'
import { TrackedNode } from './tracked-node.ts'

// Milliseconds.
const CHECK_INTERVAL = 500

/** The connection for commands, whose servers are tracked. */
type Tracked = Pick<
  RedisConnection,
  'client' | 'servers' | 'sendsOnlyTo' | 'isCluster' | 'keyPlaces' | 'subscriber' | 'refused' | 'accepted'
>

/**
 * Reports every changed record by the key tracking of Redis: one connection to each node that has keys, checked twice a
 * second. It counts only while it is connected to the very servers that commands go to.
 */
export class ChangeTracking {
  readonly #connection: Tracked
  readonly #log: Log
  /** By the prefix of the keys. */
  readonly #watchers = new Map<string, Watcher[]>()
  readonly #nodes = new Map<string, TrackedNode>()
  readonly #timer: NodeJS.Timeout
  readonly #logged = new Set<string>()
  /** Whether #nodes were all the nodes with keys at the last check. */
  #complete = false
  #checking = false
  #closed = false

  constructor(connection: Tracked, log: Log) {
    this.#connection = connection
    this.#log = log
    this.#timer = setInterval(() => void this.#check(), CHECK_INTERVAL).unref()
    connection.client.on('ready', () => void this.#check())
    // The next connection may lead to another server.
    connection.client.on('close', () => this.#allChanged())
    void this.#check()
  }

  /** Reports the changes of all keys with a prefix from now on. */
  watch(prefix: string, watcher: Watcher): void {
    this.#watchers.set(prefix, [...(this.#watchers.get(prefix) ?? []), watcher])
    void this.#check()
  }

  /** Whether every change of keys with this prefix is reported. */
  isLive(prefix: string): boolean {
    if (!this.#complete) return false
    for (const node of this.#nodes.values()) if (!node.isLive(prefix)) return false
    return this.#connection.sendsOnlyTo(this.#follows)
  }

  // Every request asks: a loop over the few nodes costs less than a new Set.
  readonly #follows = (server: string): boolean => {
    for (const node of this.#nodes.values()) if (node.server === server) return true
    return false
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
    const { servers } = this.#connection
    for (const node of this.#nodes.values()) node.check(servers)
    try {
      this.#follow(await this.#connection.keyPlaces())
      this.#complete = true
    } catch {
      this.#complete = false
    }
    this.#checking = false
  }

  // A new node reports allChanged when its tracking starts; the keys of a removed node are on another node.
  #follow(places: (HostPort | undefined)[]): void {
    if (this.#closed) return
    const wanted = new Map(places.map((place) => [place ? addressOf(place) : '', place]))
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
    const listener = {
      prefixes: () => [...this.#watchers.keys()],
      changed: (key: string) => {
        for (const [prefix, watchers] of this.#watchers) {
          if (!key.startsWith(prefix)) continue
          for (const watcher of watchers) watcher.changed(key.slice(prefix.length))
        }
      },
      allChanged: () => this.#allChanged(),
      started: () => {
        this.#logged.clear()
        this.#connection.accepted('key tracking')
      },
      refused: (error: unknown) => {
        if (!this.#connection.refused('key tracking', error)) this.#logOnce(reasonOf(error))
      },
    }
    const address = this.#connection.isCluster && place ? addressOf(place) : undefined
    return new TrackedNode(this.#connection.subscriber(place), listener, address)
  }

  #allChanged(): void {
    for (const watchers of this.#watchers.values()) {
      for (const watcher of watchers) watcher.allChanged()
    }
  }

  #logOnce(reason: string): void {
    if (this.#closed || this.#logged.has(reason)) return
    this.#logged.add(reason)
    this.#log.warn({}, `Records are not cached, because Redis reports no changes: ${reason}.`)
  }
}

function addressOf({ host, port }: HostPort): string {
  return `${host}:${port}`
}
