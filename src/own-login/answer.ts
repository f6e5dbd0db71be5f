import type { Settings } from '../config/settings.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import {
  type NotKept,
  type OwnAccount,
  type OwnAccountContext,
  planAccount,
} from '../interaction/own-accounts.ts'
import { requestName } from '../interaction/pending-record.ts'
import type { User } from '../users/user-record.ts'
import { formatMeans, LOGIN_VERIFIER, type LoginVisit, type Means } from './challenge.ts'
import { answerFirst, giveBackVisit, giveVerifier, type OpenVisit, verifierEvidence } from './visit.ts'

/** What it takes to answer a challenge. */
export interface OwnAnswerContext extends OwnAccountContext {
  readonly settings: Pick<Settings, 'issuer' | 'demo'>
}

/** Where the browser goes on, or why it does not: the challenge was answered before; the account cannot sign in. */
export type AnswerOutcome =
  | { readonly redirect_to: string }
  | NotKept
  | { readonly problem: 'answered' | 'disabled' | 'demo' }

/**
 * Takes the word of an application for who signs in: keeps the account, and returns where the browser that waits proves it,
 * once. A challenge has one answer, which may be repeated.
 * @param open what openChallenge read
 * @param assertMayKeep throws if the caller may not sign this user in
 * @throws StorageUnavailable; what assertMayKeep throws
 */
export async function acceptVisit(
  context: OwnAnswerContext,
  open: OpenVisit<LoginVisit>,
  account: OwnAccount,
  means: Means,
  assertMayKeep: (user: User) => void,
): Promise<AnswerOutcome> {
  // What ends sessions from now on ends the one that comes of it, too.
  const judged_since = context.now()
  const planned = await planAccount(context, account, assertMayKeep)
  if ('problem' in planned) return planned
  const problem = planned.user && signInProblem(context, planned.user)
  if (problem !== undefined) return { problem }
  // It decides who may change the account: what is refused changes nothing.
  if (!(await answerFirst(context, open, { account, means }))) return { problem: 'answered' }
  const kept = await planned.keep()
  if ('problem' in kept) {
    await giveBackVisit(context, open)
    return kept
  }
  const { user } = kept
  const { factors } = await findFactors(context, user.username)
  const { name, visit, pending } = open
  const evidence = verifierEvidence(
    name,
    visit,
    requestName(pending),
    formatMeans(means),
    accountState(user, factors),
  )
  return giveVerifier(context, open, LOGIN_VERIFIER, user.username, judged_since, evidence)
}

function signInProblem(
  { settings }: OwnAnswerContext,
  { disabled, demo }: User,
): 'disabled' | 'demo' | undefined {
  if (disabled) return 'disabled'
  return demo && !settings.demo ? 'demo' : undefined
}
