import { foldName } from '../core/visible-text.ts'
import { recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { SIGN_IN_NAME } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

/**
 * Whether a name is that of a user already, or of one who signs in by it.
 * @param owner this user does not count
 * @throws StorageUnavailable
 */
export async function isNameTaken({ records }: RecordStore, name: string, owner?: string): Promise<boolean> {
  const folded = foldName(name)
  const [exact, lower, indexed] = await Promise.all([
    records.read(USER, name),
    records.read(USER, folded),
    records.read(SIGN_IN_NAME, folded),
  ])
  const named = [...(exact ? [name] : []), ...(lower ? [folded] : []), ...(recordOf(indexed) ?? [])]
  return named.some((username) => username !== owner)
}
