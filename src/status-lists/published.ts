import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { StorageUnavailable } from '../storage/errors.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import type { Storage } from '../storage/storage.ts'
import { LIST_KEPT, STATUS_LIST } from './list-record.ts'
import { parseLists } from './lists-state.ts'

/** A status list as it is served. */
export interface PublishedList {
  readonly text: string
  readonly jwt: Buffer
  readonly gzip: Buffer
  /** Names its content. */
  readonly etag: string
  /** When this server found it, in milliseconds since 1970. */
  readonly found_at: number
}

interface PublishedContext {
  readonly storage: Pick<Storage, 'records'> & { readonly status_lists: SharedHash }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The status lists in the memory of this server. All servers have the same bytes. */
export class PublishedLists {
  readonly #context: PublishedContext
  #lists = new Map<string, PublishedList>()

  constructor(context: PublishedContext) {
    this.#context = context
  }

  /** Returns a list; undefined: there is none. @throws StorageUnavailable if it was not written for too long */
  find(id: string): PublishedList | undefined {
    const list = this.#lists.get(id)
    if (list === undefined || this.#isFresh(list)) return list
    throw new StorageUnavailable('the status list was not written for too long')
  }

  /** Returns the ids of all lists. @throws as find */
  ids(): string[] {
    return [...this.#lists.keys()].filter((id) => this.find(id) !== undefined)
  }

  /** Reads the lists that were written since the last time. @throws StorageUnavailable */
  async read(): Promise<void> {
    const { records, status_lists } = this.#context.storage
    const { lists } = parseLists(await status_lists.read())
    const found = new Map<string, PublishedList>()
    for (const id of lists.keys()) {
      const record = await records.read(STATUS_LIST, id)
      const known = this.#lists.get(id)
      if (!record?.ok) {
        if (known !== undefined) found.set(id, known)
        continue
      }
      const { jwt } = record.record
      found.set(id, known?.text === jwt ? known : this.#publish(jwt))
    }
    this.#lists = found
  }

  // By the clock of this server alone, which may differ from that of the one that signed.
  #isFresh({ found_at }: PublishedList): boolean {
    return Math.abs(this.#context.now() - found_at) < LIST_KEPT * 1000
  }

  #publish(text: string): PublishedList {
    const jwt = Buffer.from(text)
    const etag = createHash('sha256').update(jwt).digest('base64url')
    return { text, jwt, gzip: gzipSync(jwt), etag, found_at: this.#context.now() }
  }
}
