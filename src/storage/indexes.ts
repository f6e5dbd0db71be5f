import type { Hash } from '../core/record-hash.ts'
import type { Listing } from './lists.ts'
import { paced } from './paced.ts'
import {
  type Fitted,
  type Kind,
  type KindName,
  type Records,
  recordOf,
  type Walked,
  write,
} from './records.ts'
import type { RecordStore, Storage } from './storage.ts'

/** What is kept besides the records of a kind, to find them by. It can be made again from the records. */
export interface Index {
  readonly kind: KindName
  /**
   * Makes it fit these records, which may have been written, changed or removed. Absent: nobody follows changes of the
   * kind.
   */
  readonly fit?: (ids: readonly string[]) => Promise<void>
  /** What makes it fit records that a walk through all keys found, by their kinds. */
  readonly walked: readonly FitWalked[]
  /** Removes what has no record. Each step is short. */
  readonly sweep?: () => AsyncIterable<Fitted>
}

/** Makes an index fit a few records of a kind; those whose keys have another type are without a hash. */
export interface FitWalked {
  readonly kind: KindName
  fit(found: readonly Walked[]): Promise<Fitted>
}

/** Returns the list of a kind, and its words, as an index. */
export function listOf({ records }: { readonly records: Records }, kind: KindName): Index {
  return {
    kind,
    async fit(ids) {
      await records.relist(kind, ids)
    },
    walked: [
      {
        kind,
        async fit(found) {
          const missing = await records.unlisted(
            kind,
            found.map(({ id }) => id),
          )
          await records.relist(kind, missing)
          const read = found.flatMap(({ id, hash }) => (hash === undefined ? [] : [{ id, hash }]))
          return { added: missing.length + (await records.fitWords(kind, read)), removed: 0 }
        },
      },
    ],
    sweep: () => records.unlistGone(kind),
  }
}

/**
 * Returns the lists that records of a kind join as an index: those that were written by hand are added. Who reads such a
 * list removes what has no record.
 * @param listingsOf returns the lists that a record belongs in
 */
export function joinedLists(
  { lists }: Pick<Storage, 'lists'>,
  kind: KindName,
  listingsOf: (id: string, hash: Hash) => readonly Listing[],
): Index {
  return {
    kind,
    walked: [
      {
        kind,
        async fit(found) {
          const listings = found.flatMap(({ id, hash }) => (hash === undefined ? [] : listingsOf(id, hash)))
          return { added: await lists.add(...listings), removed: 0 }
        },
      },
    ],
  }
}

/** So few records are looked at in one turn of the event loop that other requests of the process hardly wait. */
const AT_A_TIME = 50

/**
 * Makes indexes fit all records, in one walk through all keys. Each step is short, and yields how many entries were wrong.
 * @throws StorageUnavailable
 */
export async function* fitAll({ records }: RecordStore, indexes: readonly Index[]): AsyncGenerator<Fitted> {
  const walked = indexes.flatMap((index) => index.walked)
  const kinds = new Map(walked.map(({ kind }) => [kind.name, kind]))
  for await (const found of records.walk([...kinds.values()])) {
    const total = { added: 0, removed: 0 }
    for (const { kind, fit } of walked) {
      const of_kind = found.filter((one) => one.kind.name === kind.name)
      for (let at = 0; at < of_kind.length; at += AT_A_TIME) {
        const { added, removed } = await fit(of_kind.slice(at, at + AT_A_TIME))
        total.added += added
        total.removed += removed
      }
    }
    yield total
  }
  for (const { sweep } of indexes) if (sweep !== undefined) yield* sweep()
}

/**
 * Makes indexes fit all records, beside what else Redis has to do. Returns how many entries were wrong.
 * @throws StorageUnavailable
 */
export async function fitIndexes(storage: RecordStore, indexes: readonly Index[]): Promise<Fitted> {
  const total = { added: 0, removed: 0 }
  for await (const { added, removed } of paced(fitAll(storage, indexes))) {
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
  yield* listedRecords({ records }, kind, misfit)
}

/**
 * All records in the list of a kind, page by page: never a scan, so it may lack some until servers have made the list.
 * @param misfit as for everyRecord
 */
export async function* listedRecords(
  { records }: RecordStore,
  kind: KindName,
  misfit?: (id: string) => void,
): AsyncGenerator<{ id: string; hash: Hash }> {
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
