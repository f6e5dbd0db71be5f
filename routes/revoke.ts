import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { revoke } from '../src/tokens/revocation.ts'
import { CLIENT_PARAMETERS, Parameter, Parameters, REFUSALS } from './schemas.ts'

const schema = {
  operationId: 'revoke',
  summary: 'Revocation endpoint (RFC 7009)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: Parameters({
    token: Parameter('Required: an access or refresh token of this client'),
    token_type_hint: Parameter('Ignored'),
    ...CLIENT_PARAMETERS,
  }),
  response: {
    200: { description: 'The token is not valid any more', type: 'null' },
    ...REFUSALS,
  },
} as const

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(PATHS.revoke, { schema, onRequest: fastify.readBasicCredentials }, async (request, reply) => {
    await revoke(contextOf(request), request.body, callerOf(request, reply))
    return reply.header('cache-control', 'no-store').status(200).send()
  })
}

export default route
