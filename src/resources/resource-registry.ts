import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { resourceId, writtenIds } from '../core/resource-uri.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { ownResources } from './own-resources.ts'
import { RESOURCE, type Resource } from './resource-record.ts'

interface ResourceContext {
  readonly storage: RecordStore & Pick<Storage, 'changes'>
  readonly log: Log
  readonly settings: Pick<Settings, 'admin_api' | 'issuer'>
}

/** Finds enabled resources. They are cached while storage reports changes of their records. */
export class ResourceRegistry {
  readonly #cache: RecordCache<Resource>
  /** The APIs of this server, which need no record. */
  readonly #own: ReadonlyMap<string, Resource>

  constructor(context: ResourceContext) {
    this.#cache = new RecordCache(context.storage.changes, RESOURCE, (id) => readResource(context, id))
    this.#own = new Map(ownResources(context.settings).map((resource) => [resource.id, resource]))
  }

  /**
   * Returns the resource that a URI names; undefined if it is unknown, disabled or malformed, which is logged.
   * @throws StorageUnavailable
   */
  async find(uri: string): Promise<Resource | undefined> {
    const found = await this.findAny(uri)
    return found?.disabled ? undefined : found
  }

  /** Returns the resource that a URI names, as `find`; also one that is disabled. @throws StorageUnavailable */
  async findAny(uri: string): Promise<Resource | undefined> {
    const id = resourceId(uri)
    if (id === undefined) return undefined
    const own = this.#own.get(id)
    if (own !== undefined) return own
    for (const written of writtenIds(id)) {
      const found = await this.#cache.find(written)
      if (found !== undefined) return found
    }
    return undefined
  }
}

async function readResource({ storage, log }: ResourceContext, id: string): Promise<Resource | undefined> {
  const found = await storage.records.read(RESOURCE, id)
  return found && readRecord(found, log, 'resource', { resource: id })
}
