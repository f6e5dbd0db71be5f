import type { RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Hash } from '../../core/record-hash.ts'
import { StorageUnavailable } from '../storage.ts'
import { Connection } from './connect.ts'
import { cleanError } from './errors.ts'
import type { RedisKeys } from './keys.ts'
import { ReplicatedScripts } from './replicated-scripts.ts'
import { defineScripts, type RunScript } from './scripts.ts'

/** How the storage on Redis speaks with it: every word goes through `ask`. */
export abstract class RedisBase {
  protected readonly connection: Connection
  protected readonly keys: RedisKeys
  protected readonly log: Log
  protected readonly run: RunScript
  /** Runs a script whose answer a client is told: not before as many replicas have it as are asked for. */
  protected readonly write: RunScript
  /** Whether replicas are waited for. */
  protected readonly waits: boolean
  readonly #replicated: ReplicatedScripts | undefined
  protected closed = false

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

  protected async disconnect(): Promise<void> {
    await Promise.all([this.connection.close(), this.#replicated?.connection.close()])
  }

  protected async read(key: string): Promise<Hash | undefined> {
    return found(await this.ask(() => this.connection.client.hgetall(key), [key]))
  }

  /** Takes what a scan finds so that no error of the driver gets out. */
  protected async *take<T>(scan: AsyncGenerator<T, void>): AsyncGenerator<T> {
    for (;;) {
      const { done, value } = await this.ask(() => scan.next())
      if (done) return
      yield value
    }
  }

  /** Runs a command on these keys so that no error of the driver gets out. */
  protected async ask<T>(
    command: () => Promise<T>,
    keys: readonly string[] = [],
    connection = this.connection,
  ): Promise<T> {
    if (this.closed) throw new StorageUnavailable('the storage is closed')
    await connection.use()
    try {
      return await command()
    } catch (error) {
      throw cleanError(error, connection.trouble, this.keys.kindsOf(keys))
    }
  }
}

/** A hash as Redis answers it; one without fields is none. */
export function found(hash: Hash): Hash | undefined {
  return Object.keys(hash).length === 0 ? undefined : hash
}

/** A hash of the fields and values that a script answers in turn. */
export function unflat(answer: unknown): Hash {
  const pairs = answer as string[]
  return Object.fromEntries(
    pairs.flatMap((value, index) => (index % 2 === 0 ? [[value, pairs[index + 1] ?? '']] : [])),
  )
}

/** The fields and values of a hash in turn, as commands take them. */
export function flat(hash: Hash): string[] {
  return Object.entries(hash).flat()
}
