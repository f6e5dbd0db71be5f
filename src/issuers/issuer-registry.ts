import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { Storage } from '../storage/storage.ts'
import { ISSUER } from './issuer-kind.ts'
import type { Issuer } from './issuer-record.ts'
import { isIssuerUrl } from './issuer-url.ts'

interface IssuerContext {
  readonly storage: Pick<Storage, 'records' | 'changes'>
  readonly log: Log
}

/** Finds trusted issuers. They are cached while storage reports changes of their records. */
export class IssuerRegistry {
  readonly #cache: RecordCache<Issuer>

  constructor({ storage, log }: IssuerContext) {
    const load = async (issuer: string) => {
      const found = await storage.records.read(ISSUER, issuer)
      const record = found && readRecord(found, log, 'issuer', { issuer })
      return record?.disabled ? undefined : record
    }
    this.#cache = new RecordCache(storage.changes, ISSUER, load)
  }

  /**
   * Returns the issuer; undefined if it is missing, disabled or malformed, the last of which is logged.
   * @throws StorageUnavailable
   */
  async find(issuer: string): Promise<Issuer | undefined> {
    return isIssuerUrl(issuer) ? await this.#cache.find(issuer) : undefined
  }
}
