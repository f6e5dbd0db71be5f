import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '../src/authorize/authorize.ts'
import { PATHS } from '../src/discovery.ts'
import { type Parameters as AuthorizationParameters, readParameters } from '../src/parameters.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const AuthorizationRequest = Parameters({
  client_id: Parameter('Required: the client'),
  redirect_uri: Parameter('Required: one of the registered redirect URIs, exactly'),
  response_type: Parameter('Required: code'),
  scope: Parameter('Scope names separated by spaces; all that the client may obtain where it is left out'),
  state: Parameter('Returned as it is'),
  code_challenge: Parameter('Required: the S256 challenge of the PKCE verifier (RFC 7636)'),
  code_challenge_method: Parameter('Required: S256'),
  subject: Parameter('Demo mode only: the user who counts as signed in'),
  nonce: Parameter('OpenID Connect: repeated in the id_token as it is'),
  ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
})

const documentation = {
  tags: ['OAuth 2.0'],
  response: {
    '3xx': { description: 'To the redirect_uri, with code or error, state and iss', type: 'null' },
    400: {
      description: 'A page, or JSON where asked for: client or redirect_uri are in doubt',
      ...ErrorBody,
    },
    503: ErrorBody,
  },
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const answer = async (parameters: AuthorizationParameters, reply: FastifyReply, status: number) => {
    const location = await authorize(fastify.redmint, parameters)
    return reply.header('cache-control', 'no-store').redirect(location, status)
  }

  fastify.get(
    PATHS.authorize,
    {
      schema: {
        summary: 'Authorization endpoint (RFC 6749 §3.1)',
        querystring: AuthorizationRequest,
        ...documentation,
      },
      config: { page: true },
      // A HEAD would make a code that nobody sees.
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    (request, reply) => answer(request.query, reply, 302),
  )

  fastify.post(
    PATHS.authorize,
    {
      schema: {
        summary: 'Authorization endpoint, by form (OpenID Connect Core §3.1.2.1)',
        consumes: ['application/x-www-form-urlencoded'],
        body: AuthorizationRequest,
        ...documentation,
      },
      config: { page: true },
    },
    // 303: the browser must not send the form on to the client (RFC 9700 §4.12).
    (request, reply) => answer(request.body, reply, 303),
  )
}

// The query string is read by the same strict reader as a form body.
async function readQuery(request: FastifyRequest): Promise<void> {
  const { url } = request
  const question = url.indexOf('?')
  request.query = readParameters(question === -1 ? '' : url.slice(question + 1))
}

export default route
