import { type AccountContext, readAccount } from '../accounts/read-account.ts'
import type { User } from '../accounts/user-record.ts'
import type { Client } from '../clients/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { SignIn } from '../tokens/code-record.ts'

/** What is needed to find the account of a token. */
export interface ClaimsContext extends AccountContext {
  readonly settings: Pick<Settings, 'pairwise_salt'>
}

/**
 * Returns the current account of a token's user, or undefined if it is missing, disabled, malformed or belongs to
 * another user now.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise subject without a salt
 */
export async function findAccount(
  context: ClaimsContext,
  client: Client,
  { username, subject }: Pick<SignIn, 'username' | 'subject'>,
): Promise<User | undefined> {
  if (username === undefined) return undefined
  const user = await readAccount(context, username)
  if (user === undefined || user.disabled) return undefined
  return subjectFor(client, user.sub, context.settings) === subject ? user : undefined
}
