import { readAccount } from '../accounts/read-account.ts'
import type { User } from '../accounts/user-record.ts'
import type { Client } from '../clients/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Context } from '../context.ts'
import type { SignIn } from '../tokens/code-record.ts'

/**
 * The account that a client's tokens are for, as storage has it now; undefined where there is none of this name that may
 * do anything, or where it is another user's by now.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise subject where no salt is set.
 */
export async function findAccount(
  context: Pick<Context, 'storage' | 'settings' | 'log'>,
  client: Client,
  { username, subject }: Pick<SignIn, 'username' | 'subject'>,
): Promise<User | undefined> {
  if (username === undefined) return undefined
  const user = await readAccount(context, username)
  if (user === undefined || user.disabled) return undefined
  return subjectFor(client, user.sub, context.settings) === subject ? user : undefined
}
