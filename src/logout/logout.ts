import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Transaction } from '../core/ids.ts'
import { type Parameters, parametersFrom, pickParameters } from '../core/parameters.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import type { OnRefusal } from '../core/refusal.ts'
import { csrfOf, isAnswerTo } from '../interaction/answer-token.ts'
import type { WaitingRequest } from '../interaction/pending-record.ts'
import {
  isTooLong,
  openPending,
  type PendingContext,
  type PendingRequest,
  sealPending,
  startPending,
} from '../interaction/pending-request.ts'
import { accountOf } from '../interaction/shown-account.ts'
import { type BarContext, withBar } from '../interaction/waiting-bar.ts'
import { linkedClient } from '../pages/destination.ts'
import { type KeptPage, keptPage } from '../pages/kept.ts'
import type { View } from '../pages/layout.ts'
import { loggedOutPage, logoutPage } from '../pages/logout.ts'
import { type Browser, cookieDigest, identityAfterSignOut, type NewCookies } from '../sessions/browser.ts'
import { type EndTelling, endSession } from '../sessions/end-session.ts'
import { type Session, type SessionContext, sessionToEnd } from '../sessions/session.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import {
  clientOfSession,
  isAbout,
  LOGOUT_PARAMETERS,
  type LogoutRequest,
  type LogoutRequestContext,
  readLogoutRequest,
} from './logout-request.ts'

/** What is kept of a request that may return to a client, until the user has answered. */
const RETURN_PARAMETERS = ['client_id', 'post_logout_redirect_uri', 'state'] as const

/** The dependencies of the logout endpoint. */
export type LogoutContext = LogoutRequestContext &
  SessionContext &
  BarContext &
  PendingContext & { readonly clients: Pick<ClientRegistry, 'cached'>; readonly refused: OnRefusal }

/**
 * The response to the browser, with new values for its cookies. `next` redirects to the page of the `transaction`, or
 * without one to a new logout request. `kept`: the contents of the page, if its address may not show it again.
 */
export type LogoutReply = { readonly cookies?: NewCookies } & (
  | { to: 'client'; location: string }
  | { to: 'page'; render: (view: View) => string; ui_locales: string | undefined; kept?: KeptPage }
  | { to: 'next'; transaction?: Transaction }
)

/**
 * Answers a logout request (OpenID Connect RP-Initiated Logout §2). Ends the session at once if the hint names it;
 * otherwise the user is asked.
 * @throws StorageUnavailable
 */
export async function logout(
  context: LogoutContext,
  given: Parameters,
  browser: Browser,
): Promise<LogoutReply> {
  const parameters = pickParameters(given, LOGOUT_PARAMETERS)
  const request = await readLogoutRequest(context, parameters)
  // Anybody can name any client: the log has only those that are known.
  const { client_id } = request.client ?? context.clients.cached(parameters.client_id ?? '') ?? {}
  const session = await sessionToEnd(context, browser)
  const fault = request.fault ?? (session === undefined ? request.needs_session : undefined)
  if (fault !== undefined) {
    const { post_logout_redirect_uri } = parameters
    const received = { fault, ...(post_logout_redirect_uri && { post_logout_redirect_uri }) }
    const expected = request.client && { post_logout_redirect_uris: request.client.post_logout_redirect_uris }
    const says = `A logout request is invalid: ${fault}.`
    context.refused({ reason: 'logout_request_wrong', received, expected, client_id, says })
  }
  if (session === undefined) return leave(request, parameters, withoutSession(browser))
  if (isAbout(request, session, context.settings)) {
    const { cookies } = await signOut(context, browser, request.client)
    return leave(request, parameters, cookies)
  }
  const waiting = waitingLogout(request, parameters)
  if (!isTooLong(waiting)) return { to: 'next', ...startPending(context, waiting, browser) }
  // The user can sign out even if the client made a mistake.
  context.log.info({ client_id }, 'A logout request is too long: it will not return to the client.')
  return { to: 'next', ...startPending(context, { kind: 'logout', parameters: {} }, browser) }
}

/** What waits for the user: of a hint its client, and nothing of what is at fault. */
function waitingLogout({ client, is_proven, fault }: LogoutRequest, given: Parameters): WaitingRequest {
  const client_id = is_proven ? client?.client_id : given.client_id
  const names = fault === undefined ? RETURN_PARAMETERS : is_proven ? ['client_id'] : []
  const parameters = pickParameters(parametersFrom(given, { client_id }), [...names, 'ui_locales'])
  return { kind: 'logout', parameters, ...(is_proven && { is_proven }) }
}

