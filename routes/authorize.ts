import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { type Answer, authorize } from '../src/authorize/authorize.ts'
import type { Parameters as AuthorizationParameters } from '../src/core/parameters.ts'
import { PATHS } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { redirectStatus, sendToClient } from './client-response.ts'
import { readQuery, repeatByGet } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

const AuthorizationRequest = Parameters({
  client_id: Parameter('Required: the client'),
  redirect_uri: Parameter('Required: one of the registered redirect URIs, exactly'),
  response_type: Parameter('Required: code'),
  scope: Parameter('Scope names separated by spaces; all that the client may obtain where it is left out'),
  state: Parameter('Returned as it is'),
  code_challenge: Parameter(
    'The S256 challenge of the PKCE verifier (RFC 7636); required unless the client is exempted',
  ),
  code_challenge_method: Parameter('S256'),
  response_mode: Parameter('query, which is the default, or form_post'),
  prompt: Parameter('none, or of login, consent, select_account, separated by spaces'),
  max_age: Parameter('How many seconds ago the user may have signed in'),
  id_token_hint: Parameter('An id_token of the user who is expected'),
  login_hint: Parameter('The username to begin with'),
  acr_values: Parameter('What the sign-in should be worth'),
  claims: Parameter('Claims that are asked for by name, as JSON (OpenID Connect Core §5.5)'),
  subject: Parameter('Demo mode only: the user who counts as signed in'),
  nonce: Parameter('OpenID Connect: repeated in the id_token as it is'),
  ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
})

const documentation = {
  tags: ['OAuth 2.0'],
  response: {
    200: Page('A page that posts the answer to the client (response_mode form_post)'),
    '3xx': {
      description: 'To the redirect_uri, with code or error, state and iss; or to the pages',
      type: 'null',
    },
    400: ErrorPage('client_id or redirect_uri are missing or wrong'),
    503: ErrorPage('Storage cannot answer'),
  },
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    parameters: AuthorizationParameters,
  ) => {
    reply.header('cache-control', 'no-store')
    switch (answer.to) {
      case 'client':
        return sendToClient(request, reply, answer.response, parameters.ui_locales)
      case 'person': {
        const { transaction, browser_id } = answer
        keepBrowser(reply, { id: browser_id })
        return reply.redirect(withQuery(PATHS.interaction, { transaction }), redirectStatus(request))
      }
      case 'again':
        return repeatByGet(reply, PATHS.authorize, parameters)
    }
  }

  fastify.get(
    PATHS.authorize,
    {
      schema: {
        operationId: 'authorize',
        summary: 'Authorization endpoint (RFC 6749 §3.1)',
        querystring: AuthorizationRequest,
        ...documentation,
      },
      config: { page: true },
      // A HEAD would make a code that nobody sees.
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query } = request
      return send(request, reply, await authorize(fastify.redmint, query, browserOf(request)), query)
    },
  )

  fastify.post(
    PATHS.authorize,
    {
      schema: {
        operationId: 'authorizeByForm',
        summary: 'Authorization endpoint, by form (OpenID Connect Core §3.1.2.1)',
        consumes: ['application/x-www-form-urlencoded'],
        body: AuthorizationRequest,
        ...documentation,
      },
      config: { page: true },
    },
    async (request, reply) => {
      const { body } = request
      return send(request, reply, await authorize(fastify.redmint, body, undefined), body)
    },
  )
}

export default route
