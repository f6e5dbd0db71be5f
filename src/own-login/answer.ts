import { newLink } from '../account/link.ts'
import type { User } from '../accounts/user-record.ts'
import type { Settings } from '../config/settings.ts'
import { PATHS } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import {
  keepAccount,
  type NotKept,
  type OwnAccount,
  type OwnAccountContext,
} from '../interaction/own-accounts.ts'
import { isUsed, useOnce } from '../interaction/use-once.ts'
import { evidenceTag } from '../storage/evidence.ts'
import { LOGIN, type Means, type OpenVisit, REFUSED, requestOf, verifierEvidence } from './challenge.ts'

/** What it takes to answer a challenge. */
export interface AnswerContext extends OwnAccountContext {
  readonly settings: Pick<Settings, 'issuer' | 'demo'>
}

/** Where the browser goes on, or why it does not: the challenge was answered before; the account cannot sign in. */
export type Answered =
  | { readonly redirect_to: string }
  | NotKept
  | { readonly problem: 'answered' | 'disabled' | 'demo' }

/** How long the browser has to come back with a verifier, in milliseconds. */
const VERIFIER_ENDS = 300_000

/** Whether a challenge was answered. @throws StorageUnavailable */
export function isAnswered(context: Pick<AnswerContext, 'storage'>, { visit }: OpenVisit): Promise<boolean> {
  return isUsed(context, LOGIN, visit.id)
}

/**
 * Takes the word of an application for who signs in: keeps the account, and returns where the browser that waits proves it,
 * once. A challenge has one answer.
 * @param challenge what openChallenge read, and its text
 * @param assertMayKeep throws if the caller may not sign this user in
 * @throws StorageUnavailable; what assertMayKeep throws
 */
export async function acceptVisit(
  context: AnswerContext,
  challenge: { readonly text: string; readonly open: OpenVisit },
  account: OwnAccount,
  means: Means,
  assertMayKeep: (user: User) => void,
): Promise<Answered> {
  const { storage, now, settings } = context
  const { open, text } = challenge
  if (await isAnswered(context, open)) return { problem: 'answered' }
  const kept = await keepAccount(context, account, (user) => {
    assertMayKeep(user)
  })
  if ('problem' in kept) return kept
  const { user } = kept
  if (user.disabled) return { problem: 'disabled' }
  if (user.demo && !settings.demo) return { problem: 'demo' }
  const { factors } = await findFactors(context, user.username)
  if (!(await answerOnce(context, open))) return { problem: 'answered' }
  const link = newLink(evidenceTag(user.username))
  const created_at = now()
  await storage.evidence.give(link.digest, {
    ...verifierEvidence(open.visit, requestOf(open), means, accountState(user, factors)),
    account: user.username,
    created_at,
    ends_at: Math.min(created_at + VERIFIER_ENDS, open.pending.ends_at),
  })
  return { redirect_to: backTo(settings, { state: text, login_verifier: link.text }) }
}

/** Takes the word of an application that nobody signs in. @throws StorageUnavailable */
export async function refuseVisit(
  context: AnswerContext,
  { text, open }: { readonly text: string; readonly open: OpenVisit },
): Promise<Answered> {
  if (!(await answerOnce(context, open))) return { problem: 'answered' }
  return { redirect_to: backTo(context.settings, { state: text, error: REFUSED }) }
}

function answerOnce(context: AnswerContext, { visit, pending }: OpenVisit): Promise<boolean> {
  return useOnce(context, LOGIN, visit.id, (pending.ends_at - context.now()) / 1000)
}

// It begins with the issuer, whatever a request says.
function backTo({ issuer }: Pick<Settings, 'issuer'>, query: Readonly<Record<string, string>>): string {
  return withQuery(issuer + PATHS.interaction, query)
}
