import { codeTtl } from '../clients/profiles.ts'
import type { Settings } from '../config/settings.ts'
import type { OAuthError } from '../core/errors.ts'
import { signInExpired } from '../core/request-errors.ts'
import { parseToken } from '../core/token-string.ts'
import { answerOnce, leaveToFirst } from '../interaction/answered.ts'
import type { Flow } from '../interaction/flow.ts'
import { type Interaction, type InteractionReply, toNextStep } from '../interaction/interaction.ts'
import { findPushed } from '../interaction/pushed-request.ts'
import { destinationOf, hostOf } from '../pages/destination.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { SignedAnswerContext } from '../tokens/signed-answer.ts'
import type { IssueStep } from './decide.ts'
import { type IssueContext, issueCode } from './issue-code.ts'
import { findNextStep, type NextStepContext } from './next-step.ts'
import type { ClientReply } from './reply.ts'
import type { Target } from './request.ts'
import { type ClientResponse, findResponder } from './response.ts'

/** What it takes to continue a pending authorization request. */
export type FlowContext = NextStepContext &
  IssueContext &
  SignedAnswerContext & {
    readonly settings: Pick<Settings, 'code_ttl'>
    readonly storage: RecordStore
  }

/** The flow of pending authorization requests. */
export function authorizationFlow(context: FlowContext): Flow<ClientReply> {
  return async (interaction) => {
    const { parameters, session, pending } = interaction
    const { default_scope, hinted_sub } = pending
    const accepted = {
      stage: 'accepted',
      parameters,
      ...(default_scope !== undefined && { default_scope }),
      ...(hinted_sub !== undefined && { hinted_sub }),
    } as const
    const { target, next } = await findNextStep(context, accepted, async () => session, pending)
    const { client, redirect_uri } = target
    switch (next.step) {
      case 'error':
        return { due: 'answer', answer: () => finish(context, interaction, target, next.error) }
      case 'issue':
        return { due: 'answer', answer: () => issue(context, interaction, target, next) }
      default:
        return { due: 'user', step: next, destination: destinationOf(client, hostOf(redirect_uri)) }
    }
  }
}

async function issue(
  context: FlowContext,
  interaction: Interaction,
  target: Target,
  step: IssueStep,
): Promise<ClientReply | InteractionReply> {
  const { settings } = context
  const { pending } = interaction
  // Before the session joins the family of the code, which belongs to the first answer of a pushed request.
  if (pending.pushed !== undefined && (await findPushed(context, pending.pushed)) === undefined) {
    throw signInExpired(target.client)
  }
  const responder = await findResponder(context, target)
  const grant = parseToken(pending.id)?.family ?? ''
  const code = await issueCode(context, step, grant, async (code, record) => {
    const answer = { code, record, ttl: codeTtl(target.client, settings.code_ttl) }
    if ((await answerOnce(context, pending, answer)) === 'ok') return
    await leaveToFirst(context, pending.pushed ?? pending.id, step.session, record.sid)
    throw signInExpired(target.client)
  })
  // The session ended meanwhile: the next page asks for a sign-in.
  if (code === undefined) return toNextStep(interaction)
  return toClient(interaction, await responder.code(code))
}

async function finish(
  context: FlowContext,
  interaction: Interaction,
  target: Target,
  error: OAuthError,
): Promise<ClientReply> {
  const { session, pending } = interaction
  const responder = await findResponder(context, target)
  // Without a session nobody has proven who they are, so nothing is stored. A pushed request is only removed.
  const isMarked = session !== undefined || pending.pushed !== undefined
  if (isMarked && (await answerOnce(context, pending)) === 'exists') throw signInExpired(target.client)
  return toClient(interaction, await responder.error(error))
}

function toClient({ parameters: { ui_locales } }: Interaction, response: ClientResponse): ClientReply {
  return { to: 'client', response, ui_locales }
}
