import { recordOf } from '../storage/records.ts'
import type { AccountRegistry } from './account-registry.ts'
import { findAccount } from './find-account.ts'
import type { AccountContext } from './read-account.ts'
import { linkOf, SIGN_IN_NAME } from './sign-in-names.ts'
import type { User } from './user-record.ts'

/** The dependencies of findLinkedAccount. */
export interface LinkedAccountContext extends AccountContext {
  readonly accounts: Pick<AccountRegistry, 'find'>
}

/** What another issuer says about a user. */
interface NamedUser {
  readonly sub: string
  readonly email?: unknown
  readonly email_verified?: unknown
}

/**
 * Returns the enabled account that is linked to the `sub` of a user at another issuer; undefined if there is no such
 * account, or several.
 * @throws StorageUnavailable
 */
export async function findLinkedAccount(
  { storage, accounts }: LinkedAccountContext,
  issuer: string,
  { sub }: NamedUser,
): Promise<User | undefined> {
  const link = linkOf(issuer, sub)
  const [username, ...others] = recordOf(await storage.records.read(SIGN_IN_NAME, link)) ?? []
  if (username === undefined || others.length > 0) return undefined
  const user = await accounts.find(username)
  // The index is a hint: the record decides.
  return user?.linked_subjects?.includes(link) ? user : undefined
}

/**
 * Returns the enabled account with the same verified e-mail address as a user at another issuer, character by character
 * but for the case of ASCII letters; undefined if there is no such account, or several.
 * @throws StorageUnavailable
 */
export async function findAccountByEmail(
  context: LinkedAccountContext,
  { email, email_verified }: NamedUser,
): Promise<User | undefined> {
  if (typeof email !== 'string' || email_verified !== true) return undefined
  const { user } = await findAccount(context, email)
  if (user === undefined || user.disabled) return undefined
  const { claims } = user
  // A username that looks like the address proves nothing. Nor does an address that only looks like it: nobody typed this
  // one, and with the other issuer it may be that of somebody else.
  const is_own = claims.email_verified === 'true' && lowerAscii(claims.email ?? '') === lowerAscii(email)
  return is_own ? user : undefined
}

const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
