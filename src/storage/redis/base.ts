import type { Log } from '../../log.ts'
import type { Hash } from '../../records/hash.ts'
import type { RedisLocation } from '../../redis-location.ts'
import type { RedisKeys } from '../redis-keys.ts'
import { StorageUnavailable } from '../storage.ts'
import { Connection } from './connect.ts'
import { cleanError } from './errors.ts'
import { defineScripts, type RunScript } from './scripts.ts'

/** How the storage on Redis speaks with it: every word goes through `ask`. */
export abstract class RedisBase {
  protected readonly connection: Connection
  protected readonly keys: RedisKeys
  protected readonly log: Log
  protected readonly run: RunScript
  protected closed = false

  constructor(location: RedisLocation, keys: RedisKeys, log: Log) {
    this.connection = new Connection(location, log)
    this.keys = keys
    this.log = log
    const run = defineScripts(this.connection.client)
    this.run = (name, keys, args) => this.ask(() => run(name, keys, args))
  }

  protected async read(key: string): Promise<Hash | undefined> {
    return found(await this.ask(() => this.connection.client.hgetall(key)))
  }

  /** Runs a command so that no error of the driver gets out. */
  protected async ask<T>(command: () => Promise<T>): Promise<T> {
    await this.connection.opened
    if (this.closed) throw new StorageUnavailable('the storage is closed')
    try {
      return await command()
    } catch (error) {
      throw cleanError(error, this.connection.trouble)
    }
  }
}

/** A hash as Redis answers it; one without fields is none. */
export function found(hash: Hash): Hash | undefined {
  return Object.keys(hash).length === 0 ? undefined : hash
}

/** The fields and values of a hash in turn, as commands take them. */
export function flat(hash: Hash): string[] {
  return Object.entries(hash).flat()
}
