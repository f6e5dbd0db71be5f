import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { PATHS } from '../src/core/paths.ts'
import { issueTokens } from '../src/grants/pipeline.ts'
import { TokenResponse } from '../src/tokens/token-response.ts'
import { ClientAssertion, ErrorBody, Parameter, Parameters, ref } from './schemas.ts'

const TokenRequest = Parameters({
  grant_type: Parameter(
    'authorization_code, client_credentials, refresh_token, or urn:ietf:params:oauth:grant-type:device_code or jwt-bearer',
  ),
  code: Parameter('authorization_code: the code'),
  redirect_uri: Parameter('authorization_code: the redirect_uri of the authorization request'),
  code_verifier: Parameter('authorization_code: the PKCE verifier (RFC 7636)'),
  device_code: Parameter('device_code: the device code'),
  client_id: Parameter('The client, without HTTP Basic'),
  client_secret: Parameter('The secret of a confidential client, without HTTP Basic'),
  refresh_token: Parameter('refresh_token: the refresh token'),
  resource: Parameter('The API that the access token is for (RFC 8707)'),
  assertion: Parameter('urn:ietf:params:oauth:grant-type:jwt-bearer: a JWT of a trusted issuer (RFC 7523)'),
  ...ClientAssertion,
  scope: Parameter('The requested scope; by default all that the client may obtain'),
})

const schema = {
  operationId: 'token',
  summary: 'Token endpoint (RFC 6749 §3.2)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: TokenRequest,
  response: {
    200: ref(TokenResponse),
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
    return issueTokens(fastify.redmint, request.body, callerOf(request, reply))
  })
}

export default route
