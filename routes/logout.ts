import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { demandOwnForm } from '../plugins/own-forms.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { type LogoutReply, logout, showLogout, takeDecision } from '../src/logout/logout.ts'
import { LOGOUT_PARAMETERS } from '../src/logout/logout-request.ts'
import { redirectStatus } from './client-response.ts'
import { readQuery } from './query.ts'
import { browserOfForm, REPEATED, repeatForm } from './repeated-form.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'

const logoutRequest = {
  id_token_hint: Parameter('An id_token of the session to end, expired or not'),
  client_id: Parameter('The client; with an id_token_hint, which it must be that of'),
  logout_hint: Parameter('Ignored: a browser has one session'),
  post_logout_redirect_uri: Parameter(
    'Where the browser goes afterwards: a registered address of the client',
  ),
  state: Parameter('Returned to the post_logout_redirect_uri unchanged'),
  ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
  transaction: Parameter('Of the pages: the pending logout request'),
}

const documentation = {
  tags: ['OpenID Connect'],
  response: {
    200: Page('A page with the question or the result, or one that sends a form of another site once more'),
    '3xx': { description: 'To the post_logout_redirect_uri with state, or to the pages', type: 'null' },
    400: ErrorPage('The parameters are malformed'),
    503: UNAVAILABLE,
  },
} as const

const QUERY = {
  schema: {
    operationId: 'logout',
    summary: 'Logout (OpenID Connect RP-Initiated Logout §2)',
    querystring: Parameters(logoutRequest),
    ...documentation,
  },
  config: { page: 'logout' },
  // A HEAD request would end a session, and nobody would receive the answer.
  exposeHeadRoute: false,
  preValidation: readQuery,
} as const

const FORM = {
  schema: {
    operationId: 'logoutByForm',
    summary: 'Logout by form, and the answer of the page that asks',
    consumes: ['application/x-www-form-urlencoded'],
    body: Parameters({
      ...logoutRequest,
      ...REPEATED,
      csrf: Parameter('Of the page: binds its form to the browser'),
      decision: Parameter('Of the page: logout or stay'),
    }),
    ...documentation,
  },
  config: { page: 'logout', from_others: true },
  bodyLimit: LONG_BODY_LIMIT,
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.get(PATHS.end_session, QUERY, async (request, reply) => {
    const { query } = request
    const context = contextOf(request)
    const browser = browserOf(request)
    const answer =
      query.transaction === undefined
        ? await logout(context, query, browser)
        : await showLogout(context, query.transaction, browser)
    return send(request, reply, answer)
  })

  fastify.post(PATHS.end_session, FORM, async (request, reply) => {
    const { body } = request
    // Only our page has one.
    if (body.transaction !== undefined) {
      demandOwnForm(request, fastify.redmint.settings.issuer)
      return send(request, reply, await takeDecision(contextOf(request), body, browserOf(request)))
    }
    const browser = browserOfForm(request, body)
    if (browser === undefined) return repeatForm(request, reply, pathOf(request), body, LOGOUT_PARAMETERS)
    return send(request, reply, await logout(contextOf(request), body, browser))
  })
}

const pathOf = ({ server }: FastifyRequest) => pathAt(server.redmint.settings, PATHS.end_session)

function send(request: FastifyRequest, reply: FastifyReply, answer: LogoutReply): FastifyReply {
  reply.header('cache-control', 'no-store')
  if (answer.cookies !== undefined) keepBrowser(reply, answer.cookies)
  switch (answer.to) {
    case 'client':
      return reply.redirect(answer.location, redirectStatus(request))
    case 'page': {
      const { kept, ui_locales } = answer
      const view = request.view(ui_locales)
      const shown = view.query === undefined && kept ? request.keptView(kept, ui_locales) : view
      return reply.type('text/html; charset=utf-8').send(answer.render(shown))
    }
    case 'next': {
      const { transaction } = answer
      const path = pathOf(request)
      const location = transaction === undefined ? path : withQuery(path, { transaction })
      return reply.redirect(location, redirectStatus(request))
    }
  }
}

export default route
