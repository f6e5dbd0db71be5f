import type { Log } from '../core/log.ts'
import { readRecord } from '../core/read-record.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { RecordCache } from '../storage/record-cache.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { DETAIL_TYPE, type DetailType } from './detail-type.ts'
import { detailTypeProblem } from './detail-type-fields.ts'

interface DetailTypesContext {
  readonly storage: Pick<Storage, 'records' | 'changes'>
  readonly log: Log
}

/** What finding types of details needs. */
export interface DetailsContext {
  readonly detail_types: Pick<DetailTypes, 'find'>
}

/** How many types the metadata names. */
const MAX_NAMED = 100

/** Finds types of details. They are cached while storage reports changes of their records. */
export class DetailTypes {
  readonly #context: DetailTypesContext
  readonly #cache: RecordCache<DetailType>
  #names: Promise<readonly string[]> | undefined
  /** Those that were read last. */
  #known: readonly string[] = []

  constructor(context: DetailTypesContext) {
    this.#context = context
    const { storage, log } = context
    this.#cache = new RecordCache(storage.changes, DETAIL_TYPE, async (type) => {
      const found = await storage.records.read(DETAIL_TYPE, type)
      return found && readRecord(found, log, 'detail_type', { detail_type: type })
    })
    const forget = () => {
      this.#names = undefined
    }
    storage.changes.watch(DETAIL_TYPE, { changed: forget, allChanged: forget })
  }

  /**
   * Returns a type; undefined if it is missing, disabled or malformed, the last of which is logged.
   * @throws StorageUnavailable
   */
  async find(type: string): Promise<DetailType | undefined> {
    if (detailTypeProblem(type) !== undefined) return undefined
    const found = await this.#cache.find(type)
    return found?.disabled ? undefined : found
  }

  /**
   * Returns the names of the first types that there are, which are enabled; without storage those that were read last: the
   * metadata of a server stays when storage is away.
   */
  async names(): Promise<readonly string[]> {
    const { changes } = this.#context.storage
    if (this.#names !== undefined && changes.isLive(DETAIL_TYPE)) return this.#names
    const reading = this.#read()
    this.#names = reading
    try {
      this.#known = await reading
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      if (this.#names === reading) this.#names = undefined
    }
    return this.#known
  }

  async #read(): Promise<readonly string[]> {
    const { records } = this.#context.storage
    const { items } = await records.page(DETAIL_TYPE, { limit: MAX_NAMED })
    return items.flatMap(({ id, hash }) => {
      const type = recordOf({ hash, ...DETAIL_TYPE.parse(hash, id) })
      return type === undefined || type.disabled ? [] : [id]
    })
  }
}
