import { codeTtl } from '../clients/profiles.ts'
import type { Settings } from '../config/settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { invalidRequestUri } from '../core/request-errors.ts'
import { newFamilyId, parseToken } from '../core/token-string.ts'
import { answerPushedOnce, leaveToFirst, type NewCode } from '../interaction/answered.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession, type SessionContext } from '../sessions/session.ts'
import { write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CODE } from '../tokens/code-record.ts'
import type { SignedAnswerContext } from '../tokens/signed-answer.ts'
import type { IssueStep } from './decide.ts'
import { type IssueContext, issueCode } from './issue-code.ts'
import { findNextStep, type NextStepContext } from './next-step.ts'
import { type ReceiveContext, receiveRequest } from './received-request.ts'
import type { Reply } from './reply.ts'
import { waitingRequest } from './request.ts'
import { findResponder } from './response.ts'

/** What the authorization endpoint works with. */
export type AuthorizeContext = NextStepContext &
  IssueContext &
  SessionContext &
  ReceiveContext &
  PendingContext &
  SignedAnswerContext & {
    readonly settings: Pick<Settings, 'code_ttl'>
    readonly storage: RecordStore
  }

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
  const { settings } = context
  const receiving = receiveRequest(context, query)
  const received = receiving instanceof Promise ? await receiving : receiving
  const { parameters, pushed } = received
  const { ui_locales } = parameters
  let needsCookies = false
  const { target, next, hinted_sub } = await findNextStep(context, received, async () => {
    needsCookies = browser === undefined
    return browser && findSession(context, browser, parameters.client_id)
  })
  if (needsCookies) return { to: 'repeat' }
  switch (next.step) {
    case 'error': {
      const responder = await findResponder(context, target)
      if (pushed !== undefined && (await answerPushedOnce(context, pushed)) === 'exists') {
        throw invalidRequestUri(target.client)
      }
      return { to: 'client', response: await responder.error(next.error), ui_locales }
    }
    case 'issue': {
      const responder = await findResponder(context, target)
      const grant = parseToken(pushed ?? '')?.family ?? newFamilyId()
      const code = await issueCode(context, next, grant, (code, record) => {
        const ttl = codeTtl(target.client, settings.code_ttl)
        return pushed === undefined
          ? context.storage.records.put(write(CODE, code, record, ttl))
          : spendForCode(context, next, pushed, { code, record, ttl })
      })
      if (code !== undefined) return { to: 'client', response: await responder.code(code), ui_locales }
      // The session ended meanwhile, so the next attempt does not find it.
      return authorize(context, query, browser)
    }
    default: {
      const kept = { ...received, ...(hinted_sub !== undefined && { hinted_sub }) }
      const waiting = waitingRequest(parameters, target.client, kept)
      return { to: 'next', ...startPending(context, waiting, browser) }
    }
  }
}

/** Spends a pushed request with its code. @throws OAuthError if it was spent before; StorageUnavailable */
async function spendForCode(
  context: AuthorizeContext,
  { request: { client }, session }: IssueStep,
  pushed: string,
  code: NewCode,
): Promise<void> {
  if ((await answerPushedOnce(context, pushed, code)) === 'ok') return
  await leaveToFirst(context, pushed, session, code.record.sid)
  throw invalidRequestUri(client)
}
