import type { Hash } from '../../core/record-hash.ts'
import { foldName, nameForm } from '../../core/visible-text.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { SIGN_IN_NAME, usernamesOfSub } from '../../users/sign-in-names.ts'
import { USER } from '../../users/user-kind.ts'

/**
 * Returns the users whose username, e-mail address or sub is exactly this text; addresses and names in any case.
 * @throws StorageUnavailable
 */
export async function findExactly(store: RecordStore, q: string): Promise<{ id: string; hash: Hash }[]> {
  const folded = foldName(q)
  const { records } = store
  const [indexed, of_sub] = await Promise.all([records.read(SIGN_IN_NAME, folded), usernamesOfSub(store, q)])
  // The index may name a user who has lost the name.
  const usernames = new Set([nameForm(q), folded, ...Object.keys(indexed?.hash ?? {}), ...of_sub])
  const found = await Promise.all(
    [...usernames].map(async (id) => ({ id, hash: (await records.read(USER, id))?.hash })),
  )
  return found.flatMap(({ id, hash }) => {
    if (hash === undefined) return []
    const is_meant = foldName(id) === folded || foldName(hash.email ?? '') === folded || hash.sub === q
    return is_meant ? [{ id, hash }] : []
  })
}
