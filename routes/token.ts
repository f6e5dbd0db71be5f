import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { HANDLERS, isTold, TokenResponse } from '../src/grants/handlers.ts'
import { issueTokens } from '../src/grants/pipeline.ts'
import { CLIENT_PARAMETERS, Parameter, Parameters, REFUSALS, ref } from './schemas.ts'

const OF_GRANTS = HANDLERS.flatMap(({ grant_type, parameters }) =>
  Object.entries(parameters).map(([name, is]) => [name, Parameter(`${grant_type}: ${is}`)] as const),
)

const TokenRequest = Parameters({
  grant_type: Parameter(HANDLERS.map(({ grant_type }) => grant_type).join(', ')),
  ...Object.fromEntries(OF_GRANTS),
  ...CLIENT_PARAMETERS,
  resource: Parameter('The API that the access token is for (RFC 8707)'),
  authorization_details: Parameter('What the token is to allow of what was granted (RFC 9396 §6)'),
  scope: Parameter('The requested scope; by default all that the client may obtain'),
})

const schema = {
  operationId: 'token',
  summary: 'Token endpoint (RFC 6749 §3.2)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: TokenRequest,
  response: { 200: ref(TokenResponse), ...REFUSALS },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, bodyLimit: LONG_BODY_LIMIT, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.token, options, (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    // A context of the request costs what most grants need not pay.
    const context = isTold(request.body.grant_type) ? contextOf(request) : fastify.redmint
    return issueTokens(context, request.body, callerOf(request, reply))
  })
}

export default route
