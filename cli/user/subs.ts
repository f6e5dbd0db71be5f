import { usernamesOfSub } from '../../src/accounts/sign-in-names.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { fittedAt } from '../../src/storage/indexes.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { PARALLEL } from '../import.ts'
import { forEachInParallel } from '../parallel.ts'

/**
 * Returns the usernames of those subs that users have: by the index, or by a scan of all keys if no server keeps it.
 * @throws StorageUnavailable
 */
export async function ownersOf(store: RecordStore, subs: readonly string[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>()
  if (subs.length === 0) return owners
  if ((await fittedAt(store)) === undefined) {
    const wanted = new Set(subs)
    for await (const { id, hash } of store.records.list(USER)) {
      if (hash.sub !== undefined && wanted.has(hash.sub)) owners.set(hash.sub, id)
    }
    return owners
  }
  await forEachInParallel(subs, PARALLEL, async (sub) => {
    const [owner] = await usernamesOfSub(store, sub)
    if (owner !== undefined) owners.set(sub, owner)
  })
  return owners
}
