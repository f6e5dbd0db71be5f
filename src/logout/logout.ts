import type { TransactionId } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import {
  findPendingRequest,
  type PendingContext,
  savePendingRequest,
} from '../interaction/pending-request.ts'
import { changePending } from '../interaction/pending-store.ts'
import { accountOf } from '../interaction/shown-account.ts'
import type { View } from '../pages/layout.ts'
import { loggedOutPage, logoutPage } from '../pages/logout.ts'
import { type Browser, csrfToken, sameText } from '../sessions/browser.ts'
import { endSession } from '../sessions/end-session.ts'
import { readSession, type Session, type SessionContext } from '../sessions/session.ts'
import {
  isAbout,
  LOGOUT_PARAMETERS,
  type LogoutRequest,
  type LogoutRequestContext,
  readLogoutRequest,
} from './logout-request.ts'

/** The dependencies of the logout endpoint. */
export type LogoutContext = LogoutRequestContext & SessionContext & PendingContext

/**
 * The response to the browser. `signed_out`: it has no session, so the session cookie is removed. `next` redirects to the
 * page of the `transaction`, or without one to a new logout request.
 */
export type LogoutReply =
  | { to: 'client'; location: string; signed_out: true }
  | { to: 'page'; render: (view: View) => string; ui_locales: string | undefined; signed_out: boolean }
  | { to: 'next'; transaction?: string; browser_id?: string; signed_out: boolean }

/**
 * Answers a logout request (OpenID Connect RP-Initiated Logout §2). Ends the session at once if the hint names it;
 * otherwise the user is asked.
 * @throws StorageUnavailable
 */
export async function logout(
  context: LogoutContext,
  parameters: Parameters,
  browser: Browser,
): Promise<LogoutReply> {
  const request = await readLogoutRequest(context, parameters)
  const { client_id } = request.hint?.client ?? parameters
  if (request.fault !== undefined) {
    context.log.info({ client_id }, `A logout request is invalid: ${request.fault}.`)
  }
  const session = await readSession(context, browser)
  if (session === undefined) return leave(request, parameters)
  if (isAbout(request, session, context.settings)) {
    await signOut(context, browser)
    return leave(request, parameters)
  }
  const pending = {
    kind: 'logout',
    parameters: JSON.stringify(parameters, [...LOGOUT_PARAMETERS]),
    ...(client_id === undefined ? {} : { client_id }),
  } as const
  return { to: 'next', ...(await savePendingRequest(context, pending, browser)), signed_out: false }
}

/**
 * Shows the page of a pending logout request: the question while a user is signed in, otherwise the result.
 * @throws StorageUnavailable
 */
export async function showLogout(
  context: LogoutContext,
  transaction: TransactionId,
  browser: Browser,
): Promise<LogoutReply> {
  const { request, session } = await openLogout(context, transaction, browser)
  const parameters = request?.parameters ?? {}
  if (session === undefined) return leave(await readLogoutRequest(context, parameters), parameters)
  const { ui_locales } = parameters
  if (request === undefined || browser.id === undefined || request.pending.chosen === session.sid) {
    const render = (view: View) => loggedOutPage({ signed_in: true }, view)
    return { to: 'page', render, ui_locales, signed_out: false }
  }
  const account = (await accountOf(context, session)) ?? { name: session.username }
  const csrf = csrfToken(browser.id, transaction, session.sid)
  const props = { action: PATHS.end_session, transaction, csrf, account }
  return { to: 'page', render: (view) => logoutPage(props, view), ui_locales, signed_out: false }
}

/**
 * Applies the user's decision on the page. An answer that does not belong to the page changes nothing, and the page is
 * shown again.
 * @throws StorageUnavailable
 */
export async function takeDecision(
  context: LogoutContext,
  { transaction = '', csrf = '', decision }: Parameters,
  browser: Browser,
): Promise<LogoutReply> {
  const { request, session } = await openLogout(context, transaction, browser)
  // The request expired or belongs to another browser: a new request asks the user again.
  if (request === undefined && decision === 'logout') return { to: 'next', signed_out: false }
  const next: LogoutReply = { to: 'next', transaction, signed_out: false }
  if (request === undefined || session === undefined) return next
  if (!isAnswer(csrf, transaction, browser, session)) return next
  if (decision === 'logout') {
    await signOut(context, browser)
    return { ...next, signed_out: true }
  }
  if (decision === 'stay') await changePending(context.storage, transaction, { chosen: session.sid })
  return next
}

async function openLogout(context: LogoutContext, transaction: TransactionId, browser: Browser) {
  const [request, session] = await Promise.all([
    findPendingRequest(context.storage, ['logout'], transaction, browser),
    readSession(context, browser),
  ])
  return { request, session }
}

function isAnswer(csrf: string, transaction: TransactionId, { id }: Browser, { sid }: Session): boolean {
  return id !== undefined && sameText(csrf, csrfToken(id, transaction, sid))
}

async function signOut(context: LogoutContext, browser: Browser): Promise<void> {
  const ended = browser.session === undefined ? undefined : await endSession(context, browser.session)
  if (ended !== undefined) context.log.info({ sub: ended.sub }, 'A user signed out.')
}

/** Returns the response to a browser without a session. */
function leave({ return_to }: LogoutRequest, { ui_locales }: Parameters): LogoutReply {
  if (return_to !== undefined) return { to: 'client', location: return_to, signed_out: true }
  const render = (view: View) => loggedOutPage({ signed_in: false }, view)
  return { to: 'page', render, ui_locales, signed_out: true }
}
