import type { FieldProblem, Hash } from '../core/record-hash.ts'
import type { KindName } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** Reads all records of a kind, sorted by id. Undefined: the key of the record is not a hash. */
export async function readAll(
  { records }: RecordStore,
  kind: KindName,
): Promise<Map<string, Hash | undefined>> {
  const all: [string, Hash | undefined][] = []
  for await (const { id, hash } of records.list(kind, (misfit) => all.push([misfit, undefined])))
    all.push([id, hash])
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the problem of a record whose key has something else; `field` is the one with its name. */
export function misfitProblem(field: string): FieldProblem {
  return {
    field,
    problem: 'names a key of Redis that is not a hash: look at it with TYPE, and remove it with DEL',
  }
}
