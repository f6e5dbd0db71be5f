import { PATHS, pathAt } from '../core/paths.ts'
import { type Browser, cookieDigest } from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import { readAccount } from '../users/read-account.ts'
import type { User } from '../users/user-record.ts'
import { csrfOf } from './answer-token.ts'
import type { Aside, FinishedSignIn } from './aside.ts'
import type { Interaction, InteractionContext, InteractionReply } from './interaction.ts'
import type { PendingRecord } from './pending-record.ts'
import { replyTo, type StepResult } from './step-result.ts'
import type { Submission } from './submission.ts'

/** Who saw an aside is left alone for three weeks, in the same browser. */
const PAUSE = { saw_aside: { seconds: 21 * 86_400 } }

/** For how long after the sign-in: it changes the account, so it takes a person who was just there. */
const TIMELY_MS = 600_000

/** What is kept of an aside for somebody who signed in like this; undefined: no method has one. */
export function asideAfter(
  { methods }: Pick<InteractionContext, 'methods'>,
  { kind }: Pick<PendingRecord, 'kind'>,
  signed_in: FinishedSignIn,
  { saw_aside }: Pick<Browser, 'saw_aside'>,
): string | undefined {
  const isWanted = ({ is_due, isPossible }: Aside) =>
    (is_due || (!saw_aside && kind === 'authorization')) && isPossible(signed_in)
  return methods.find(({ aside }) => aside !== undefined && isWanted(aside))?.name
}

/** Shows an aside, if one is due. @throws StorageUnavailable */
export async function showAside(
  context: InteractionContext,
  interaction: Interaction,
): Promise<InteractionReply | undefined> {
  const { pending, transaction, parameters } = interaction
  const due = await asideIn(context, interaction)
  if (due === undefined) return undefined
  const render = await due.aside.page(due.user, { digest: pending.browser }, pending.aside_state)
  if (render === undefined) return replyTo(context, interaction, withoutAside(due.aside))
  const form = {
    action: pathAt(context.settings, PATHS.interaction),
    transaction,
    csrf: csrfOf(interaction),
    has_failed: pending.problem !== undefined,
  }
  return {
    to: 'page',
    render: (view) => render(form, view),
    needs: due.aside.script_source === undefined ? {} : { script_source: due.aside.script_source },
    ui_locales: parameters.ui_locales,
  }
}

/** Takes the answer to an aside, which is known to be one (isAnswerTo). @throws StorageUnavailable */
export async function takeAside(
  context: InteractionContext,
  interaction: Interaction,
  { parameters: answer, from, user_agent }: Submission,
): Promise<StepResult | undefined> {
  if (from !== 'page' || answer.invitation === undefined) return undefined
  const due = await asideIn(context, interaction)
  if (due === undefined) return undefined
  const browser = { digest: cookieDigest(interaction.browser_id), name: browserName(user_agent) }
  const taken =
    answer.invitation === 'take'
      ? await due.aside.take(due.user, browser, answer, interaction.pending.aside_state)
      : 'over'
  if (taken === 'over') return withoutAside(due.aside)
  if (taken === 'failed') return { noted: { problem: 'failed' } }
  return { noted: { problem: undefined, aside_state: taken.account_state } }
}

async function asideIn(
  context: InteractionContext,
  { pending, session }: Interaction,
): Promise<{ aside: Aside; user: User } | undefined> {
  const { aside_of, signed_in } = pending
  if (aside_of === undefined || session === undefined || session.sid !== signed_in) return undefined
  if (context.now() - session.auth_time * 1000 > TIMELY_MS) return undefined
  const aside = context.methods.find(({ name }) => name === aside_of)?.aside
  const user = aside && (await readAccount(context, session.username))
  return aside && user?.sub === session.sub ? { aside, user } : undefined
}

function withoutAside({ is_due }: Aside): StepResult {
  const noted = { aside_of: undefined, aside_state: undefined, problem: undefined }
  return is_due ? { noted } : { noted, cookies: PAUSE }
}
