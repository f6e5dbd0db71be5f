import type { Context } from '../context.ts'
import type { Parameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import { findPending, putBy } from '../interaction/pending-request.ts'
import { changePending } from '../interaction/pending-store.ts'
import { accountOf } from '../interaction/shown-account.ts'
import type { View } from '../pages/layout.ts'
import { loggedOutPage, logoutPage } from '../pages/logout.ts'
import { type Browser, csrfToken, sameText } from '../sessions/browser.ts'
import { endSession } from '../sessions/end-session.ts'
import { findSession, type Session } from '../sessions/session.ts'
import { isAbout, LOGOUT_PARAMETERS, type LogoutRequest, readLogoutRequest } from './request.ts'

/**
 * What a person gets to see next; `signed_out`: the browser has no session, and needs no cookie for one. Without a
 * `transaction` the next step is a new request.
 */
export type LogoutStep =
  | { to: 'client'; location: string; signed_out: true }
  | { to: 'page'; render: (view: View) => string; ui_locales: string | undefined; signed_out: boolean }
  | { to: 'next'; transaction?: string; browser_id?: string; signed_out: boolean }

/**
 * Takes a logout request (OpenID Connect RP-Initiated Logout §2). It ends the session at once where it proves that it
 * means that one; else the person is asked.
 * @throws StorageUnavailable
 */
export async function logout(
  context: Context,
  parameters: Parameters,
  browser: Browser,
): Promise<LogoutStep> {
  const request = await readLogoutRequest(context, parameters)
  const { client_id } = request.hint?.client ?? parameters
  if (request.fault !== undefined) {
    context.log.info({ client_id }, `A logout request leads nowhere: ${request.fault}.`)
  }
  const session = await findSession(context, browser)
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
  return { to: 'next', ...(await putBy(context, pending, browser)), signed_out: false }
}

/**
 * The page of a pending logout request: it asks as long as there is somebody to be asked, and else says how things are.
 * @throws StorageUnavailable
 */
export async function showLogout(
  context: Context,
  transaction: string,
  browser: Browser,
): Promise<LogoutStep> {
  const [open, session] = await Promise.all([
    findPending(context, 'logout', transaction, browser),
    findSession(context, browser),
  ])
  const parameters = open?.parameters ?? {}
  if (session === undefined) return leave(await readLogoutRequest(context, parameters), parameters)
  const { ui_locales } = parameters
  if (open === undefined || browser.id === undefined || open.pending.chosen === session.sid) {
    const render = (view: View) => loggedOutPage({ signed_in: true }, view)
    return { to: 'page', render, ui_locales, signed_out: false }
  }
  const account = (await accountOf(context, session)) ?? { name: session.username }
  const csrf = csrfToken(browser.id, transaction, session.sid)
  const props = { action: PATHS.end_session, transaction, csrf, account }
  return { to: 'page', render: (view) => logoutPage(props, view), ui_locales, signed_out: false }
}

/**
 * Takes what a person decided on the page. What is no answer to that very page changes nothing, and the page is shown
 * again.
 * @throws StorageUnavailable
 */
export async function takeDecision(
  context: Context,
  { transaction = '', csrf = '', decision }: Parameters,
  browser: Browser,
): Promise<LogoutStep> {
  const [open, session] = await Promise.all([
    findPending(context, 'logout', transaction, browser),
    findSession(context, browser),
  ])
  // It is over, or never was this browser's: whoever wants to sign out is asked anew.
  if (open === undefined && decision === 'logout') return { to: 'next', signed_out: false }
  const next: LogoutStep = { to: 'next', transaction, signed_out: false }
  if (open === undefined || session === undefined || !isAnswer(csrf, transaction, browser, session))
    return next
  if (decision === 'logout') {
    await signOut(context, browser)
    return { ...next, signed_out: true }
  }
  if (decision === 'stay') await changePending(context.storage, transaction, { chosen: session.sid })
  return next
}

function isAnswer(csrf: string, transaction: string, { id }: Browser, { sid }: Session): boolean {
  return id !== undefined && sameText(csrf, csrfToken(id, transaction, sid))
}

async function signOut(context: Context, browser: Browser): Promise<void> {
  const ended = browser.session === undefined ? undefined : await endSession(context, browser.session)
  if (ended !== undefined) context.log.info({ sub: ended.sub }, 'A user signed out.')
}

/** Where a browser goes that has no session. */
function leave({ return_to }: LogoutRequest, { ui_locales }: Parameters): LogoutStep {
  if (return_to !== undefined) return { to: 'client', location: return_to, signed_out: true }
  const render = (view: View) => loggedOutPage({ signed_in: false }, view)
  return { to: 'page', render, ui_locales, signed_out: true }
}
