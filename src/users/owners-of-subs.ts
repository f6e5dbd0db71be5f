import { inBatches } from '../core/batches.ts'
import type { RecordStore } from '../storage/storage.ts'
import { type KnownPerson, peopleOfSub } from './sign-in-names.ts'

const AT_A_TIME = 64

/** Returns who has those subs that users have, by the index. @throws StorageUnavailable */
export async function peopleOf(
  store: RecordStore,
  subs: readonly string[],
): Promise<Map<string, KnownPerson>> {
  const people = new Map<string, KnownPerson>()
  const find = async (sub: string) => {
    const [owner] = await peopleOfSub(store, sub)
    if (owner !== undefined) people.set(sub, owner)
  }
  await inBatches(subs, AT_A_TIME, (some) => Promise.all(some.map(find)))
  return people
}

/** Returns the usernames of those subs that users have. @throws StorageUnavailable */
export async function ownersOf(store: RecordStore, subs: readonly string[]): Promise<Map<string, string>> {
  return new Map([...(await peopleOf(store, subs))].map(([sub, { username }]) => [sub, username]))
}
