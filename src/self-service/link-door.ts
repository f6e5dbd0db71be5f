// The one door to the pages that links open.

import type { Link } from '../core/link.ts'
import { parametersFrom } from '../core/parameters.ts'
import { pathAt } from '../core/paths.ts'
import { present } from '../core/present.ts'
import type { AwaitedRequest } from '../interaction/awaited-request.ts'
import {
  type InteractionContext,
  type InteractionReply,
  openInteraction,
  type PageReply,
} from '../interaction/interaction.ts'
import { sealPending, startPending } from '../interaction/pending-request.ts'
import { shownAccount } from '../interaction/shown-account.ts'
import type { LinkAccountProps } from '../pages/link-account.ts'
import { linkEndPage } from '../pages/link-question.ts'
import { reviewPasskeysPage } from '../pages/review-passkeys.ts'
import { readWay } from '../pages/second-step.ts'
import { SEND_ONCE_SOURCE } from '../pages/send-once.ts'
import {
  cookieDigest,
  csrfToken,
  newBrowserIdentity,
  sameText,
  sessionIdOf,
  sessionSecretOf,
} from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import type { LinkPage, LinkPageContext, LinkPageShown } from './link-pages.ts'
import type { LinkBrowser } from './link-passkey.ts'
import type { Visit } from './visit.ts'

/** What the pages of links work with. */
type LinkDoorContext = LinkPageContext & InteractionContext

/** A request for a page of a link. */
interface LinkVisit extends Visit {
  /** The link that the browser keeps; undefined: none. */
  readonly link: Link | undefined
}

/** What the browser gets, and which link it keeps from now on; absent: the one that it has. */
interface LinkReply<Reply = InteractionReply> {
  readonly reply: Reply
  readonly kept?: Link | 'none'
}

/** A link in the browser that opened it, whose id its form is bound to. */
interface Opened {
  readonly link: Link
  readonly browser_id: string
}

/** Answers a request for the page of a link, any number of times. @throws StorageUnavailable */
export async function visitLink(
  context: LinkDoorContext,
  page: LinkPage,
  visit: LinkVisit,
): Promise<LinkReply> {
  const { link, browser } = visit
  if (link === undefined) return { reply: endOf(context, page, { page: 'over' }) }
  const identity = browser.identity ?? newBrowserIdentity()
  const opened = { link, browser_id: identity.id }
  const shown = await page.show(context, link, browserOf(visit, identity.id))
  const answered = await answerOf(context, page, visit, opened, shown)
  if (browser.identity !== undefined) return answered
  return { ...answered, reply: { ...answered.reply, cookies: { browser: identity } } }
}

/**
 * Answers the form of a page, which must be of this browser, page and link.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeLink(
  context: LinkDoorContext,
  page: LinkPage,
  visit: LinkVisit,
): Promise<LinkReply> {
  const { link, given, address } = visit
  const { id: browser_id } = visit.browser.identity ?? {}
  const opened = link && browser_id && { link, browser_id }
  if (!opened || !sameText(given.csrf ?? '', csrfOf(page, opened)))
    return { reply: endOf(context, page, { page: 'over' }) }
  const asker = { address, user: opened.link.tag }
  const shown = await page.take(context, opened.link, given, asker, browserOf(visit, opened.browser_id))
  const onward = shown.page === 'done' ? await goOn(context, page, visit, shown) : undefined
  return onward === undefined
    ? answerOf(context, page, visit, opened, shown)
    : { reply: onward, kept: 'none' }
}

/**
 * Signs in who came by a link, and goes on: with the request that waits, else to the page that says what was done. Where
 * nobody can be signed in like this, the request that waits asks.
 * @returns undefined: nobody is signed in, and nothing waits
 * @throws StorageUnavailable
 */
