import type { AccountRegistry } from '../accounts/account-registry.ts'
import type { User } from '../accounts/user-record.ts'
import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { GrantFacts } from './code-record.ts'

/** What is needed to find the account of a token. */
export interface TokenAccountContext {
  readonly accounts: Pick<AccountRegistry, 'find'>
  readonly settings: Pick<Settings, 'demo' | 'pairwise_salt'>
}

/**
 * Returns the current account of a token's user, or undefined if it is missing, disabled, malformed or belongs to
 * another user now.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise subject without a salt
 */
export async function findAccount(
  { accounts, settings }: TokenAccountContext,
  client: Client,
  { username, subject }: Pick<GrantFacts, 'username' | 'subject'>,
): Promise<User | undefined> {
  if (username === undefined) return undefined
  const user = await accounts.find(username)
  return user !== undefined && subjectFor(client, user.sub, settings) === subject ? user : undefined
}

/**
 * Whether the user of a token may still use it: the account is the one that signed in, and enabled. A sign-in without
 * `sid`, and not by an assertion, is the shortcut of demo mode: it needs no account, and counts only while demo mode is
 * on. A sign-in without `username` is from before redmint had accounts.
 * @throws as findAccount
 */
export async function hasAccount(
  context: TokenAccountContext,
  client: Client,
  sign_in: Pick<GrantFacts, 'username' | 'subject' | 'sid' | 'assertion_issuer'>,
): Promise<boolean> {
  if (sign_in.username === undefined) return true
  if (sign_in.sid === undefined && sign_in.assertion_issuer === undefined)
    return context.settings.demo !== false
  return (await findAccount(context, client, sign_in)) !== undefined
}