/**
 * Shows the page of a pending logout request: the question while a user is signed in, otherwise the result.
 * @throws StorageUnavailable
 */
export async function showLogout(
  context: LogoutContext,
  transaction: Transaction,
  browser: Browser,
): Promise<LogoutReply> {
  const { request, session } = await openLogout(context, transaction, browser)
  const { parameters = {}, is_proven } = request?.pending ?? {}
  if (session === undefined) {
    const found = await readLogoutRequest(context, parameters, is_proven)
    return leave(found, parameters, withoutSession(browser))
  }
  const { ui_locales } = parameters
  if (request === undefined || request.pending.chosen === session.sid) {
    const render = await withBar(context, session, (view) => loggedOutPage({ signed_in: true }, view))
    return { to: 'page', render, ui_locales }
  }
  const account = (await accountOf(context, session)) ?? { name: session.username }
  const csrf = csrfOf({ session, ...request })
  const action = pathAt(context.settings, PATHS.end_session)
  const props = { action, transaction: request.transaction, csrf, account }
  const render = await withBar(context, session, (view) => logoutPage(props, view))
  return { to: 'page', render, ui_locales }
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
  if (request === undefined) return decision === 'logout' ? { to: 'next' } : { to: 'next', transaction }
  const { pending } = request
  const next: LogoutReply = { to: 'next', transaction: request.transaction }
  if (session === undefined || !isAnswerTo({ session, ...request }, { from: 'page', token: csrf }))
    return next
  if (decision === 'logout') {
    const { ended, cookies } = await signOut(context, browser)
    const proven = pending.is_proven ? {} : await proofOfSession(context, pending.parameters, ended)
    const renewed = { ...pending, ...proven, browser: cookieDigest(cookies.browser.id) }
    return { to: 'next', transaction: sealPending(context, renewed), cookies }
  }
  if (decision !== 'stay') return next
  return {
    to: 'next',
    transaction: sealPending(context, { ...pending, chosen: session.sid }),
  }
}

/** What a session that ended proves of the client to return to. */
async function proofOfSession(
  context: LogoutContext,
  parameters: Parameters,
  ended: SessionRecord | undefined,
): Promise<Partial<WaitingRequest>> {
  const client_id = ended && (await clientOfSession(context, parameters, ended.clients))
  if (client_id === undefined) return {}
  return { parameters: parametersFrom(parameters, { client_id }), is_proven: true }
}

interface OpenLogout {
  readonly request: (PendingRequest & { readonly browser_id: string }) | undefined
  readonly session: Session | undefined
}

async function openLogout(
  context: LogoutContext,
  transaction: Transaction,
  browser: Browser,
): Promise<OpenLogout> {
  const opened = openPending(context, ['logout'], transaction, browser)
  const session = await sessionToEnd(context, browser)
  if (opened === undefined || browser.identity === undefined) return { request: undefined, session }
  return { request: { browser_id: browser.identity.id, ...opened }, session }
}

/** @param client the client whose id_token ended the session; absent: the user chose it on the page */
async function signOut(context: LogoutContext, browser: Browser, client?: Client) {
  const by = client === undefined ? 'user' : 'client'
  const telling: EndTelling = {
    report: context.report,
    event: ({ username, sub, sid }) => ({
      event: 'signed_out',
      ...{ username, sub, by, sid },
      client_id: client?.client_id,
    }),
  }
  const ended =
    browser.session === undefined ? undefined : await endSession(context, browser.session, telling)
  return { ended, cookies: { browser: identityAfterSignOut(browser), session: undefined } }
}

/** Removes the cookie of a session that is over. */
function withoutSession({ session }: Browser): NewCookies {
  return session === undefined ? {} : { session: undefined }
}

/** Returns the response to a browser without a session. */
function leave(
  { return_to, client, is_proven }: LogoutRequest,
  { ui_locales }: Parameters,
  cookies: NewCookies,
): LogoutReply {
  if (return_to !== undefined) return { to: 'client', location: return_to, cookies }
  const linked = client && is_proven ? linkedClient(client) : undefined
  const kept: KeptPage = { page: 'logged_out', props: { signed_in: false, client: linked } }
  return { to: 'page', render: (view) => keptPage(kept, view), kept, ui_locales, cookies }
}
