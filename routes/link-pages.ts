import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { contextOf } from '../plugins/request-context.ts'
import { showJoin, takeJoin } from '../src/account/join.ts'
import { LINK_PARAMETER, type Link, readLink } from '../src/account/link.ts'
import { showReset, takeReset } from '../src/account/reset-password.ts'
import type { Asker } from '../src/accounts/fair-queue.ts'
import type { Context } from '../src/context.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import {
  type ChoiceOf,
  type ChoiceProblem,
  choosePasswordPage,
  chosenPage,
} from '../src/pages/choose-password.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import { csrfToken, newBrowserIdentity, sameText } from '../src/sessions/browser.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

/** What a page shows: the form, that it is done, or that its link is over. */
interface Shown {
  readonly page: 'choose' | 'done' | 'over'
  readonly username?: string
  readonly second_step?: boolean
  readonly min_length?: number
  readonly problem?: ChoiceProblem
}

type Answer = Readonly<Record<string, string | undefined>>

/** A page that a link opens. Only `take` changes anything. */
interface LinkPage {
  readonly about: ChoiceOf
  readonly path: string
  readonly names: { readonly show: string; readonly take: string }
  show(context: Context, link: Link | undefined): Promise<Shown>
  take(context: Context, link: Link | undefined, answer: Answer, asker: Asker): Promise<Shown>
}

const LINK_PAGES: readonly LinkPage[] = [
  {
    about: 'reset',
    path: PATHS.reset_password,
    names: { show: 'showReset', take: 'resetPassword' },
    show: showReset,
    take: takeReset,
  },
  {
    about: 'welcome',
    path: PATHS.welcome,
    names: { show: 'showInvitation', take: 'joinByInvitation' },
    show: showJoin,
    take: takeJoin,
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
  for (const { about, path, names, show, take } of LINK_PAGES) {
    const { settings } = fastify.redmint
    const cookie = ownCookie(settings, 'link', path)
    const action = pathAt(settings, path)

    const send = (request: FastifyRequest, reply: FastifyReply, link: Link | undefined, shown: Shown) => {
      const { page, problem, username, second_step = false, min_length = 0 } = shown
      if (page === 'choose' && link !== undefined) {
        const csrf = csrfOf(identify(request, reply), about, link)
        const more = { ...(problem && { problem }), ...(username !== undefined && { username }) }
        const props = { about, action, csrf, second_step, min_length, ...more }
        return reply
          .status(problem === undefined ? 200 : 400)
          .header('content-security-policy', fastify.theme.policyWith({ script_source: SEND_ONCE_SOURCE }))
          .send(choosePasswordPage(props, request.view()))
      }
      if (link !== undefined) reply.clearCookie(cookie.name, cookie.options)
      const is_over = page !== 'done'
      return reply.status(is_over ? 400 : 200).send(chosenPage({ about, is_over }, request.view()))
    }
    const asPage = (reply: FastifyReply) =>
      reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
    const documentation = {
      tags: ['Pages'],
      response: {
        200: Page('The form, or that it is done'),
        '3xx': { description: 'To the same page without the link in its address', type: 'null' },
        400: ErrorPage('The link does not work any more, or the answer was refused'),
        503: ErrorPage('Storage cannot answer'),
      },
    } as const

    fastify.get(
      path,
      {
        schema: {
          operationId: names.show,
          summary: about === 'reset' ? 'Where a link to a new password leads' : 'Where an invitation leads',
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
        return send(request, asPage(reply), link, await show(contextOf(request), link))
      },
    )

    fastify.post(
      path,
      {
        schema: {
          operationId: names.take,
          summary: about === 'reset' ? 'Choose a new password' : 'Make an account by an invitation',
          consumes: ['application/x-www-form-urlencoded'],
          body: Parameters({
            csrf: Parameter('Binds the form to the browser and the link'),
            username: Parameter('Of an invitation'),
            password: Parameter('The new password'),
            code: Parameter('Of the second step, if the account has one'),
            recovery_code: Parameter('In its place'),
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
        const address = callerOf(request, reply).address()
        const shown = await take(contextOf(request), link, body, { address, user: link.tag })
        return send(request, asPage(reply), link, shown)
      },
    )
  }
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
function csrfOf(browser_id: string, about: ChoiceOf, { digest }: Link): string {
  return csrfToken(browser_id, `${about} ${digest}`)
}

export default route
