import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { contextOf } from '../plugins/request-context.ts'
import { type MailingContext, withMail } from '../plugins/with-mail.ts'
import { hasMail } from '../src/config/mail-settings.ts'
import type { Context } from '../src/context.ts'
import type { Transaction } from '../src/core/ids.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { present } from '../src/core/present.ts'
import { shownAccount } from '../src/interaction/shown-account.ts'
import { choosePasskeyPage } from '../src/pages/choose-passkey.ts'
import { type ChoiceProblem, choosePasswordPage } from '../src/pages/choose-password.ts'
import type { PageForm } from '../src/pages/form.ts'
import type { View } from '../src/pages/layout.ts'
import type { LinkAccount, LinkAccountProps } from '../src/pages/link-account.ts'
import { type LinkEndProps, linkEndPage, linkQuestionPage } from '../src/pages/link-question.ts'
import type { ShownPasskey } from '../src/pages/passkey-list.ts'
import { reviewPasskeysPage } from '../src/pages/review-passkeys.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import { showAddress, takeAddress } from '../src/self-service/change-address.ts'
import { showJoin, takeJoin } from '../src/self-service/join.ts'
import { type Answer, LINK_PARAMETER, type Link, readLink } from '../src/self-service/link.ts'
import type { LinkBrowser, LinkPasskey } from '../src/self-service/link-passkey.ts'
import { showNotMe, takeNotMe } from '../src/self-service/not-me.ts'
import { showReset, takeReset } from '../src/self-service/reset-password.ts'
import { cookieDigest, csrfToken, newBrowserIdentity, sameText } from '../src/sessions/browser.ts'
import { browserName } from '../src/sessions/browser-name.ts'
import type { Asker } from '../src/users/fair-queue.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

/** What a page shows: the form, which passkeys are still one's own, that it is done, or that its link is over. */
interface Shown extends Pick<LinkEndProps, 'is_loss' | 'is_suspended'> {
  readonly page: 'choose' | 'review' | 'done' | 'over'
  readonly account?: LinkAccount
  /** What the next form belongs to, in place of the link that was opened. */
  readonly link?: Link
  readonly passkeys?: readonly ShownPasskey[]
  /** Milliseconds since 1970. */
  readonly now?: number
  readonly username?: string
  readonly second_step?: boolean
  /** Absent: there are no passwords. */
  readonly min_length?: number
  readonly passkey?: LinkPasskey
  readonly problem?: ChoiceProblem
  /** The request that waits for the account, sealed. */
  readonly request?: Transaction
}

type About = LinkEndProps['about']

/** A page that a link opens. Only `take` changes anything. */
interface LinkPage<C> {
  readonly about: About
  readonly path: string
  readonly names: { readonly show: string; readonly take: string }
  readonly summaries: { readonly show: string; readonly take: string }
  show(context: Context, link: Link | undefined, browser: LinkBrowser): Promise<Shown>
  take(context: C, link: Link | undefined, answer: Answer, asker: Asker, browser: LinkBrowser): Promise<Shown>
  /** The page with the form. */
  form(form: PageForm & LinkAccountProps, shown: Shown, view: View): string
}

const choiceForm =
  (about: 'reset' | 'welcome') =>
  (
    form: PageForm & LinkAccountProps,
    { second_step = false, min_length, problem, username, passkey }: Shown,
    view: View,
  ) => {
    const more = present({ problem, username, passkey })
    if (min_length === undefined && passkey !== undefined)
      return choosePasskeyPage({ ...form, about, second_step, ...more, passkey }, view)
    return choosePasswordPage({ ...form, about, second_step, min_length: min_length ?? 0, ...more }, view)
  }

const LINK_PAGES: readonly LinkPage<Context>[] = [
  {
    about: 'reset',
    path: PATHS.reset_password,
    names: { show: 'showReset', take: 'resetPassword' },
    summaries: {
      show: 'Where a link to a new password or passkey leads',
      take: 'Choose a new password, or make a new passkey',
    },
    show: showReset,
    take: takeReset,
    form: choiceForm('reset'),
  },
  {
    about: 'welcome',
    path: PATHS.welcome,
    names: { show: 'showInvitation', take: 'joinByInvitation' },
    summaries: { show: 'Where an invitation leads', take: 'Make an account by an invitation' },
    show: showJoin,
    take: takeJoin,
    form: choiceForm('welcome'),
  },
]

