import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import type { MetadataDocuments } from './documents/metadata-documents.ts'
import { previewAsOf } from './previews/original.ts'
import { CLIENT } from './record/client-kind.ts'
import { type Client, isClientId } from './record/client-record.ts'

/** The client records, and the notifications of their changes. */
type ClientStore = Pick<Storage, 'records' | 'changes'>

/** The dependencies of readEnabledClient. */
export interface ClientContext {
  readonly storage: RecordStore
  readonly log: Log
  readonly settings: Pick<Settings, 'demo'>
}

/**
 * Reads a client from storage. Returns undefined if it is missing, disabled or malformed, or if demo mode wrote it and
 * is off; the last two cases are logged. A preview is as its original allows it now, or undefined.
 * @param context `now` returns milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function readEnabledClient(
  context: ClientContext & { readonly now: () => number },
  client_id: ClientId,
): Promise<Client | undefined> {
  const client = await readEnabledRecord(context, client_id)
  if (client?.preview_of === undefined) return client
  return previewAsOf(client, await readEnabledRecord(context, client.preview_of), context.now())
}

/** As readEnabledClient, with a preview as its own record says. @throws StorageUnavailable */
async function readEnabledRecord(
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
const MAX_SIZE = 72 * 1024 * 1024

/** Stands for a record that storage does not have. */
const NO_RECORD = { none: true }
// Room for 10,000 of them.
const MAX_ABSENT = 10_000 * JSON.stringify(NO_RECORD).length

/** The dependencies of ClientRegistry. */
export type RegistryContext = ClientContext & {
  readonly storage: ClientStore
  /** The clients that describe themselves; absent: there are none. */
  readonly documents?: MetadataDocuments
  /** The clients that are part of this server: no record counts in their place. */
  readonly own?: readonly Client[]
}

/**
 * Finds enabled clients: those of records, which are cached while storage reports their changes, and those that a
 * document at their client_id describes. If there is a record of that client_id, only the record counts.
 */
export class ClientRegistry {
  readonly #cache: RecordCache<Client>
  readonly #documents: MetadataDocuments | undefined
  /** The client_ids of documents that are known to have no record. */
  readonly #absent: RecordCache<typeof NO_RECORD>

  /** What previews are, with the records of the originals that say so. */
  readonly #previews = new WeakMap<Client, { readonly original: Client; readonly as_of: Client }>()

  readonly #now: () => number
  readonly #own: ReadonlyMap<ClientId, Client>

  /** @param context `now` returns milliseconds since 1970 */
  constructor(context: RegistryContext & { readonly now: () => number }) {
    const { storage, documents, own = [] } = context
    this.#now = context.now
    this.#own = new Map(own.map((client) => [client.client_id, client]))
    const load = (client_id: ClientId) => readEnabledRecord(context, client_id)
    const loadAbsence = async (client_id: ClientId) =>
      (await storage.records.read(CLIENT, client_id)) === undefined ? NO_RECORD : undefined
    this.#documents = documents
    this.#cache = new RecordCache(storage.changes, CLIENT, load, MAX_SIZE)
    this.#absent = new RecordCache(storage.changes, CLIENT, loadAbsence, MAX_ABSENT)
  }

  /**
   * Returns the client; undefined in the same cases as readEnabledClient. Fetches nothing: a document counts as cached.
   * @throws StorageUnavailable
   */
  find(client_id: ClientId): Promise<Client | undefined> {
    if (!this.#mayHaveDocument(client_id)) return this.#findRecord(client_id)
    return this.#either(client_id, (documents) => documents.known(client_id), 'find')
  }

  /**
   * Returns the client for a sign-in that begins; undefined in the same cases as readEnabledClient. A document that is
   * not fresh is fetched.
   * @throws StorageUnavailable; OAuthError as MetadataDocuments.demand
   */
  demand(client_id: ClientId): Promise<Client | undefined> {
    if (!this.#mayHaveDocument(client_id)) return this.#findRecord(client_id)
    return this.#either(client_id, (documents) => documents.demand(client_id), 'find')
  }

  /** Returns the client if it is in the cache. */
  cached(client_id: ClientId): Client | undefined {
    const own = this.#own.get(client_id)
    if (own !== undefined) return own
    const has_document = this.#mayHaveDocument(client_id) && this.#absent.cached(client_id) !== undefined
    if (has_document) return this.#documents?.fresh(client_id)
    const client = this.#recordInUse(client_id)
    if (client?.preview_of === undefined) return client
    return this.#asOf(client, this.#own.get(client.preview_of) ?? this.#recordInUse(client.preview_of))
  }

  /**
   * Reads the client from storage, as readEnabledClient, or from its document.
   * @throws StorageUnavailable; OAuthError as MetadataDocuments.renew
   */
  read(client_id: ClientId): Promise<Client | undefined> {
    const own = this.#own.get(client_id)
    if (own !== undefined) return Promise.resolve(own)
    if (!this.#mayHaveDocument(client_id)) return this.#readRecord(client_id)
    return this.#either(client_id, (documents) => documents.renew(client_id), 'read')
  }

  #findRecord(client_id: ClientId): Promise<Client | undefined> {
    const client = this.#own.get(client_id) ?? this.#recordInUse(client_id)
    if (client === undefined) return this.#readRecord(client_id)
    return client.preview_of === undefined ? Promise.resolve(client) : this.#preview(client, 'find')
  }

  async #readRecord(client_id: ClientId): Promise<Client | undefined> {
    const client = await this.#cache.read(client_id)
    return client?.preview_of === undefined ? client : this.#preview(client, 'read')
  }

  /** Returns a preview as its original is now. @throws StorageUnavailable */
  async #preview(preview: Client, read: 'find' | 'read'): Promise<Client | undefined> {
    const { preview_of = '' } = preview
    // A preview is of no preview, so this ends here.
    const original = read === 'find' ? await this.#findRecord(preview_of) : await this.#readRecord(preview_of)
    return this.#asOf(preview, original)
  }

  /** The same records give the same client, as long as it has not lapsed: whoever waited sees that nothing changed. */
  #asOf(preview: Client, original: Client | undefined): Client | undefined {
    const as_of = previewAsOf(preview, original, this.#now())
    if (as_of === undefined || original === undefined) return undefined
    const known = this.#previews.get(preview)
    if (known?.original === original) return known.as_of
    this.#previews.set(preview, { original, as_of })
    return as_of
  }

  #recordInUse(client_id: ClientId): Client | undefined {
    const client = this.#cache.cached(client_id)
    // Storage does not report at once that a record expired.
    return client?.lapses_at === undefined || this.#now() < Date.parse(client.lapses_at) ? client : undefined
  }

  #mayHaveDocument(client_id: ClientId): boolean {
    return this.#documents?.covers(client_id) === true
  }

  /** Returns the client of the record if there is one, else what `described` returns. @throws StorageUnavailable */
  async #either(
    client_id: ClientId,
    described: (documents: MetadataDocuments) => Client | undefined | Promise<Client | undefined>,
    read: 'find' | 'read',
  ): Promise<Client | undefined> {
    const is_absent = (await this.#absent[read](client_id)) !== undefined
    if (!is_absent || this.#documents === undefined) {
      return read === 'find' ? this.#findRecord(client_id) : this.#readRecord(client_id)
    }
    return described(this.#documents)
  }
}
