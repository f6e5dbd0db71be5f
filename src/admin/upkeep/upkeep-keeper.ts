import type { Settings } from '../../config/settings.ts'
import { hasProviders } from '../../config/sign-in-ways.ts'
import type { Log } from '../../core/log.ts'
import { PollingWorker } from '../../core/worker.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { lookAtClients } from './look-at-clients.ts'
import { lacksProvider, lookAtPeople } from './look-at-people.ts'
import { lookAtServers } from './look-at-servers.ts'
import {
  CLIENTS_UPKEEP,
  OF_CLIENTS,
  OF_PEOPLE,
  OF_SERVERS,
  PEOPLE_UPKEEP,
  SERVERS_UPKEEP,
} from './upkeep-record.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Seconds until what was found is gone, if no server looks any more. */
const TTL = 3 * 86_400
/** For how many seconds one server looks before another may: 100,000 clients take minutes, and so does a million people. */
const TURN = 1800
/** Between two looks whether something is due, in milliseconds. */
const EVERY = 60_000

interface KeeperContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'sign_in' | 'groups_claim'>
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
  /** Whether it is due earlier; absent: it is not. */
  readonly lacks?: (found: Found) => Promise<boolean>
}

/** The turns of servers, by what they look at. */
const TURN_KIND: Kind<object> = {
  name: 'upkeep',
  by_operators: true,
  format: () => ({ taken: 'true' }),
  parse: () => ({ ok: true, record: {} }),
}

/**
 * Looks at all clients and all people once a day, and at the servers once an hour, and keeps what was found: one server
 * does, for all. So no page has to.
 */
export class UpkeepKeeper extends PollingWorker {
  readonly #context: KeeperContext
  readonly #closing = new AbortController()

  constructor(context: KeeperContext, every = EVERY) {
    super(
      () => this.#lookAll(),
      () => every,
    )
    this.#context = context
  }

  /** Resolves when what is under way has ended. */
  override async close(): Promise<void> {
    this.#closing.abort()
    await super.close()
  }

  async #lookAll(): Promise<void> {
    const { storage, settings, now, log } = this.#context
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
      await this.#lookIfDue({
        kind: PEOPLE_UPKEEP,
        id: OF_PEOPLE,
        every: DAY,
        look: () => lookAtPeople(this.#context, signal),
        lacks: async (found) => hasProviders(settings) && lacksProvider(storage, found),
      })
    } catch (error) {
      // The turn of this server ends by itself, and another one, or this one, looks again.
      if (error instanceof StorageUnavailable || signal.aborted) return
      log.error({ err: error }, 'A bug prevented a look at the clients, the people and the servers.')
    }
  }

  async #lookIfDue<Found extends { readonly at: string }>(wanted: Look<Found>): Promise<void> {
    const { kind, id, every, look, lacks } = wanted
    const { storage, now } = this.#context
    const last = recordOf(await storage.records.read(kind, id))
    if (last !== undefined && now() < Date.parse(last.at) + every && !(await lacks?.(last))) return
    const turn = `${id}-turn`
    if ((await storage.records.create(write(TURN_KIND, turn, {}, TURN))) === 'exists') return
    await storage.records.put(write(kind, id, await look(), TTL))
    await storage.records.take(TURN_KIND, turn)
  }
}
