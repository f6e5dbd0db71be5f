import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorBody } from './schemas.ts'

const NotFound = { error: 'not_found', error_description: 'Nothing is at this path.' }

/** The protected demo API. To be registered with the prefix `/api`: the guard belongs to the whole scope. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.addHook('onRequest', fastify.requireToken)

  fastify.get(
    '/resource',
    {
      config: { bearer: true },
      schema: {
        summary: 'Protected demo resource',
        tags: ['Demo API'],
        security: [{ bearer: [] }],
        response: {
          200: Type.Object({ message: Type.String(), subject: Type.String() }),
          401: ErrorBody,
          503: ErrorBody,
        },
      },
    },
    async (request) => ({ message: 'This is a protected resource.', subject: request.subject }),
  )

  // Unknown paths are routed too, so that they meet the guard before anybody learns what exists.
  for (const path of ['/', '/*']) {
    fastify.all(path, { schema: { hide: true } }, async (_request, reply) => reply.status(404).send(NotFound))
  }
  fastify.setNotFoundHandler(async (_request, reply) => reply.status(404).send(NotFound))
}

export default route