/** Those that only mail leads to. */
const MAILED_PAGES: readonly LinkPage<MailingContext>[] = [
  {
    about: 'address',
    path: PATHS.confirm_address,
    names: { show: 'showAddress', take: 'confirmAddress' },
    summaries: { show: 'Where a link to confirm an address leads', take: 'Confirm an address' },
    show: showAddress,
    take: takeAddress,
    form: (form, _shown, view) => linkQuestionPage({ ...form, about: 'address' }, view),
  },
  {
    about: 'not_me',
    path: PATHS.not_me,
    names: { show: 'showNotMe', take: 'disownChange' },
    summaries: { show: 'Where "This was not me" leads', take: 'Undo a change that somebody else made' },
    show: showNotMe,
    take: takeNotMe,
    form: (form, _shown, view) => linkQuestionPage({ ...form, about: 'not_me' }, view),
  },
]

/** How long a browser keeps the text of a link, in seconds: until the form is sent. */
const KEPT = 3600

/**
 * The pages that links open. A link opens in any browser: its text moves to a cookie at once, so that no address, history
 * or log has it, and the form belongs to the browser that opened it. GET and HEAD change nothing, any number of times:
 * mail scanners open every link.
 */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { settings } = fastify.redmint
  const register = <C>(linkPage: LinkPage<C>, contextFor: (context: Context) => C) => {
    const { about, path, names, summaries, show, take } = linkPage
    const cookie = ownCookie(settings, 'link', path)
    const action = pathAt(settings, path)

    const send = async (
      request: FastifyRequest,
      reply: FastifyReply,
      opened: { readonly link: Link; readonly browser_id: string } | undefined,
      shown: Shown,
    ) => {
      const {
        page,
        account = {},
        link,
        passkeys = [],
        now = 0,
        is_loss = false,
        is_suspended = false,
      } = shown
      const whom = page === 'choose' || page === 'review' ? await whomOf(request, account) : { account }
      if (page === 'choose' && opened !== undefined) {
        const csrf = csrfOf(opened.browser_id, about, opened.link)
        const { destination } = (await waitingFor(request, reply, shown)) ?? {}
        const script_source = shown.passkey ? `${SEND_ONCE_SOURCE} 'self'` : SEND_ONCE_SOURCE
        return reply
          .status(shown.problem === undefined ? 200 : 400)
          .header('content-security-policy', fastify.theme.policyWith({ script_source }))
          .send(linkPage.form({ action, csrf, ...whom, destination }, shown, request.view()))
      }
      if (page === 'review' && opened !== undefined && link !== undefined) {
        reply.setCookie(cookie.name, link.text, { ...cookie.options, maxAge: KEPT })
        const csrf = csrfOf(opened.browser_id, about, link)
        return reply.send(reviewPasskeysPage({ action, csrf, passkeys, now, ...whom }, request.view()))
      }
      if (opened !== undefined) reply.clearCookie(cookie.name, cookie.options)
      const is_over = page !== 'done'
      const context = contextOf(request)
      if (is_over) context.refused({ reason: 'link_over', received: { link: about } })
      const refused = is_over ? { request_id: request.id, at: context.now() } : undefined
      const end = linkEndPage({ about, is_over, is_loss, is_suspended, refused }, request.view())
      return reply.status(is_over ? 400 : 200).send(end)
    }
    const asPage = (reply: FastifyReply) =>
      reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
    const documentation = {
      tags: ['Pages'],
      response: {
        200: Page('The form, or that it is done'),
        '3xx': {
          description: 'To the same page without the link in its address, or on with a request that waits',
          type: 'null',
        },
        400: ErrorPage('The link does not work any more, or the answer was refused'),
        503: ErrorPage('Storage cannot answer'),
      },
    } as const

    fastify.get(
      path,
      {
        schema: {
          operationId: names.show,
          summary: summaries.show,
          querystring: Parameters({ [LINK_PARAMETER]: Parameter('The text of the link') }),
          ...documentation,
        },
        config: { page: 'sign-in' },
        preValidation: readQuery,
      },
      async (request, reply) => {
        const given = request.query[LINK_PARAMETER]
        if (given !== undefined) {
          reply.setCookie(cookie.name, readLink(given)?.text ?? '', { ...cookie.options, maxAge: KEPT })
          return reply.header('cache-control', 'no-store').redirect(action, 303)
        }
        const link = readLink(cookie.read(request))
        const browser_id = link === undefined ? '' : identify(request, reply)
        const shown = await show(contextOf(request), link, browserFor(request, browser_id))
        return send(request, asPage(reply), link && { link, browser_id }, shown)
      },
    )

    fastify.post(
      path,
      {
        schema: {
          operationId: names.take,
          summary: summaries.take,
          consumes: ['application/x-www-form-urlencoded'],
          body: Parameters({
            csrf: Parameter('Binds the form to the browser and the link'),
            username: Parameter('Of an invitation'),
            password: Parameter('The new password'),
            code: Parameter('Of the second step, if the account has one'),
            recovery_code: Parameter('In its place'),
            credential: Parameter('What a passkey answered, or a new one'),
            passkey: Parameter('A passkey to remove, or all, after a new password or passkey'),
          }),
          ...documentation,
        },
        config: { page: 'sign-in' },
      },
      async (request, reply) => {
        const { body } = request
        const link = readLink(cookie.read(request))
        const browser_id = browserOf(request).identity?.id
        const is_of_browser =
          link !== undefined &&
          browser_id !== undefined &&
          sameText(body.csrf ?? '', csrfOf(browser_id, about, link))
        if (!is_of_browser) return send(request, asPage(reply), undefined, { page: 'over' })
        const asker = { address: callerOf(request, reply).address(), user: link.tag }
        const browser = browserFor(request, browser_id)
        const shown = await take(contextFor(contextOf(request)), link, body, asker, browser)
        const { page, username = '' } = shown
        const waiting = page === 'done' ? await waitingFor(request, reply, shown) : undefined
        if (waiting !== undefined) {
          reply.clearCookie(cookie.name, cookie.options)
          // A passkey was made in place of the password.
          const password = body.credential ? '' : (body.password ?? '')
          return sendReply(request, reply, await waiting.goOn({ username, password }), {})
        }
        return send(request, asPage(reply), { link, browser_id }, shown)
      },
    )
  }
  for (const linkPage of LINK_PAGES) register(linkPage, (context) => context)
  if (hasMail(settings)) {
    for (const linkPage of MAILED_PAGES) register(linkPage, (context) => withMail(context))
  }
}

