import type { AccountRegistry } from '../accounts/account-registry.ts'
import { mayUse } from '../accounts/client-access.ts'
import type { User } from '../accounts/user-record.ts'
import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { GrantFacts } from './code-record.ts'

/** What is needed to find the account of a token. */
export interface TokenAccountContext {
  readonly accounts: Pick<AccountRegistry, 'find'>
  readonly settings: Pick<Settings, 'demo' | 'pairwise_salt' | 'groups_claim'>
}

/** Why the user of a token may not use it any more: the account cannot sign in, or may not use the client. */
export type AccountProblem = 'account' | 'access'

/**
 * Returns the current account of a token's user, or undefined if it is missing, disabled, malformed or belongs to
 * another user now, or may not use the client.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise subject without a salt
 */
export async function findAccount(
  context: TokenAccountContext,
  client: Client,
  { username, subject }: Pick<GrantFacts, 'username' | 'subject'>,
): Promise<User | undefined> {
  if (username === undefined) return undefined
  const user = await findOwn(context, client, { username, subject })
  return user !== undefined && mayUse(client, user, context.settings) ? user : undefined
}

/**
 * Returns why the user of a token may not use it any more; undefined if the account is the one that signed in, is
 * enabled, and may use the client. A sign-in without `sid`, and not by an assertion, is the shortcut of demo mode: it
 * needs no account, and counts only while demo mode is on. A sign-in without `username` is from before redmint had
 * accounts. Neither proves a group.
 * @throws as findAccount
 */
export async function accountProblem(
  context: TokenAccountContext,
  client: Client,
  { username, subject, sid, assertion_issuer }: SignInFacts,
): Promise<AccountProblem | undefined> {
  const { settings } = context
  const is_shortcut = sid === undefined && assertion_issuer === undefined
  if (username !== undefined && is_shortcut && settings.demo === false) return 'account'
  if (username === undefined || is_shortcut) return mayUse(client, undefined, settings) ? undefined : 'access'
  const user = await findOwn(context, client, { username, subject })
  if (user === undefined) return 'account'
  return mayUse(client, user, settings) ? undefined : 'access'
}

type SignInFacts = Pick<GrantFacts, 'username' | 'subject' | 'sid' | 'assertion_issuer'>

async function findOwn(
  { accounts, settings }: TokenAccountContext,
  client: Client,
  { username, subject }: { readonly username: string; readonly subject: string },
): Promise<User | undefined> {
  const user = await accounts.find(username)
  return user !== undefined && subjectFor(client, user.sub, settings) === subject ? user : undefined
}
