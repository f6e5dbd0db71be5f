import type { Settings } from '../config/settings.ts'
import { parseToken } from '../core/token-string.ts'
import type { Flow } from '../interaction/flow.ts'
import { type Interaction, type InteractionReply, toNextStep } from '../interaction/interaction.ts'
import { finishPending } from '../interaction/pending-store.ts'
import { hostOf } from '../pages/destination.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { IssueStep } from './decide.ts'
import { type IssueContext, issueCode } from './issue-code.ts'
import { findNextStep, type NextStepContext } from './next-step.ts'
import type { ClientReply } from './reply.ts'
import type { Target } from './request.ts'
import { type ClientResponse, codeResponse, errorResponse } from './response.ts'

/** What it takes to continue a pending authorization request. */
export type FlowContext = NextStepContext &
  IssueContext & {
    readonly settings: Pick<Settings, 'code_ttl'>
    readonly storage: RecordStore
  }

/** The flow of pending authorization requests. */
export function authorizationFlow(context: FlowContext): Flow<ClientReply> {
  return async (interaction) => {
    const { parameters, session, pending } = interaction
    const { target, next } = await findNextStep(context, parameters, async () => session, pending)
    const { client, redirect_uri } = target
    switch (next.step) {
      case 'error': {
        const response = errorResponse(target, context.settings.issuer, next.error)
        return { due: 'answer', answer: () => finish(context, interaction, response) }
      }
      case 'issue':
        return { due: 'answer', answer: () => issue(context, interaction, target, next) }
      default: {
        const destination = { client_name: client.client_name, host: hostOf(redirect_uri) }
        return { due: 'user', step: next, destination }
      }
    }
  }
}

async function issue(
  context: FlowContext,
  interaction: Interaction,
  target: Target,
  step: IssueStep,
): Promise<ClientReply | InteractionReply> {
  const { storage, settings } = context
  const { transaction } = interaction
  const grant = parseToken(transaction)?.family ?? ''
  const code = await issueCode(context, step, grant, (code, record) =>
    finishPending(storage, transaction, { code, record, ttl: settings.code_ttl }),
  )
  // The session ended, or the request was answered meanwhile: the next page says which.
  if (code === undefined) return toNextStep(interaction)
  return toClient(interaction, codeResponse(target, settings.issuer, code))
}

async function finish(
  { storage }: FlowContext,
  interaction: Interaction,
  response: ClientResponse,
): Promise<ClientReply | InteractionReply> {
  const finished = await finishPending(storage, interaction.transaction)
  return finished === 'ok' ? toClient(interaction, response) : toNextStep(interaction)
}

function toClient({ parameters: { ui_locales } }: Interaction, response: ClientResponse): ClientReply {
  return { to: 'client', response, ui_locales }
}