const browserFor = ({ headers }: FastifyRequest, browser_id: string): LinkBrowser => ({
  digest: cookieDigest(browser_id),
  name: browserName(headers['user-agent']),
})

/** Finds the request that waits for the account of a link: nothing of it loads where none can wait. */
async function waitingFor(request: FastifyRequest, reply: FastifyReply, { request: transaction }: Shown) {
  if (transaction === undefined) return undefined
  const { waitingHere } = await import('./waiting-sign-up.ts')
  return waitingHere(request, reply, transaction)
}

/** Returns the account that a page is about, and whoever else is signed in in the browser. */
async function whomOf(request: FastifyRequest, account: LinkAccount): Promise<LinkAccountProps> {
  const shown = await shownAccount(contextOf(request), browserOf(request))
  const is_other = shown !== undefined && (shown.detail ?? shown.name) !== account.username
  return { account, ...(is_other && { signed_in: shown }) }
}

/** Returns the id of the browser, which gets one if it has none. */
function identify(request: FastifyRequest, reply: FastifyReply): string {
  const known = browserOf(request).identity
  if (known !== undefined) return known.id
  const browser = newBrowserIdentity()
  keepBrowser(reply, { browser })
  return browser.id
}

/** What the form of a link sends as `csrf`: it is of one browser, page and link. */
function csrfOf(browser_id: string, about: About, { digest }: Link): string {
  return csrfToken(browser_id, `${about} ${digest}`)
}

export default route
