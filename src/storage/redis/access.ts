import type { RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Hash } from '../../core/record-hash.ts'
import { StorageUnavailable } from '../errors.ts'
import { Connection } from './connect.ts'
import { cleanError } from './errors.ts'
import type { RedisKeys } from './keys.ts'
import { ReplicatedScripts } from './replicated-scripts.ts'
import { type Found, scanHashes } from './scan.ts'
import { defineScripts, type RunScript } from './scripts.ts'

/** How the parts of the storage on Redis speak with it: every command goes through `ask`. */
export class RedisAccess {
  readonly connection: Connection
  readonly keys: RedisKeys
  readonly log: Log
  readonly run: RunScript
  /** Runs a script whose answer a client is told: not before as many replicas have it as are asked for. */
  readonly write: RunScript
  /** Whether replicas are waited for. */
  readonly waits: boolean
  readonly #replicated: ReplicatedScripts | undefined
  #closed = false

  constructor(location: RedisLocation, keys: RedisKeys, log: Log, wait_replicas: number) {
    this.connection = new Connection(location, log)
    this.keys = keys
    this.log = log
    const run = defineScripts(this.connection.client)
    this.run = (name, keys, args) => this.ask(() => run(name, keys, args), keys)
    const replicated = wait_replicas === 0 ? undefined : new ReplicatedScripts(location, wait_replicas)
    this.#replicated = replicated
    this.waits = replicated !== undefined
    this.write =
      replicated === undefined
        ? this.run
        : (name, keys, args) => this.ask(() => replicated.run(name, keys, args), keys, replicated.connection)
  }

  /** The fields of a hash; undefined if there is no such key. */
  async readHash(key: string): Promise<Hash | undefined> {
    return nonEmpty(await this.ask(() => this.connection.client.hgetall(key), [key]))
  }

  /** Every hash whose key begins with `prefix`; one may come again, as it is then. */
  async *scan(prefix: string): AsyncGenerator<Found> {
    const scan = scanHashes(this.connection.client, prefix)
    for (;;) {
      const { done, value } = await this.ask(() => scan.next())
      if (done) return
      yield value
    }
  }

  /**
   * Runs a command on these keys.
   * @throws StorageUnavailable if it is unknown what happened; no error of the driver gets out
   */
  async ask<T>(
    command: () => Promise<T>,
    keys: readonly string[] = [],
    connection = this.connection,
  ): Promise<T> {
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
    await connection.use()
    try {
      return await command()
    } catch (error) {
      throw cleanError(error, connection.trouble, this.keys.kindsOf(keys))
    }
  }

  /** Ends the connections. Later calls throw StorageUnavailable. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.connection.close(), this.#replicated?.connection.close()])
  }
}

/** A hash as Redis answers it; undefined if it has no fields, which is how Redis answers a missing key. */
export function nonEmpty(hash: Hash): Hash | undefined {
  return Object.keys(hash).length === 0 ? undefined : hash
}

/** A hash of the fields and values that a script answers in turn. */
export function unflat(pairs: readonly string[]): Hash {
  return Object.fromEntries(
    pairs.flatMap((value, index) => (index % 2 === 0 ? [[value, pairs[index + 1] ?? '']] : [])),
  )
}

/** The fields and values of a hash in turn, as commands take them. */
export function flat(hash: Hash): string[] {
  return Object.entries(hash).flat()
}

/** A list of arguments behind their number, as scripts take lists. */
export function counted(list: readonly string[]): (string | number)[] {
  return [list.length, ...list]
}
