import { inBatches } from '../core/batches.ts'
import type { RecordStore } from '../storage/storage.ts'
import { usernamesOfSub } from './sign-in-names.ts'

const AT_A_TIME = 64

/** Returns the usernames of those subs that users have, by the index. @throws StorageUnavailable */
export async function ownersOf(store: RecordStore, subs: readonly string[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>()
  const find = async (sub: string) => {
    const [owner] = await usernamesOfSub(store, sub)
    if (owner !== undefined) owners.set(sub, owner)
  }
  await inBatches(subs, AT_A_TIME, (some) => Promise.all(some.map(find)))
  return owners
}
