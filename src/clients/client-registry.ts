import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { CLIENT } from './client-kind.ts'
import { type Client, isClientId } from './client-record.ts'

/** The client records, and the notifications of their changes. */
type ClientStore = Pick<Storage, 'records' | 'changes'>

const MAX_CACHED = 10_000

/**
 * Reads a client from storage. Returns undefined if it is missing, disabled or malformed; a malformed record is logged.
 * @throws StorageUnavailable
 */
export async function readEnabledClient(
  store: RecordStore,
  log: Log,
  client_id: ClientId,
): Promise<Client | undefined> {
  if (!isClientId(client_id)) return undefined
  const found = await store.records.read(CLIENT, client_id)
  const client = found && readRecord(found, log, 'client', { client_id })
  return client?.disabled ? undefined : client
}

/**
 * Finds enabled clients. They are cached while storage reports changes of their records.
 */
export class ClientRegistry {
  readonly #store: ClientStore
  readonly #log: Log
  readonly #cache = new Map<string, Client>()
  /** The running reads by client_id. A change of the record removes its read, so that the result is not cached. */
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
   * Returns the client, or undefined if it is missing, disabled or malformed.
   * @throws StorageUnavailable
   */
  async find(client_id: ClientId): Promise<Client | undefined> {
    return this.cached(client_id) ?? (await this.read(client_id))
  }

  /** Returns the client if it is in the cache. */
  cached(client_id: ClientId): Client | undefined {
    return this.#store.changes.isLive(CLIENT) ? this.#cache.get(client_id) : undefined
  }

  /**
   * Reads the client from storage. Returns undefined if it is missing, disabled or malformed.
   * @throws StorageUnavailable
   */
  read(client_id: ClientId): Promise<Client | undefined> {
    const running = this.#reads.get(client_id)
    if (running !== undefined) return running
    const read: Promise<Client | undefined> = readEnabledClient(this.#store, this.#log, client_id).then(
      (client) => this.#keep(client_id, client, read),
      (error: unknown) => {
        this.#forget(client_id, read)
        throw error
      },
    )
    this.#reads.set(client_id, read)
    return read
  }

  #keep(client_id: ClientId, client: Client | undefined, read: Promise<unknown>): Client | undefined {
    if (!this.#forget(client_id, read)) return client
    this.#cache.delete(client_id)
    if (client !== undefined) {
      const oldest = this.#cache.keys().next()
      if (this.#cache.size >= MAX_CACHED && !oldest.done) this.#cache.delete(oldest.value)
      this.#cache.set(client_id, client)
    }
    return client
  }

  #forget(client_id: ClientId, read: Promise<unknown>): boolean {
    return this.#reads.get(client_id) === read && this.#reads.delete(client_id)
  }
}
