import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { PATHS } from '../src/core/paths.ts'
import { issueTokens } from '../src/grants/pipeline.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const TokenRequest = Parameters({
  grant_type: Parameter('authorization_code, client_credentials or refresh_token'),
  code: Parameter('authorization_code: the code'),
  redirect_uri: Parameter('authorization_code: the redirect_uri of the authorization request'),
  code_verifier: Parameter('authorization_code: the PKCE verifier (RFC 7636)'),
  client_id: Parameter('Without HTTP Basic: who asks'),
  client_secret: Parameter('Without HTTP Basic: the secret of a confidential client'),
  refresh_token: Parameter('refresh_token: the refresh token'),
  scope: Parameter('What is asked for; all that can be had where it is left out'),
})

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Lifetime in seconds' }),
  refresh_token: Type.Optional(Type.String()),
  refresh_token_expires_in: Type.Optional(
    Type.Integer({ description: 'Seconds until the refresh token ends if it is not used' }),
  ),
  id_token: Type.Optional(Type.String()),
  scope: Type.String({ description: 'What was granted, separated by spaces' }),
})

const schema = {
  summary: 'Token endpoint (RFC 6749 §3.2)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: TokenRequest,
  response: {
    200: TokenResponse,
    400: ErrorBody,
    401: ErrorBody,
    413: ErrorBody,
    429: ErrorBody,
    503: ErrorBody,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(PATHS.token, { schema, onRequest: fastify.readBasicCredentials }, (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    return issueTokens(fastify.redmint, request.body, request.caller)
  })
}

export default route
