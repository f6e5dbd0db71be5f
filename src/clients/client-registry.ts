import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { CLIENT } from './client-kind.ts'
import { type Client, isClientId } from './client-record.ts'

/** The client records, and the notifications of their changes. */
type ClientStore = Pick<Storage, 'records' | 'changes'>

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

// Room for 100,000 clients with a few redirect URIs each; about 100 MB of memory when it is full.
const MAX_SIZE = 64 * 1024 * 1024

/** Finds enabled clients. They are cached while storage reports changes of their records. */
export class ClientRegistry {
  readonly #cache: RecordCache<Client>

  constructor(store: ClientStore, log: Log) {
    const load = (client_id: ClientId) => readEnabledClient(store, log, client_id)
    this.#cache = new RecordCache(store.changes, CLIENT, load, MAX_SIZE)
  }

  /**
   * Returns the client, or undefined if it is missing, disabled or malformed.
   * @throws StorageUnavailable
   */
  find(client_id: ClientId): Promise<Client | undefined> {
    return this.#cache.find(client_id)
  }

  /** Returns the client if it is in the cache. */
  cached(client_id: ClientId): Client | undefined {
    return this.#cache.cached(client_id)
  }

  /**
   * Reads the client from storage. Returns undefined if it is missing, disabled or malformed.
   * @throws StorageUnavailable
   */
  read(client_id: ClientId): Promise<Client | undefined> {
    return this.#cache.read(client_id)
  }
}