async function goOn(
  context: LinkDoorContext,
  { about }: LinkPage,
  visit: LinkVisit,
  shown: LinkPageShown,
): Promise<InteractionReply | undefined> {
  const { arrival, client } = shown
  if (arrival === undefined) return undefined
  const { username } = arrival
  const { flows, browser } = visit
  const { signInByLink } = await import('../interaction/sign-in-by-link.ts')
  const waiting = await waitingFor(context, visit, shown)
  if (waiting !== undefined) {
    const taken = await signInByLink(context, flows, waiting, arrival, visit)
    return taken ?? { to: 'next', transaction: sealPending(context, { ...waiting.after, username }) }
  }
  const parameters = parametersFrom({ about, username, ...present({ client }) })
  const { transaction } = startPending(context, { kind: 'link', parameters }, browser)
  const interaction = await openInteraction(context, Object.keys(flows), transaction, browser)
  return signInByLink(context, flows, { interaction, after: interaction.pending }, arrival, visit)
}

/** Answers with what a page shows. @throws StorageUnavailable */
async function answerOf(
  context: LinkDoorContext,
  page: LinkPage,
  visit: LinkVisit,
  opened: Opened,
  shown: LinkPageShown,
): Promise<LinkReply<PageReply>> {
  if (shown.page === 'done' || shown.page === 'over')
    return { reply: endOf(context, page, shown), kept: 'none' }
  const { link, passkeys = [], now = 0, passkey, problem } = shown
  const action = pathAt(context.settings, page.path)
  const whom = await whomOf(context, visit, shown)
  if (shown.page === 'review' && link !== undefined) {
    const review = { action, csrf: csrfOf(page, { ...opened, link }), passkeys, now, ...whom }
    const render: PageReply['render'] = (view) => reviewPasskeysPage(review, view)
    return { reply: { to: 'page', render, needs: {}, ui_locales: undefined }, kept: link }
  }
  const { destination } = (await waitingFor(context, visit, shown)) ?? {}
  const way = readWay(visit.given.way)
  const form = { action, csrf: csrfOf(page, opened), ...whom, destination, way }
  const reply: PageReply = {
    to: 'page',
    render: (view) => page.form(form, shown, view),
    needs: { script_source: passkey ? `${SEND_ONCE_SOURCE} 'self'` : SEND_ONCE_SOURCE },
    ui_locales: undefined,
    ...(problem && { status: 400 }),
  }
  return { reply }
}

/** The page that says that it was done, or that the link is over: that is a refusal. */
function endOf(
  { refused, request_id, now }: LinkDoorContext,
  { about }: LinkPage,
  { page, is_loss = false, is_suspended = false }: LinkPageShown,
): PageReply {
  const is_over = page === 'over'
  if (is_over) refused({ reason: 'link_over', received: { link: about } })
  const note = is_over ? { request_id, at: now() } : undefined
  const end = { about, is_over, is_loss, is_suspended, refused: note }
  return {
    to: 'page',
    render: (view) => linkEndPage(end, view),
    needs: {},
    ui_locales: undefined,
    ...(is_over && { status: 400 }),
  }
}

/**
 * Finds the request that waits for the account of a link: nothing of it loads where none can wait.
 * @throws StorageUnavailable
 */
async function waitingFor(
  context: LinkDoorContext,
  { flows, browser }: Visit,
  { request }: LinkPageShown,
): Promise<AwaitedRequest | undefined> {
  if (request === undefined) return undefined
  const { findAwaited } = await import('../interaction/awaited-request.ts')
  return findAwaited(context, flows, request, browser)
}

/** Returns the account that a page is about, and whoever else is signed in in the browser. */
async function whomOf(
  context: LinkDoorContext,
  { browser }: Visit,
  { account = {} }: LinkPageShown,
): Promise<LinkAccountProps> {
  const shown = await shownAccount(context, browser)
  const is_other = shown !== undefined && (shown.detail ?? shown.name) !== account.username
  return { account, ...(is_other && { signed_in: shown }) }
}

const browserOf = ({ user_agent, browser: { session } }: Visit, browser_id: string): LinkBrowser => ({
  digest: cookieDigest(browser_id),
  name: browserName(user_agent),
  ...(session !== undefined && { session: { id: sessionIdOf(session), secret: sessionSecretOf(session) } }),
})

/** What the form of a link sends as `csrf`: it is of one browser, page and link. */
const csrfOf = ({ about }: LinkPage, { browser_id, link }: Opened): string =>
  csrfToken(browser_id, `${about} ${link.digest}`)
