import type { Log } from '../core/log.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { CLIENT } from './client-kind.ts'
import { type Client, isClientId } from './client-record.ts'

/** Where clients are read from, and what tells of their changes. */
type ClientStore = Pick<Storage, 'records' | 'changes'>

const MAX_CACHED = 10_000

/**
 * The client with this id as storage has it now, or undefined where there is none that may do anything: a
 * malformed or disabled record is no client. The log hears why a malformed one is refused.
 * @throws StorageUnavailable
 */
export async function readGoodClient(
  store: RecordStore,
  log: Log,
  client_id: string,
): Promise<Client | undefined> {
  if (!isClientId(client_id)) return undefined
  const found = await store.records.read(CLIENT, client_id)
  if (found === undefined) return undefined
  if (found.ok) return found.record.disabled ? undefined : found.record
  for (const { field, problem } of found.problems) {
    log.warn({ client_id, field }, `The client record is refused: ${field} ${problem}.`)
  }
  return undefined
}

/**
 * The registered clients, as far as they may do anything: a malformed or disabled record is no client. Good
 * records are cached for as long as storage reports their changes.
 */
export class Clients {
  readonly #store: ClientStore
  readonly #log: Log
  readonly #cache = new Map<string, Client>()
  /** Reads on their way; one whose record changed meanwhile is taken out, so that its result is not kept. */
  readonly #reads = new Map<string, Promise<Client | undefined>>()

  constructor(store: ClientStore, log: Log) {
    this.#store = store
    this.#log = log
    store.changes.watch(CLIENT, {
      changed: (client_id) => {
        this.#cache.delete(client_id)
        this.#reads.delete(client_id)
      },
      allChanged: () => {
        this.#cache.clear()
        this.#reads.clear()
      },
    })
  }

  /**
   * The client with this id, or undefined where there is none that may do anything.
   * @throws StorageUnavailable
   */
  async find(client_id: string): Promise<Client | undefined> {
    return this.cached(client_id) ?? (await this.read(client_id))
  }

  /** The client if it is at hand without asking storage. */
  cached(client_id: string): Client | undefined {
    return this.#store.changes.isLive(CLIENT) ? this.#cache.get(client_id) : undefined
  }

  /**
   * The client as storage has it now.
   * @throws StorageUnavailable
   */
  read(client_id: string): Promise<Client | undefined> {
    const running = this.#reads.get(client_id)
    if (running !== undefined) return running
    const read: Promise<Client | undefined> = readGoodClient(this.#store, this.#log, client_id).then(
      (client) => this.#keep(client_id, client, read),
      (error: unknown) => {
        this.#forget(client_id, read)
        throw error
      },
    )
    this.#reads.set(client_id, read)
    return read
  }

  #keep(client_id: string, client: Client | undefined, read: Promise<unknown>): Client | undefined {
    if (!this.#forget(client_id, read)) return client
    this.#cache.delete(client_id)
    if (client !== undefined) {
      const oldest = this.#cache.keys().next()
      if (this.#cache.size >= MAX_CACHED && !oldest.done) this.#cache.delete(oldest.value)
      this.#cache.set(client_id, client)
    }
    return client
  }

  #forget(client_id: string, read: Promise<unknown>): boolean {
    return this.#reads.get(client_id) === read && this.#reads.delete(client_id)
  }
}
