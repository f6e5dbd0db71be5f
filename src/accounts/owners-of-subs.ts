import { inBatches } from '../core/batches.ts'
import { fittedAt } from '../storage/indexes.ts'
import type { RecordStore } from '../storage/storage.ts'
import { usernamesOfSub } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

const AT_A_TIME = 64

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
  const find = async (sub: string) => {
    const [owner] = await usernamesOfSub(store, sub)
    if (owner !== undefined) owners.set(sub, owner)
  }
  await inBatches(subs, AT_A_TIME, (some) => Promise.all(some.map(find)))
  return owners
}
