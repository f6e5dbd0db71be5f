import type { Settings } from '../config/settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { newFamilyId } from '../core/token-string.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession, type SessionContext } from '../sessions/session.ts'
import { write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CODE } from '../tokens/code-record.ts'
import type { SignedAnswerContext } from '../tokens/signed-answer.ts'
import { type IssueContext, issueCode } from './issue-code.ts'
import { findNextStep, type NextStepContext } from './next-step.ts'
import type { Reply } from './reply.ts'
import { waitingRequest } from './request.ts'
import { findResponder } from './response.ts'

/** What the authorization endpoint works with. */
export type AuthorizeContext = NextStepContext &
  IssueContext &
  SessionContext &
  PendingContext &
  SignedAnswerContext & {
    readonly settings: Pick<Settings, 'code_ttl'>
    readonly storage: RecordStore
  }

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 * @param browser the browser that sent it; undefined if unknown: a form that another site posts brings no cookies
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function authorize(
  context: AuthorizeContext,
  parameters: Parameters,
  browser: Browser | undefined,
): Promise<Reply> {
  const { settings, storage } = context
  const { ui_locales } = parameters
  let needsCookies = false
  const { target, next } = await findNextStep(context, parameters, async () => {
    needsCookies = browser === undefined
    return browser && findSession(context, browser, parameters.client_id)
  })
  if (needsCookies) return { to: 'repeat' }
  switch (next.step) {
    case 'error':
      return {
        to: 'client',
        response: await (await findResponder(context, target)).error(next.error),
        ui_locales,
      }
    case 'issue': {
      const responder = await findResponder(context, target)
      const code = await issueCode(context, next, newFamilyId(), (code, record) =>
        storage.records.put(write(CODE, code, record, settings.code_ttl)),
      )
      if (code !== undefined) return { to: 'client', response: await responder.code(code), ui_locales }
      // The session ended meanwhile, so the next attempt does not find it.
      return authorize(context, parameters, browser)
    }
    default:
      return { to: 'next', ...startPending(context, waitingRequest(parameters, target.client), browser) }
  }
}
