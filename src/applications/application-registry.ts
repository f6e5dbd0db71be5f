import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { isIssuerUrl } from '../issuers/issuer-url.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { Storage } from '../storage/storage.ts'
import { APPLICATION, type Application } from './application-record.ts'

interface ApplicationContext {
  readonly storage: Pick<Storage, 'records' | 'changes'>
  readonly log: Log
}

/** Finds authorization servers elsewhere. They are cached while storage reports changes of their records. */
export class ApplicationRegistry {
  readonly #cache: RecordCache<Application>

  constructor({ storage, log }: ApplicationContext) {
    const load = async (application: string) => {
      const found = await storage.records.read(APPLICATION, application)
      const record = found && readRecord(found, log, 'application', { application })
      return record?.disabled ? undefined : record
    }
    this.#cache = new RecordCache(storage.changes, APPLICATION, load)
  }

  /**
   * Returns the server elsewhere with exactly this issuer; undefined if it is missing, disabled or malformed, the last of
   * which is logged.
   * @throws StorageUnavailable
   */
  async find(issuer: string): Promise<Application | undefined> {
    return isIssuerUrl(issuer) ? await this.#cache.find(issuer) : undefined
  }
}
