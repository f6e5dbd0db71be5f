// The one door to the pages of the account: what a page and an action demand is in their rows, and is asked for here.
import type { Parameters } from '../core/parameters.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import { readConfirmed } from '../factors/confirmation.ts'
import type { InteractionReply } from '../interaction/interaction.ts'
import { type PendingContext, startPending } from '../interaction/pending-request.ts'
import { type BarContext, withBar } from '../interaction/waiting-bar.ts'
import type { FileReply } from '../pages/file-reply.ts'
import { LANGUAGE_CHOICE } from '../pages/languages.ts'
import type { View } from '../pages/layout.ts'
import type { PageNeeds } from '../pages/theme.ts'
import { cookieDigest, csrfToken, identityAfterSignOut, sameText } from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import { findSession } from '../sessions/session.ts'
import { PAGES } from './account-pages.ts'
import type { AccountAction, ActionContext, ActionOutcome, PageActor, PagePath } from './action.ts'
import { signedOutPage } from './pages/ends.ts'
import type { Visit } from './visit.ts'

/** What the pages of the account work with. */
export type DoorContext = ActionContext & PendingContext & BarContext

/** The forms of the account page are for this, and not for a pending request. */
const FORMS = 'account'

/**
 * Answers a request for a page of the account. Nobody sees one without a session, and one whose forms need a confirmation
 * without that: the browser goes to the sign-in, and comes back.
 * @throws StorageUnavailable
 */
export async function visitPage(
  context: DoorContext,
  path: PagePath,
  visit: Visit,
): Promise<InteractionReply | FileReply> {
  const { confirmed, after = path, show } = PAGES[path]
  const actor = await actorOf(context, visit)
  if (actor === undefined || (confirmed && (await readConfirmed(context, actor, confirmed)) === undefined))
    return toSignIn(context, visit, after, confirmed !== false)
  const shown = await show(context, actor, visit.given)
  if (typeof shown !== 'function') return shown
  // The first page shows what waits.
  return pageAt(path, path === '' ? shown : await withBar(context, actor.user, shown))
}

/**
 * Answers a form of the account page. One of another site, or of a tab from before a sign-in, does nothing, and nor does one
 * without the confirmation that it needs.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeAction(
  context: DoorContext,
  action: AccountAction,
  visit: Visit,
): Promise<InteractionReply> {
  const { given } = visit
  return asActor(context, action.page, visit, async (actor) => {
    if (!sameText(given.csrf ?? '', actor.csrf)) return { done: 'stale' }
    if (!action.confirmed) return action.run(context, actor, given)
    const account = await readConfirmed(context, actor, action.confirmed)
    if (account === undefined) return 'unconfirmed'
    return action.run(context, { ...actor, account }, given)
  })
}

/**
 * Answers a browser that a provider sent back to link an account there: what the provider was asked for is evidence,
 * which is used up in place of a form.
 * @throws StorageUnavailable
 */
export async function takeProviderAnswer(
  context: DoorContext,
  provider: string,
  visit: Visit,
): Promise<InteractionReply> {
  const { takeProviderLink } = await import('./provider-actions.ts')
  return asActor(context, '/providers', visit, (actor) =>
    takeProviderLink(context, actor, provider, visit.given),
  )
}

/** Lets the user of a session do something at a page, and answers what comes of it. */
async function asActor(
  context: DoorContext,
  path: PagePath,
  visit: Visit,
  run: (actor: PageActor) => Promise<ActionOutcome | 'unconfirmed'>,
): Promise<InteractionReply> {
  const base = pathAt(context.settings, PATHS.account)
  const actor = await actorOf(context, visit)
  if (actor === undefined) return { ...pageOf((view) => signedOutPage(base, view)), status: 400 }
  const outcome = await run(actor)
  if (outcome === 'unconfirmed') return toSignIn(context, visit, path, true)
  if ('leave' in outcome) return { to: 'site', location: outcome.leave }
  if ('done' in outcome) {
    const { done, language } = outcome
    // The page of this address keeps the language in the browser.
    const address = base + (language === undefined ? '' : `?${LANGUAGE_CHOICE}=${language}`)
    return { to: 'site', location: withQuery(address, { done }) }
  }
  if (!outcome.ends_session) return pageAt(path, await withBar(context, actor.user, outcome.render))
  const page = pageOf(outcome.render)
  return { ...page, cookies: { browser: identityAfterSignOut(visit.browser), session: undefined } }
}

/** Returns who is at the account page; undefined: nobody is signed in. @throws StorageUnavailable */
async function actorOf(
  context: DoorContext,
  { browser, address, user_agent, languageFor }: Visit,
): Promise<PageActor | undefined> {
  const session = await findSession(context, browser, undefined)
  const user = session && (await context.accounts.findUser(session))
  if (session === undefined || user === undefined || browser.identity === undefined) return undefined
  const { id } = browser.identity
  return {
    user,
    session,
    asker: { address, user: user.username, is_known: true },
    language: languageFor(),
    browser: { digest: cookieDigest(id), name: browserName(user_agent) },
    base: pathAt(context.settings, PATHS.account),
    csrf: csrfToken(id, FORMS, session.sid),
  }
}

function toSignIn(context: DoorContext, { browser }: Visit, page: PagePath, confirm: boolean) {
  const parameters: Parameters = { page, ...(confirm && { confirm: 'true' }) }
  return { to: 'next', ...startPending(context, { kind: 'account', parameters }, browser) } as const
}

const pageOf = (render: (view: View) => string, needs: PageNeeds = {}) =>
  ({ to: 'page', render, needs, ui_locales: undefined }) as const

const pageAt = (path: PagePath, render: (view: View) => string) => pageOf(render, PAGES[path].needs)
