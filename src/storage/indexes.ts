import type { Hash } from '../core/record-hash.ts'
import type { Listing } from './lists.ts'
import { type Fitted, type Kind, type KindName, type Records, recordOf, write } from './records.ts'
import type { RecordStore, Storage } from './storage.ts'

/** What is kept besides the records of a kind, to find them by. It can be made again from the records. */
export interface Index {
  readonly kind: KindName
  /** Makes it fit these records, which may have been written, changed or removed. Absent: nobody follows changes of the kind. */
  readonly fit?: (ids: readonly string[]) => Promise<void>
  /** Makes it fit all records, by a scan of all keys. Each step is short. */
  fitAll(): AsyncIterable<Fitted>
}

/** Returns the list of a kind as an index. */
export function listOf({ records }: { readonly records: Records }, kind: KindName): Index {
  return {
    kind,
    async fit(ids) {
      await records.relist(kind, ids)
    },
    fitAll: () => records.relistAll(kind),
  }
}

/** So many records are listed at a time. */
const PART = 100

/**
 * Returns the lists that records of a kind join as an index: those that were written by hand are added. Who reads such a
 * list removes what has no record.
 * @param listingsOf returns the lists that a record belongs in
 */
export function joinedLists(
  { records, lists }: Pick<Storage, 'records' | 'lists'>,
  kind: KindName,
  listingsOf: (id: string, hash: Hash) => readonly Listing[],
): Index {
  return {
    kind,
    async *fitAll() {
      let found: Listing[] = []
      for await (const { id, hash } of records.scan(kind)) {
        found.push(...listingsOf(id, hash))
        if (found.length < PART) continue
        yield { added: await lists.add(...found), removed: 0 }
        found = []
      }
      yield { added: await lists.add(...found), removed: 0 }
    },
  }
}

/** Makes an index fit all records. Returns how many entries were wrong. @throws StorageUnavailable */
export async function fitIndex(index: Index): Promise<Fitted> {
  const total = { added: 0, removed: 0 }
  for await (const { added, removed } of index.fitAll()) {
    total.added += added
    total.removed += removed
  }
  return total
}

/** When servers made all indexes fit last, in milliseconds since 1970. */
export const FITTED: Kind<number> = {
  name: 'indexes',
  by_operators: true,
  format: (at) => ({ fitted_at: String(at) }),
  parse: ({ fitted_at }) => ({ ok: true, record: Number(fitted_at) }),
}
const FITTED_ID = 'fitted'
const DAY = 86_400
/** Seconds: servers do it every day. */
const FITTED_TTL = 2 * DAY

/** Returns when servers made all indexes fit last; undefined: not within two days. @throws StorageUnavailable */
export async function fittedAt({ records }: RecordStore): Promise<number | undefined> {
  return recordOf(await records.read(FITTED, FITTED_ID))
}

/** Notes when servers began to make all indexes fit, once they have done so. @throws StorageUnavailable */
export async function noteFitted({ records }: RecordStore, at: number): Promise<void> {
  await records.put(write(FITTED, FITTED_ID, at, FITTED_TTL))
}

const PAGE = 500

/**
 * All records of a listed kind: by its list if servers keep that, which costs no more than reading the records; otherwise,
 * as before the first server has started, by a scan of all keys.
 * @param misfit gets the id of each record whose key is not a hash; without it, they are left out
 */
export async function* everyRecord(
  { records }: RecordStore,
  kind: KindName,
  misfit?: (id: string) => void,
): AsyncGenerator<{ id: string; hash: Hash }> {
  if ((await fittedAt({ records })) === undefined) {
    yield* records.list(kind, misfit)
    return
  }
  let after: string | undefined
  do {
    const { items, next } = await records.page(kind, {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
      ...(misfit && { misfit }),
    })
    yield* items
    after = next
  } while (after !== undefined)
}
