import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import { mayUse, suffices } from '../users/client-access.ts'
import { accessEndedBefore, isMarkedSession, type SessionMarks } from '../users/own-marks.ts'
import type { User } from '../users/user-record.ts'
import type { GrantFacts } from './code-record.ts'

/** What is needed to find the account of a token. */
export interface TokenAccountContext {
  readonly accounts: Pick<AccountRegistry, 'find'>
  readonly settings: Pick<Settings, 'demo' | 'pairwise_salt' | 'groups_claim'>
}

/**
 * Why the user of a token may not use it any more: the account cannot sign in, or may not use the client, the sign-in is too
 * weak for the client, or all that the user, the session or the client had then was ended.
 */
export type AccountProblem = 'account' | 'access' | 'acr' | 'ended'

/** The fields of a grant record that accountProblem needs. */
export const USABLE_BY = [
  'username',
  'sid',
  'acr',
  'assertion_issuer',
  'acted_by',
  'operator',
  'started_at',
  'session_started_at',
] as const

/**
 * Returns the current account of a token's user, or undefined if it is missing, disabled, malformed or belongs to
 * another user now. Whether it may use the client is for `accountProblem` to say.
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
 * Returns why the user of a token may not use it any more; undefined if the account is the one that signed in, is
 * enabled, and may use the client, by a sign-in as strong as that demands, and nobody ended what was granted. A sign-in
 * without `sid`, and neither by an assertion nor of an operator, is the shortcut of demo mode: it needs no account, and
 * counts only while demo mode is on. A sign-in without `username` is from before redmint had accounts. Neither proves a
 * group.
 * @param actors the clients that act with the token: the user must be one that may use each of them, and has not ended it
 * @throws as findAccount
 */
export async function accountProblem(
  context: TokenAccountContext,
  client: Client,
  sign_in: SignInFacts,
  actors: readonly Client[] = NO_ACTORS,
): Promise<AccountProblem | undefined> {
  const { username, subject, sid, assertion_issuer, acted_by, started_at } = sign_in
  if (beganBefore(started_at, client.grants_end_before)) return 'ended'
  if (actors.some((actor) => beganBefore(started_at, actor.grants_end_before))) return 'ended'
  const { settings } = context
  const is_shortcut = sid === undefined && assertion_issuer === undefined && acted_by === undefined
  if (username !== undefined && is_shortcut && settings.demo === false) return 'account'
  if (username === undefined || is_shortcut) return rulesOf(context, client, actors, undefined, sign_in)
  const user = await findAccount(context, client, { username, subject })
  if (user === undefined) return 'account'
  if (isEnded(user, client.client_id, sign_in)) return 'ended'
  if (actors.some((actor) => isEnded(user, actor.client_id, sign_in))) return 'ended'
  return rulesOf(context, client, actors, user, sign_in)
}

const NO_ACTORS: readonly Client[] = []

/** The first of the clients that the user may not use. */
function rulesOf(
  context: TokenAccountContext,
  client: Client,
  actors: readonly Client[],
  user: User | undefined,
  sign_in: SignInFacts,
): AccountProblem | undefined {
  const problem = clientProblem(context, client, user, sign_in)
  if (problem !== undefined || actors.length === 0) return problem
  return actors.map((actor) => clientProblem(context, actor, user, sign_in)).find((one) => one !== undefined)
}

/** The rules of the client: who may use it, and how strong the sign-in must be. */
function clientProblem(
  { settings }: TokenAccountContext,
  client: Client,
  user: User | undefined,
  { acr }: SignInFacts,
): AccountProblem | undefined {
  if (!mayUse(client, user, settings)) return 'access'
  return suffices(client, acr) ? undefined : 'acr'
}

type SignInFacts = Pick<GrantFacts, (typeof USABLE_BY)[number] | 'subject'>

/** Whether sessions or grants of a user were ended after something was granted to a client, and that with them. */
export function isEnded(
  user: SessionMarks & Pick<User, 'grants_end_before' | 'access_ended'>,
  client_id: ClientId,
  { sid, started_at, session_started_at }: Pick<GrantFacts, 'sid' | 'started_at' | 'session_started_at'>,
): boolean {
  if (beganBefore(started_at, user.grants_end_before)) return true
  if (beganBefore(started_at, accessEndedBefore(user, client_id))) return true
  return sid !== undefined && isMarkedSession(Number(session_started_at), user)
}

/** Whether a time in a record is before a mark; so is a time that a record, written by hand, does not say. */
export function beganBefore(time: string | undefined, mark: number | undefined): boolean {
  return mark !== undefined && !(Number(time) >= mark)
}
