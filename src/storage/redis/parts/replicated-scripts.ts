import { Cluster, Command, type Redis } from 'ioredis'
import { SILENT } from '../../../core/log.ts'
import { StorageUnavailable } from '../../errors.ts'
import type { RedisConnection } from '../connection/connect.ts'
import { sendTo } from '../connection/driver.ts'
import { OutcomeUnknown, reasonOf } from '../connection/errors.ts'
import { type RunScript, scriptsOn } from './scripts.ts'

/**
 * How long WAIT waits, in milliseconds. A script may be blocked by the WAIT of earlier scripts and then wait itself:
 * twice this time has to fit into the second of a request.
 */
const WAIT_TIME = 300

/**
 * Runs scripts and waits until enough Redis replicas have what they wrote (REDIS_WAIT_REPLICAS). It has its own
 * connection, because WAIT blocks its connection and reads must not wait for replicas.
 */
export class ReplicatedScripts {
  readonly connection: RedisConnection
  readonly #replicas: number
  readonly #nodes = new WeakMap<Redis, WritingNode>()

  /** @param main the main connection of the storage, which logs connection errors */
  constructor(main: RedisConnection, replicas: number) {
    this.connection = main.again(SILENT)
    this.#replicas = replicas
  }

  /** @throws OutcomeUnknown if too few replicas confirm; errors of the driver */
  readonly run: RunScript = async (name, keys, args) => {
    const node = this.#nodeOf(keys[0] ?? '')
    const answer = await node.run(name, keys, args).catch((error: unknown) => {
      throw this.#afterRedirection(error)
    })
    const replicas = await node.replicas(this.#replicas)
    if (replicas < this.#replicas) {
      throw new OutcomeUnknown('fewer replicas than REDIS_WAIT_REPLICAS have it')
    }
    return answer
  }

  // A script and its WAIT must go to the same node, so redirections are errors and not followed.
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

  #afterRedirection(error: unknown): unknown {
    const { client } = this.connection
    const redirected = error instanceof Error && /^(MOVED|ASK) /.test(error.message)
    if (redirected && client instanceof Cluster) client.refreshSlotsCache()
    return error
  }
}

/** A connection to a master that runs scripts and waits for its replicas. */
class WritingNode {
  readonly run: RunScript
  readonly #redis: Redis
  /** The WAIT that is under way, and the next one. */
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<number> | undefined

  constructor(redis: Redis) {
    this.#redis = redis
    this.run = scriptsOn(redis)
  }

  /**
   * Returns how many replicas have everything written on this connection so far. One WAIT is under way at a time; calls
   * meanwhile share the next one. It is sent when the previous one is settled; a lost connection settles it too, so the
   * next WAIT never uses another connection than the scripts.
   * @throws OutcomeUnknown
   */
  replicas(wanted: number): Promise<number> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const answer = sendTo<number>(this.#redis, 'wait', [wanted, WAIT_TIME]).catch((error: unknown) => {
        throw new OutcomeUnknown(reasonOf(error))
      })
      this.#current = answer.catch(() => {})
      return answer
    })
    return this.#next
  }
}

/** @throws StorageUnavailable if the master of the key's slot is not connected */
function masterOf(cluster: Cluster, key: string): Redis {
  const [place] = cluster.slots[new Command('exists', [key]).getSlot()] ?? []
  const node = cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === place)
  if (node?.status === 'ready') return node
  cluster.refreshSlotsCache()
  throw new StorageUnavailable(node === undefined ? 'no master has the slot' : 'no connection to a master')
}
