import type { RedisLocation } from '../../../config/redis-location.ts'
import type { Log } from '../../../core/log.ts'
import { type Hash, setField } from '../../../core/record-hash.ts'
import { StorageUnavailable } from '../../errors.ts'
import type { Memory, Timing } from '../../storage.ts'
import { RedisConnection } from '../connection/connect.ts'
import { sendTo } from '../connection/driver.ts'
import { cleanError } from '../connection/errors.ts'
import { readMemory } from '../connection/memory.ts'
import type { Way } from '../connection/outage-log.ts'
import { type KeyRead, readHashes, type ScannedHash, scanHashes, walkKeys } from '../connection/scan.ts'
import type { RedisKeys } from '../keys.ts'
import { ReplicatedScripts } from './replicated-scripts.ts'
import { type RunScript, SCRIPT_NAMES, type ScriptName, scriptsOn } from './scripts.ts'

/** What Redis is asked for by a command; everything else is a script. */
const COMMAND_INTENTS = [
  'read-hash',
  'read-hashes',
  'read-names',
  'write-names',
  'sign-ins',
  'finish-items',
  'count-items',
  'list-items',
  'read-list',
  'count-list',
  'leave-list',
  'end-evidence',
  'forget-records',
  'clear-registrations',
  'read-memory',
  'count-entries',
  'read-entries',
  'collect-entries',
  'scan',
  'probe',
] as const
type CommandIntent = (typeof COMMAND_INTENTS)[number]

/** All that Redis is asked for by requests. */
export const REDIS_INTENTS: readonly RedisIntent[] = [...SCRIPT_NAMES, ...COMMAND_INTENTS]
type RedisIntent = ScriptName | CommandIntent

/** The connections to Redis that all parts of the storage share. */
export class RedisAccess {
  readonly connection: RedisConnection
  readonly keys: RedisKeys
  readonly log: Log
  /** Runs a script. */
  readonly run: RunScript
  /** Runs a script, and waits until REDIS_WAIT_REPLICAS Redis replicas have what it wrote. */
  readonly write: RunScript
  /** Whether `write` waits for Redis replicas. */
  readonly waits: boolean
  /** How long Redis took, by what it was asked for. */
  readonly timings = Object.fromEntries(
    REDIS_INTENTS.map((intent) => [intent, { calls: 0, seconds: 0 }]),
  ) as Readonly<Record<RedisIntent, Timing>>
  readonly #replicated: ReplicatedScripts | undefined
  #closed = false

  constructor(location: RedisLocation, keys: RedisKeys, log: Log, wait_replicas: number) {
    this.connection = new RedisConnection(location, log, keys.prefix)
    this.keys = keys
    this.log = log
    const run = scriptsOn(this.connection.client)
    this.run = (name, keys, args) =>
      this.#ask(name, () => run(name, keys, args), keys, this.connection, 'scripts')
    const replicated = wait_replicas === 0 ? undefined : new ReplicatedScripts(this.connection, wait_replicas)
    this.#replicated = replicated
    this.waits = replicated !== undefined
    this.write =
      replicated === undefined
        ? this.run
        : (name, keys, args) =>
            this.#ask(name, () => replicated.run(name, keys, args), keys, replicated.connection, 'scripts')
  }

  /** Returns the fields of a hash; undefined if the key is missing. */
  async readHash(key: string): Promise<Hash | undefined> {
    return nonEmpty(await this.command<Hash>('read-hash', 'hgetall', key))
  }

  /** Reads hashes at once, without the keys that are missing; the hash is undefined if the key is not one. */
  readHashes(keys: readonly string[]): Promise<KeyRead[]> {
    const { connection } = this
    return this.#ask('read-hashes', () => readHashes(connection.client, keys), keys, connection, 'commands')
  }

  /** Returns the memory of the server with keys that has the least room. */
  readMemory(): Promise<Memory> {
    const { connection } = this
    return this.#ask('read-memory', () => readMemory(connection.client), [], connection, 'commands')
  }

  /** Yields every hash whose key begins with `prefix`; a hash may be repeated, and `misfit` gets the other keys. */
  async *scan(prefix: string, misfit?: (name: string) => void): AsyncGenerator<ScannedHash> {
    yield* this.#asking(scanHashes(this.connection.client, prefix, misfit))
  }

  /** Walks through all keys that begin with `prefix`, and yields those of each short step that are wanted. */
  walk(prefix: string, isWanted: (key: string) => boolean): AsyncGenerator<KeyRead[]> {
    return this.#asking(walkKeys(this.connection.client, prefix, { isWanted }))
  }

  async *#asking<T>(scan: AsyncGenerator<T>): AsyncGenerator<T> {
    for (;;) {
      const { done, value } = await this.#ask('scan', () => scan.next(), [], this.connection, 'commands')
      if (done) return
      yield value
    }
  }

  /**
   * Runs a command about one key.
   * @param args the arguments after the key
   * @throws StorageUnavailable if the outcome is unknown; errors of the driver are never passed on
   */
  command<T>(intent: CommandIntent, name: string, key: string, ...args: (string | number)[]): Promise<T> {
    const send = () => sendTo<T>(this.connection.client, name, [key, ...args])
    return this.#ask(intent, send, [key], this.connection, 'commands')
  }

  async #ask<T>(
    intent: RedisIntent,
    command: () => Promise<T>,
    keys: readonly string[],
    connection: RedisConnection,
    way: Way,
  ): Promise<T> {
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
    const started = performance.now()
    const opening = connection.use()
    if (opening !== undefined) await opening
    try {
      const answer = await command()
      this.connection.accepted(way)
      return answer
    } catch (error) {
      this.connection.refused(way, error)
      throw cleanError(error, connection.trouble, this.keys.kindsOf(keys))
    } finally {
      const timing = this.timings[intent]
      timing.calls += 1
      timing.seconds += (performance.now() - started) / 1000
    }
  }

  /** Closes the connections. Later calls throw StorageUnavailable. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.connection.close(), this.#replicated?.connection.close()])
  }
}

/** Returns the hash, or undefined if it is empty, which is the reply of Redis for a missing key. */
export function nonEmpty(hash: Hash): Hash | undefined {
  return Object.keys(hash).length === 0 ? undefined : hash
}

/** Converts field, value, field, value, … to a hash. */
export function unflat(pairs: readonly (string | null)[]): Hash {
  const hash: Record<string, string> = {}
  for (let i = 0; i < pairs.length; i += 2) {
    setField(hash, pairs[i] ?? '', pairs[i + 1] ?? '')
  }
  return hash
}

/** Returns those of the fields that have a value. */
export function valuesOf(
  fields: readonly string[],
  values: readonly (string | null | false)[],
): Record<string, string> {
  const hash: Record<string, string> = {}
  for (let i = 0; i < fields.length; i++) {
    const value = values[i]
    if (typeof value === 'string') setField(hash, fields[i] ?? '', value)
  }
  return hash
}

/** Converts a hash to field, value, field, value, … */
export function flat(hash: Hash): string[] {
  const pairs: string[] = []
  for (const field of Object.keys(hash)) pairs.push(field, hash[field] ?? '')
  return pairs
}

/** Returns a list as an argument list for a script: its length, then its entries. */
export function counted(list: readonly string[]): (string | number)[] {
  return [list.length, ...list]
}
