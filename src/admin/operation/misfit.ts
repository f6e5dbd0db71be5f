import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { fittedAt } from '../../storage/indexes.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { findingsOf, type RecordFinding } from './findings.ts'

/** Records by their ids, sorted. Undefined: the key of the record is not a hash. */
type Found = Map<string, Hash | undefined>

/** Finds all records of a kind by a scan of all keys, whatever its list says. @throws StorageUnavailable */
export async function scanAll({ records }: RecordStore, kind: KindName): Promise<Found> {
  const all: [string, Hash | undefined][] = []
  for await (const { id, hash } of records.list(kind, (misfit) => all.push([misfit, undefined])))
    all.push([id, hash])
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns a finding about each record that is missing in the list of its kind, as one that was written by hand while no
 * server ran. Before servers keep the lists, there is none.
 */
export async function unlistedFindings<Name extends string>(
  store: RecordStore,
  kind: KindName,
  name: Name,
  ids: readonly string[],
): Promise<RecordFinding<Name>[]> {
  if ((await fittedAt(store)) === undefined) return []
  const problem = `is not in the list of ${kind.name}s: run redmint ${kind.name} reindex`
  const unlisted = await store.records.unlisted(kind, ids)
  return unlisted.flatMap((id) =>
    findingsOf({ [name]: id } as Record<Name, string>, [], [{ field: name, problem }]),
  )
}

/** Returns the problem of a record whose key has something else; `field` is the one with its name. */
export function misfitProblem(field: string): FieldProblem {
  return {
    field,
    problem: 'names a key of Redis that is not a hash: look at it with TYPE, and remove it with DEL',
  }
}
