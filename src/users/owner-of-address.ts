import type { EmailAddress } from '../core/email-address.ts'
import type { Hash } from '../core/record-hash.ts'
import { foldName } from '../core/visible-text.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { SIGN_IN_NAME } from './sign-in-names.ts'
import { USER } from './user-kind.ts'
import { isUsername, type User } from './user-record.ts'

/** An account, and its record as it was read. */
export interface ReadUser {
  readonly user: User
  readonly hash: Hash
}

/**
 * Returns the account with an address that is verified here. An address that is not proves nothing, and nor does a username.
 * @throws StorageUnavailable
 */
export async function ownerOfAddress(
  { records }: Pick<Storage, 'records'>,
  { text, key }: EmailAddress,
): Promise<ReadUser | 'several' | undefined> {
  const named = recordOf(await records.read(SIGN_IN_NAME, foldName(text))) ?? []
  const found = await Promise.all(
    [...new Set([...named, text, key])].filter(isUsername).map((name) => records.read(USER, name)),
  )
  const owners = found.flatMap((one) => {
    if (!one?.ok) return []
    const { email = '', email_verified } = one.record.claims
    return email_verified === 'true' && foldName(email) === key ? [{ user: one.record, hash: one.hash }] : []
  })
  return owners.length > 1 ? 'several' : owners[0]
}
