import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { endByProvider } from '../src/providers/provider-logout.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const schema = {
  operationId: 'providerLogout',
  summary: 'A provider says that somebody signed out there (OpenID Connect Back-Channel Logout)',
  tags: ['OpenID Connect'],
  consumes: ['application/x-www-form-urlencoded'],
  params: Type.Object({ provider: Type.String() }),
  body: Parameters({ logout_token: Parameter('A JWT of the provider') }),
  response: {
    200: { description: 'The sessions of that person are ended', type: 'null' },
    400: ErrorBody,
    503: ErrorBody,
  },
} as const

/** Where providers tell of people who signed out there. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(PATHS.provider_logout, { schema }, async (request, reply) => {
    const { params, body } = request
    await endByProvider(contextOf(request), params.provider, body.logout_token ?? '')
    // Back-Channel Logout §2.8.
    return reply.header('cache-control', 'no-store').status(200).send()
  })
}

export default route
