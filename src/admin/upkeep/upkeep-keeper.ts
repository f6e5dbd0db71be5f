import type { Log } from '../../core/log.ts'
import { Worker } from '../../core/worker.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { lookAtClients } from './look-at-clients.ts'
import { lookAtServers } from './look-at-servers.ts'
import { CLIENTS_UPKEEP, OF_CLIENTS, OF_SERVERS, SERVERS_UPKEEP } from './upkeep-record.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Seconds until what was found is gone, if no server looks any more. */
const TTL = 3 * 86_400
/** For how many seconds one server looks before another may: 100,000 clients take minutes. */
const TURN = 1800
/** Between two looks whether something is due, in milliseconds. */
const EVERY = 60_000

interface KeeperContext {
  readonly storage: Storage
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface Look<Found extends { readonly at: string }> {
  readonly kind: Kind<Found>
  readonly id: string
  /** How old what was found becomes, in milliseconds. */
  readonly every: number
  readonly look: () => Promise<Found>
}

/** The turns of servers, by what they look at. */
const TURN_KIND: Kind<object> = {
  name: 'upkeep',
  by_operators: true,
  format: () => ({ taken: 'true' }),
  parse: () => ({ ok: true, record: {} }),
}

/**
 * Looks at all clients once a day, and at the servers once an hour, and keeps what is to be done: one server does, for all. So
 * no page has to.
 */
export class UpkeepKeeper {
  readonly #context: KeeperContext
  readonly #worker: Worker
  readonly #closing = new AbortController()

  constructor(context: KeeperContext, every = EVERY) {
    this.#context = context
    this.#worker = new Worker(
      () => this.#lookAll(),
      () => every,
    )
  }

  start(): void {
    this.#worker.start()
  }

  /** Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#worker.close()
  }

  async #lookAll(): Promise<void> {
    const { storage, now, log } = this.#context
    const { signal } = this.#closing
    try {
      await this.#lookIfDue({
        kind: SERVERS_UPKEEP,
        id: OF_SERVERS,
        every: HOUR,
        look: () => lookAtServers(storage, now),
      })
      await this.#lookIfDue({
        kind: CLIENTS_UPKEEP,
        id: OF_CLIENTS,
        every: DAY,
        look: () => lookAtClients(storage, now, signal),
      })
    } catch (error) {
      // The turn of this server ends by itself, and another one, or this one, looks again.
      if (error instanceof StorageUnavailable || signal.aborted) return
      log.error({ err: error }, 'A bug prevented a look at the clients and the servers.')
    }
  }

  async #lookIfDue<Found extends { readonly at: string }>(wanted: Look<Found>): Promise<void> {
    const { kind, id, every, look } = wanted
    const { storage, now } = this.#context
    const last = recordOf(await storage.records.read(kind, id))
    if (last !== undefined && now() < Date.parse(last.at) + every) return
    const turn = `${id}-turn`
    if ((await storage.records.create(write(TURN_KIND, turn, {}, TURN))) === 'exists') return
    await storage.records.put(write(kind, id, await look(), TTL))
    await storage.records.take(TURN_KIND, turn)
  }
}
