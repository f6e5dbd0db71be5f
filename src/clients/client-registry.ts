import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { CLIENT } from './client-kind.ts'
import { type Client, isClientId } from './client-record.ts'

/** The client records, and the notifications of their changes. */
type ClientStore = Pick<Storage, 'records' | 'changes'>

/** The dependencies of readEnabledClient. */
export interface ClientContext {
  readonly storage: RecordStore
  readonly log: Log
  readonly settings: Pick<Settings, 'demo'>
}

/**
 * Reads a client from storage. Returns undefined if it is missing, disabled, malformed, or of demo mode outside it; the
 * last two are logged.
 * @throws StorageUnavailable
 */
export async function readEnabledClient(
  { storage, log, settings }: ClientContext,
  client_id: ClientId,
): Promise<Client | undefined> {
  if (!isClientId(client_id)) return undefined
  const found = await storage.records.read(CLIENT, client_id)
  const client = found && readRecord(found, log, 'client', { client_id })
  if (client === undefined || client.disabled) return undefined
  if (!client.demo || settings.demo) return client
  log.warn({ client_id }, `The client of demo mode is refused. Remove it: redmint client remove ${client_id}`)
  return undefined
}

// Room for 100,000 clients with a few redirect URIs each; about 100 MB of memory when it is full.
const MAX_SIZE = 64 * 1024 * 1024

/** Finds enabled clients. They are cached while storage reports changes of their records. */
export class ClientRegistry {
  readonly #cache: RecordCache<Client>

  readonly #now: () => number

  /** @param context `now` returns milliseconds since 1970 */
  constructor(context: ClientContext & { readonly storage: ClientStore; readonly now: () => number }) {
    this.#now = context.now
    const load = (client_id: ClientId) => readEnabledClient(context, client_id)
    this.#cache = new RecordCache(context.storage.changes, CLIENT, load, MAX_SIZE)
  }

  /**
   * Returns the client, or undefined as readEnabledClient.
   * @throws StorageUnavailable
   */
  find(client_id: ClientId): Promise<Client | undefined> {
    const client = this.cached(client_id)
    return client === undefined ? this.read(client_id) : Promise.resolve(client)
  }

  /** Returns the client if it is in the cache. */
  cached(client_id: ClientId): Client | undefined {
    const client = this.#cache.cached(client_id)
    // Storage does not report at once that a record expired.
    return client?.lapses_at === undefined || this.#now() < Date.parse(client.lapses_at) ? client : undefined
  }

  /**
   * Reads the client from storage, as readEnabledClient.
   * @throws StorageUnavailable
   */
  read(client_id: ClientId): Promise<Client | undefined> {
    return this.#cache.read(client_id)
  }
}
