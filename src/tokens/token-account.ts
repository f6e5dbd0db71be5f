import type { AccountRegistry } from '../accounts/account-registry.ts'
import type { User } from '../accounts/user-record.ts'
import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { GrantFacts } from './code-record.ts'

/** The fields of a grant record that decide whether its user may still use it. */
export const USABLE_BY = ['username', 'sid', 'assertion_issuer', 'started_at', 'session_started_at'] as const

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
 * Whether the user of a token may still use it: nobody ended all that the user, the session or the client had then, and
 * the account is the one that signed in, and enabled. A sign-in without `sid`, and not by an assertion, is the shortcut of
 * demo mode: it needs no account, and counts only while demo mode is on. A sign-in without `username` is from before redmint
 * had accounts.
 * @throws as findAccount
 */
export async function mayStillUse(
  context: TokenAccountContext,
  client: Client,
  sign_in: Pick<GrantFacts, (typeof USABLE_BY)[number] | 'subject'>,
): Promise<boolean> {
  if (beganBefore(sign_in.started_at, client.grants_end_before)) return false
  if (sign_in.username === undefined) return true
  if (sign_in.sid === undefined && sign_in.assertion_issuer === undefined)
    return context.settings.demo !== false
  const user = await findAccount(context, client, sign_in)
  return user !== undefined && !isEnded(user, sign_in)
}

/** Whether all sessions or grants of a user were ended after something was granted. */
export function isEnded(
  { grants_end_before, sessions_end_before }: Pick<User, 'grants_end_before' | 'sessions_end_before'>,
  { sid, started_at, session_started_at }: Pick<GrantFacts, 'sid' | 'started_at' | 'session_started_at'>,
): boolean {
  if (beganBefore(started_at, grants_end_before)) return true
  return sid !== undefined && beganBefore(session_started_at, sessions_end_before)
}

/** Whether a time in a record is before a mark; so is a time that a record, written by hand, does not say. */
export function beganBefore(time: string | undefined, mark: number | undefined): boolean {
  return mark !== undefined && !(Number(time) >= mark)
}
