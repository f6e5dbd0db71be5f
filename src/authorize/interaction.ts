import type { Context } from '../context.ts'
import { signInExpired } from '../core/errors.ts'
import type { Parameters } from '../core/parameters.ts'
import { parseToken } from '../core/token-string.ts'
import { saveConsent } from '../interaction/consent.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { findPending, type PendingRequest } from '../interaction/pending-request.ts'
import { changePending, finishPending } from '../interaction/pending-store.ts'
import { accountOf } from '../interaction/shown-account.ts'
import { signIn } from '../interaction/sign-in.ts'
import type { Account } from '../pages/account.ts'
import type { View } from '../pages/layout.ts'
import { type Browser, csrfToken, sameText } from '../sessions/browser.ts'
import { endSession } from '../sessions/end-session.ts'
import { findSession, type Session, startSession } from '../sessions/session.ts'
import { issueCode } from './issue-code.ts'
import { pageFor } from './page.ts'
import { type ClientResponse, codeResponse, errorResponse } from './response.ts'
import { type Agreeing, type Ready, type Standing, standingOf } from './standing.ts'

/** What a person gets to see next, or that the client is answered; `cookie` is that of a new session. */
export type Step =
  | { to: 'client'; response: ClientResponse; ui_locales: string | undefined }
  | { to: 'page'; render: (view: View) => string; ui_locales: string | undefined }
  | { to: 'next'; transaction: string; cookie?: string }

/** A request that waits for its person, in front of the browser that it belongs to. */
interface Open extends PendingRequest {
  transaction: string
  browser: Browser
  session: Session | undefined
  csrf: string
}

/**
 * The step that is due for a pending authorization request.
 * @throws OAuthError to be shown to the person: `signInExpired` where it is over, or another browser's;
 * StorageUnavailable
 */
export async function showInteraction(
  context: Context,
  transaction: string | undefined,
  browser: Browser,
): Promise<Step> {
  const open = await openPending(context, transaction, browser)
  const standing = await standingNow(context, open)
  const { target, next } = standing
  switch (next.step) {
    case 'error':
      return finish(context, open, errorResponse(target, context.settings.issuer, next.error))
    case 'issue':
      return issue(context, open, standing, next.ready)
    default: {
      const account = await accountShown(context, open)
      // Whoever is signed in has no account any more.
      if (account === 'gone') return { to: 'next', transaction: open.transaction }
      const { scope_texts } = context.settings
      const shown = { ...open, target, next, scope_texts, now: context.now(), ...(account && { account }) }
      return { to: 'page', render: (view) => pageFor(shown, view), ui_locales: open.parameters.ui_locales }
    }
  }
}

/**
 * Takes what a person sent by the form of a page. What does not fit the step that is due changes nothing, and the step
 * is shown again.
 * @param form what was sent, with `transaction` and `csrf`
 * @param address where from
 * @throws OAuthError to be shown to the person, as showInteraction; StorageUnavailable
 */
export async function takeAnswer(
  context: Context,
  form: Parameters,
  browser: Browser,
  address: string,
): Promise<Step> {
  const open = await openPending(context, form.transaction, browser)
  const again: Step = { to: 'next', transaction: open.transaction }
  // It answers a page that was made for somebody else, or for nobody: by another site, or before somebody signed in.
  if (!sameText(form.csrf ?? '', open.csrf)) return again
  const standing = await standingNow(context, open)
  const { next } = standing
  if (next.step === 'login') return takeCredentials(context, open, form, address)
  if (form.decision === 'other_account') return note(context, open, { other_account: 'true', signed_in: '' })
  if (next.step === 'select_account' && open.session && form.account === open.session.sid) {
    return note(context, open, { chosen: open.session.sid })
  }
  if (next.step !== 'consent') return again
  if (form.decision === 'allow') return consent(context, open, next.ready)
  return form.decision === 'deny' ? note(context, open, { refused: next.ready.session.sid }) : again
}

async function openPending(
  context: Context,
  transaction: string | undefined,
  browser: Browser,
): Promise<Open> {
  const [request, session] = await Promise.all([
    findPending(context, 'authorization', transaction ?? '', browser),
    findSession(context, browser),
  ])
  if (transaction === undefined || browser.id === undefined || request === undefined) throw signInExpired()
  return { ...request, transaction, browser, session, csrf: csrfToken(browser.id, transaction, session?.sid) }
}

function standingNow(context: Context, { parameters, session, pending }: Open): Promise<Standing> {
  return standingOf(context, parameters, async () => session, pending)
}

async function takeCredentials(
  context: Context,
  open: Open,
  form: Parameters,
  address: string,
): Promise<Step> {
  const { transaction, browser } = open
  const result = await signIn(context, form, { address, browser_id: browser.id ?? '' })
  if (result.outcome !== 'ok') {
    const until = result.outcome === 'throttled' ? context.now() + result.retry_after * 1000 : undefined
    const problem = until === undefined ? 'failed' : String(until)
    return note(context, open, { problem, username: form.username?.slice(0, MAX_USERNAME) ?? '' })
  }
  const { username, sub } = result.user
  const { cookie, sid } = await startSession(context, browser, { ...result, username, sub })
  context.log.info({ sub, client_id: open.pending.client_id }, 'A user signed in.')
  // Where it is over by now the next page says so, to somebody who is signed in.
  await changePending(context.storage, transaction, { signed_in: sid, problem: '', username: '' })
  return { to: 'next', transaction, cookie }
}

// The answer to the client is left to the page that comes next: as an answer to a form it could not be gone back to.
async function consent(
  context: Context,
  open: Open,
  { request, session, consented }: Agreeing,
): Promise<Step> {
  const consent = { sub: session.sub, client_id: request.client.client_id, scope: consented }
  await saveConsent(context, consent, context.settings.consent_ttl)
  return note(context, open, { agreed: session.sid })
}

async function issue(context: Context, open: Open, { target }: Standing, ready: Ready): Promise<Step> {
  const { storage, settings } = context
  const { transaction } = open
  const grant = parseToken(transaction)?.grant ?? ''
  const code = await issueCode(context, ready, grant, (code, record) =>
    finishPending(storage, transaction, { code, record, ttl: settings.code_ttl }),
  )
  // The next page says what has become of it.
  if (code === undefined) return { to: 'next', transaction }
  return toClient(open, codeResponse(target, settings.issuer, code))
}

async function finish(context: Context, open: Open, response: ClientResponse): Promise<Step> {
  const { transaction } = open
  const finished = await finishPending(context.storage, transaction)
  return finished === 'ok' ? toClient(open, response) : { to: 'next', transaction }
}

const toClient = ({ parameters: { ui_locales } }: Open, response: ClientResponse): Step => ({
  to: 'client',
  response,
  ui_locales,
})

async function note(context: Context, { transaction }: Open, set: Partial<PendingRecord>): Promise<Step> {
  if ((await changePending(context.storage, transaction, set)) === 'missing') {
    throw signInExpired()
  }
  return { to: 'next', transaction }
}

/** Who is signed in, for a page; `gone` where the account is, and then its session is ended. */
async function accountShown(
  context: Context,
  { session, browser }: Open,
): Promise<Account | 'gone' | undefined> {
  if (session === undefined || browser.session === undefined) return undefined
  const account = await accountOf(context, session)
  if (account !== undefined) return account
  await endSession(context, browser.session)
  return 'gone'
}

const MAX_USERNAME = 255
