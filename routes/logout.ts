import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { PATHS } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { type LogoutStep, logout, showLogout, takeDecision } from '../src/logout/logout.ts'
import { redirectStatus } from './client-response.ts'
import { readQuery, repeatByGet } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

const logoutRequest = {
  id_token_hint: Parameter('An id_token of the session that is to end; an expired one as well'),
  client_id: Parameter('The client, which must be that of the id_token_hint'),
  logout_hint: Parameter('Ignored: a browser has one session'),
  post_logout_redirect_uri: Parameter(
    'Where the browser goes afterwards: one that the client registered; needs an id_token_hint',
  ),
  state: Parameter('Returned to the post_logout_redirect_uri as it is'),
  ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
  transaction: Parameter('Of the pages: the pending logout request'),
}

const documentation = {
  tags: ['OpenID Connect'],
  response: {
    200: Page('A page that asks, or says that it is done'),
    '3xx': { description: 'To the post_logout_redirect_uri with state, or to the pages', type: 'null' },
    400: ErrorPage('The parameters cannot be read'),
    503: ErrorPage('Storage cannot answer'),
  },
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const send = (request: FastifyRequest, reply: FastifyReply, step: LogoutStep) => {
    reply.header('cache-control', 'no-store')
    if (step.signed_out && browserOf(request).session !== undefined)
      keepBrowser(reply, { session: undefined })
    switch (step.to) {
      case 'client':
        return reply.redirect(step.location, redirectStatus(request))
      case 'page':
        return reply.type('text/html; charset=utf-8').send(step.render(request.view(step.ui_locales)))
      case 'next': {
        const { transaction, browser_id } = step
        if (browser_id !== undefined) keepBrowser(reply, { id: browser_id })
        const location =
          transaction === undefined ? PATHS.end_session : withQuery(PATHS.end_session, { transaction })
        return reply.redirect(location, redirectStatus(request))
      }
    }
  }

  fastify.get(
    PATHS.end_session,
    {
      schema: {
        operationId: 'logout',
        summary: 'Logout (OpenID Connect RP-Initiated Logout §2)',
        querystring: Parameters(logoutRequest),
        ...documentation,
      },
      config: { page: true },
      // A HEAD would end a session, and nobody would be told.
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query } = request
      const browser = browserOf(request)
      const step =
        query.transaction === undefined
          ? await logout(fastify.redmint, query, browser)
          : await showLogout(fastify.redmint, query.transaction, browser)
      return send(request, reply, step)
    },
  )

  fastify.post(
    PATHS.end_session,
    {
      schema: {
        operationId: 'logoutByForm',
        summary: 'Logout by form, and the answer of the page that asks',
        consumes: ['application/x-www-form-urlencoded'],
        body: Parameters({
          ...logoutRequest,
          csrf: Parameter('Of the page: binds its form to the browser'),
          decision: Parameter('Of the page: logout or stay'),
        }),
        ...documentation,
      },
      config: { page: true },
    },
    async (request, reply) => {
      const { body } = request
      if (body.transaction !== undefined) {
        return send(request, reply, await takeDecision(fastify.redmint, body, browserOf(request)))
      }
      return repeatByGet(reply, PATHS.end_session, body)
    },
  )
}

export default route
