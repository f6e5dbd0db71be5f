import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OwnCookie, ownCookie } from '../plugins/own-cookie.ts'
import { contextOf } from '../plugins/request-context.ts'
import { withMail } from '../plugins/with-mail.ts'
import { LINK_PARAMETER, readLink } from '../src/core/link.ts'
import type { Parameters as Given } from '../src/core/parameters.ts'
import { pathAt } from '../src/core/paths.ts'
import { takeLink, visitLink } from '../src/self-service/link-door.ts'
import { LINK_PAGES, type LinkPage } from '../src/self-service/link-pages.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'
import { visitOf } from './visit.ts'

/** How long a browser keeps the text of a link, in seconds: until the form is sent. */
const KEPT = 3600

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('The form, or that it is done'),
    '3xx': {
      description: 'To the same page without the link in its address, or on with a request that waits',
      type: 'null',
    },
    400: ErrorPage('The link does not work any more, or the answer was refused'),
    503: UNAVAILABLE,
  },
} as const

const way = Parameter('By what the page asks for the second step: code or recovery')

const querystring = Parameters({ [LINK_PARAMETER]: Parameter('The text of the link'), way })

const body = Parameters({
  csrf: Parameter('Binds the form to the browser and the link'),
  username: Parameter('Of an invitation'),
  name: Parameter('Of an invitation: the name of the person'),
  password: Parameter('The new password'),
  code: Parameter('Of the second step, if the account has one'),
  recovery_code: Parameter('In its place'),
  way,
  credential: Parameter('What a passkey answered, or a new one'),
  passkey: Parameter('A passkey to remove, or all, after a new password or passkey'),
})

/** The operations of each page, and what they are for. */
const OPERATIONS: Readonly<Record<LinkPage['about'], { readonly [of in 'show' | 'take']: Operation }>> = {
  reset: {
    show: ['showReset', 'Where a link to a new password or passkey leads'],
    take: ['resetPassword', 'Choose a new password, or make a new passkey'],
  },
  welcome: {
    show: ['showAside', 'Where an invitation leads'],
    take: ['joinByInvitation', 'Make an account by an invitation'],
  },
  address: {
    show: ['showAddress', 'Where a link to confirm an address leads'],
    take: ['confirmAddress', 'Confirm an address'],
  },
  not_me: {
    show: ['showNotMe', 'Where "This was not me" leads'],
    take: ['disownChange', 'Undo a change that somebody else made'],
  },
}

type Operation = readonly [id: string, summary: string]

/**
 * The pages that links open. A link opens in any browser: its text moves to a cookie at once, so that no address, history
 * or log has it, and the form belongs to the browser that opened it. GET and HEAD change nothing, any number of times:
 * mail scanners open every link.
 */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { settings } = fastify.redmint
  for (const page of LINK_PAGES.filter(({ isOn }) => isOn(settings)))
    addLinkPage(fastify, page, ownCookie(settings, 'link', page.path))
}

function addLinkPage(fastify: FastifyInstance, page: LinkPage, cookie: OwnCookie): void {
  const { show, take } = OPERATIONS[page.about]
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    given: Given,
    door: typeof visitLink | typeof takeLink,
  ) => {
    const context = withMail(contextOf(request))
    const visit = { ...visitOf(request, reply, context, given), link: readLink(cookie.read(request)) }
    const { reply: answered, kept } = await door(context, page, visit)
    if (kept === 'none') reply.clearCookie(cookie.name, cookie.options)
    else if (kept !== undefined) keepLink(reply, cookie, kept.text)
    return sendReply(request, reply, answered)
  }

  fastify.get<{ Querystring: Given }>(
    page.path,
    { schema: { ...described(show), querystring }, config: { page: 'sign-in' }, preValidation: readQuery },
    async (request, reply) => {
      const given = request.query[LINK_PARAMETER]
      if (given === undefined) return answer(request, reply, request.query, visitLink)
      keepLink(reply, cookie, readLink(given)?.text ?? '')
      const action = pathAt(fastify.redmint.settings, page.path)
      return reply.header('cache-control', 'no-store').redirect(action, 303)
    },
  )

  fastify.post<{ Body: Given }>(
    page.path,
    { schema: { ...described(take), consumes: FORM, body }, config: { page: 'sign-in' } },
    async (request, reply) => answer(request, reply, request.body, takeLink),
  )
}

const FORM = ['application/x-www-form-urlencoded']

const described = ([operationId, summary]: Operation) => ({ operationId, summary, ...documentation })

const keepLink = (reply: FastifyReply, cookie: OwnCookie, text: string) =>
  reply.setCookie(cookie.name, text, { ...cookie.options, maxAge: KEPT })

export default route
