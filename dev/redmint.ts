import type { FastifyInstance } from 'fastify'
import type { Settings } from '../src/config/settings.ts'
import type { Context } from '../src/context.ts'
import type { Storage } from '../src/storage/storage.ts'
import type { DevClock } from './clock.ts'
import { ResettableStorage } from './resettable-storage.ts'
import type { Taps } from './taps.ts'

/** What a server for development is made of. */
export interface DevParts {
  readonly fastify: FastifyInstance
  readonly clock: DevClock
  readonly storage: Storage
  readonly taps: Taps
  /** The address of the issuer. */
  readonly issuer: string
  /** What requests at `/dev/` prove themselves with. */
  readonly token: string
}

/** A server for development that runs in this process. */
export class Redmint {
  readonly issuer: string
  /** What requests at `/dev/` prove themselves with. */
  readonly token: string
  /** The settings of the framework of `for`, to paste; undefined: none was named. */
  pasted: string | undefined
  readonly #parts: DevParts

  constructor(parts: DevParts) {
    this.issuer = parts.issuer
    this.token = parts.token
    this.#parts = parts
  }

  /** The clock, which all that has an end follows. */
  readonly clock = {
    /**
     * Moves the clock ahead.
     * @throws RangeError unless it is 0 or more seconds; TypeError with a Redis, which has a clock of its own
     */
    advance: async (seconds: number): Promise<void> => {
      const { clock } = this.#parts
      this.#inMemory('clock.advance')
      clock.advance(seconds)
      await this.#renew()
    },
  }

  /** Forgets all that came since the start: records, tokens, sessions, the clock. @throws TypeError with a Redis */
  async reset(): Promise<void> {
    const storage = this.#inMemory('reset')
    this.#parts.clock.reset()
    await storage.reset()
    await this.#renew()
  }

  /** Stops the server. */
  async close(): Promise<void> {
    await this.#parts.fastify.close()
  }

  /** The settings of the server. */
  get settings(): Settings {
    return this.#context.settings
  }

  get #context(): Context {
    return this.#parts.fastify.redmint
  }

  // What is read at intervals of the system's clock is too old at once.
  async #renew(): Promise<void> {
    const { keys, sealer } = this.#context
    await Promise.all([keys.reload(), sealer.reload()])
  }

  #inMemory(what: string): ResettableStorage {
    const { storage } = this.#parts
    if (storage instanceof ResettableStorage) return storage
    throw new TypeError(`${what} needs storage in memory: start the server without a Redis.`)
  }
}
