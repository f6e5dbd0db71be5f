import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NOT_FOUND } from '../src/core/error-body.ts'
import { API_PATH, PATHS } from '../src/core/paths.ts'
import { DemoResource, demoResource } from '../src/service/demo-resource.ts'
import { ErrorBody, ref } from './schemas.ts'

/**
 * The protected demo API. Register it with the prefix `/api`, below the plugin of resource servers: the guard holds for
 * the whole scope.
 */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.addHook('onRequest', fastify.protect())

  fastify.get(
    PATHS.demo_resource.slice(API_PATH.length),
    {
      config: { bearer: true },
      schema: {
        operationId: 'demoResource',
        summary: 'Protected demo resource',
        tags: ['Demo API'],
        security: [{ bearer: [] }],
        response: {
          200: ref(DemoResource),
          401: ErrorBody,
          503: ErrorBody,
        },
      },
    },
    (request) => demoResource(request.subject),
  )

  // Unknown paths are routed too, so that the guard answers first and does not reveal which paths exist.
  for (const path of ['/', '/*']) {
    fastify.all(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.status(404).send(NOT_FOUND),
    )
  }
  fastify.setNotFoundHandler(async (_request, reply) => reply.status(404).send(NOT_FOUND))
}

export default route
