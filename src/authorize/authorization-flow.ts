import type { Flow } from '../interaction/flow.ts'
import { toNextStep } from '../interaction/interaction.ts'
import { destinationOf, hostOf } from '../pages/destination.ts'
import { type AnswerContext, answerClient } from './answer-client.ts'
import { isAnswer } from './decide.ts'
import { checkReceived, findNextStep, type NextStepContext } from './next-step.ts'
import { type ReceiveContext, withItsDetails } from './received-request.ts'
import type { ClientReply } from './reply.ts'
import { isByRedirect } from './response.ts'

/** What it takes to continue a pending authorization request. */
export type FlowContext = NextStepContext & AnswerContext & Pick<ReceiveContext, 'storage' | 'clients'>

/** The flow of pending authorization requests. */
export function authorizationFlow(context: FlowContext): Flow<ClientReply> {
  return async (interaction) => {
    const { session, parameters } = interaction
    const pending = await withItsDetails(context, interaction.pending)
    const { target, request, answer } = await checkReceived(context, { stage: 'accepted', ...pending })
    const next = answer ?? (await findNextStep(context, request, session, pending))
    if (!isAnswer(next)) {
      return {
        due: 'user',
        step: next,
        destination: destinationOf(target.client, hostOf(target.redirect_uri)),
      }
    }
    const answerForm = () => answerClient(context, target, next, { request: pending, parameters, session })
    return {
      due: 'answer',
      // If the session ended meanwhile, the next page asks for a sign-in.
      answer: async () => (await answerForm()) ?? toNextStep(interaction),
      ...(isByRedirect(target) && { answerForm }),
    }
  }
}
