import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { PATHS } from '../src/core/paths.ts'
import { introspect } from '../src/tokens/introspection.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const schema = {
  summary: 'Introspection endpoint (RFC 7662)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }],
  body: Parameters({
    token: Parameter('Required: any token'),
    token_type_hint: Parameter('Not needed, and not looked at'),
    client_id: Parameter('Without HTTP Basic: who asks'),
    client_secret: Parameter('Without HTTP Basic: the secret of the client'),
  }),
  response: {
    200: Type.Object({
      active: Type.Boolean(),
      scope: Type.Optional(Type.String()),
      client_id: Type.Optional(Type.String()),
      sub: Type.Optional(Type.String({ description: "The user; absent for a client's own token" })),
      token_type: Type.Optional(Type.Literal('Bearer')),
      exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
      iss: Type.Optional(Type.String()),
    }),
    400: ErrorBody,
    401: ErrorBody,
    429: ErrorBody,
    503: ErrorBody,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(
    PATHS.introspect,
    { schema, onRequest: fastify.readBasicCredentials },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return introspect(fastify.redmint, request.body, request.caller)
    },
  )
}

export default route
