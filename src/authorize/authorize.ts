import type { Parameters } from '../core/parameters.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession, type SessionContext } from '../sessions/session.ts'
import { type AnswerContext, answerClient } from './answer-client.ts'
import { type AnswerStep, isAnswer } from './decide.ts'
import { checkReceived, findNextStep, type NextStepContext } from './next-step.ts'
import { type ReceiveContext, receiveRequest } from './received-request.ts'
import type { Reply } from './reply.ts'
import { waitingRequest } from './request.ts'

/** What the authorization endpoint works with. */
export type AuthorizeContext = NextStepContext &
  AnswerContext &
  SessionContext &
  ReceiveContext &
  PendingContext

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 * @param query the parameters as they were sent
 * @param browser the browser that sent it; undefined if unknown: a form that another site posts brings no cookies
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function authorize(
  context: AuthorizeContext,
  query: Parameters,
  browser: Browser | undefined,
): Promise<Reply> {
  const received = await receiveRequest(context, query)
  const { parameters, pushed } = received
  const { target, request, answer } = await checkReceived(context, received)
  // If the session ended meanwhile, the next attempt does not find it.
  const answerWith = async (step: AnswerStep) =>
    (await answerClient(context, target, step, { request: { pushed }, parameters })) ??
    authorize(context, query, browser)
  if (answer !== undefined) return answerWith(answer)
  if (browser === undefined) return { to: 'repeat' }
  const session = await findSession(context, browser, parameters.client_id)
  const next = await findNextStep(context, request, session)
  if (isAnswer(next)) return answerWith(next)
  const { hinted_sub } = request
  const kept = { ...received, ...(hinted_sub !== undefined && { hinted_sub }) }
  return { to: 'next', ...startPending(context, waitingRequest(parameters, target.client, kept), browser) }
}
