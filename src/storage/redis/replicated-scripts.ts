import { Cluster, Command, type Redis } from 'ioredis'
import type { RedisLocation } from '../../config/redis-location.ts'
import { SILENT } from '../../core/log.ts'
import { StorageUnavailable } from '../errors.ts'
import { Connection } from './connect.ts'
import { OutcomeUnknown, reasonOf } from './errors.ts'
import { defineScripts, type RunScript } from './scripts.ts'

/**
 * How many milliseconds the replicas have. A script may find its connection blocked by the WAIT of those before
 * it and then waits itself: twice this has to fit into the second that a request has.
 */
const WAIT_TIME = 300

/**
 * Runs scripts whose answer is given only when enough replicas have what they wrote (REDIS_WAIT_REPLICAS). It
 * has a connection of its own: WAIT blocks the one that it comes by, and reads shall not wait for replicas.
 */
export class ReplicatedScripts {
  readonly connection: Connection
  readonly #replicas: number
  readonly #nodes = new WeakMap<Redis, WritingNode>()

  constructor(location: RedisLocation, replicas: number) {
    // The storage's own connection tells why Redis is away.
    this.connection = new Connection(location, SILENT)
    this.#replicas = replicas
  }

  /** @throws OutcomeUnknown where too few replicas have it; errors of the driver */
  readonly run: RunScript = async (name, keys, args) => {
    const node = this.#nodeOf(keys[0] ?? '')
    const answer = await node.run(name, keys, args).catch((error: unknown) => {
      throw this.#moved(error)
    })
    const replicas = await node.replicas(this.#replicas)
    if (replicas < this.#replicas) {
      throw new OutcomeUnknown('fewer replicas than REDIS_WAIT_REPLICAS have it')
    }
    return answer
  }

  // A script and its WAIT have to go to one node, so redirections are not followed but told.
  #nodeOf(key: string): WritingNode {
    const { client } = this.connection
    const redis = client instanceof Cluster ? masterOf(client, key) : client
    let node = this.#nodes.get(redis)
    if (node === undefined) {
      node = new WritingNode(redis)
      this.#nodes.set(redis, node)
    }
    return node
  }

  #moved(error: unknown): unknown {
    const { client } = this.connection
    const redirected = error instanceof Error && /^(MOVED|ASK) /.test(error.message)
    if (redirected && client instanceof Cluster) client.refreshSlotsCache()
    return error
  }
}

/** One connection that writes, and what its replicas have. */
class WritingNode {
  readonly run: RunScript
  readonly #redis: Redis
  /** The WAIT that is under way, and the one that follows it. */
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<number> | undefined

  constructor(redis: Redis) {
    this.#redis = redis
    this.run = defineScripts(redis)
  }

  /**
   * How many replicas have all that was answered on this connection so far. One WAIT is under way at a time, and
   * those that ask meanwhile share the next. It is sent the moment that the one before is settled, and a lost
   * connection settles that: so it goes by the connection that the answers came by, or by none.
   * @throws OutcomeUnknown
   */
  replicas(wanted: number): Promise<number> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const answer = this.#redis.wait(wanted, WAIT_TIME).catch((error: unknown) => {
        throw new OutcomeUnknown(reasonOf(error))
      })
      this.#current = answer.catch(() => {})
      return answer
    })
    return this.#next
  }
}

/** @throws StorageUnavailable while there is no connection to the master that has the key's slot */
function masterOf(cluster: Cluster, key: string): Redis {
  const [place] = cluster.slots[new Command('exists', [key]).getSlot()] ?? []
  const node = cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === place)
  if (node?.status === 'ready') return node
  cluster.refreshSlotsCache()
  throw new StorageUnavailable(node === undefined ? 'no master has the slot' : 'no connection to a master')
}
