import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { PATHS } from '../src/core/paths.ts'
import { Introspection, introspect } from '../src/tokens/introspection.ts'
import { ClientAssertion, ErrorBody, Parameter, Parameters, ref } from './schemas.ts'

const schema = {
  operationId: 'introspect',
  summary: 'Introspection endpoint (RFC 7662)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }],
  body: Parameters({
    token: Parameter('Required: any token'),
    token_type_hint: Parameter('Ignored'),
    client_id: Parameter('The client, without HTTP Basic'),
    client_secret: Parameter('The secret of the client, without HTTP Basic'),
    ...ClientAssertion,
  }),
  response: {
    200: ref(Introspection),
    400: ErrorBody,
    401: ErrorBody,
    429: ErrorBody,
    503: ErrorBody,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(PATHS.introspect, { schema, onRequest: fastify.readBasicCredentials }, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return introspect(fastify.redmint, request.body, callerOf(request))
  })
}

export default route
