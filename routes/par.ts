import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PushedRequest, pushRequest } from '../src/authorize/push-request.ts'
import { PATHS } from '../src/core/paths.ts'
import { AUTHORIZATION_PARAMETERS } from './authorize.ts'
import { ClientAssertion, ErrorBody, Parameter, Parameters, ref } from './schemas.ts'

const schema = {
  operationId: 'pushAuthorizationRequest',
  summary: 'Pushed authorization request endpoint (RFC 9126 §2)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: Parameters({
    ...AUTHORIZATION_PARAMETERS,
    client_id: Parameter('The client, without HTTP Basic'),
    client_secret: Parameter('The secret of a confidential client, without HTTP Basic'),
    ...ClientAssertion,
    request_uri: Parameter('Refused (RFC 9126 §2.1)'),
  }),
  response: {
    201: ref(PushedRequest),
    400: ErrorBody,
    401: ErrorBody,
    413: ErrorBody,
    429: ErrorBody,
    503: ErrorBody,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, bodyLimit: LONG_BODY_LIMIT, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.par, options, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    const pushed = await pushRequest(contextOf(request), request.body, callerOf(request, reply))
    return reply.code(201).send(pushed)
  })
}

export default route
