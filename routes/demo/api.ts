import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { methodNotAllowed, NOT_FOUND } from '../../src/core/error-body.ts'
import { API_PATH, PATHS } from '../../src/core/paths.ts'
import { DemoResource, demoResource } from '../../src/demo/demo-resource.ts'
import { ErrorBody, ref } from '../schemas.ts'

const ALLOWED = ['GET', 'HEAD']

/**
 * The protected demo API. Register it with the prefix `/api`, below the plugin of resource servers: the guard holds for
 * the whole scope.
 */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.addHook('onRequest', fastify.protect())

  const path = PATHS.demo_resource.slice(API_PATH.length)
  fastify.get(
    path,
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
  fastify.all('/', { schema: { hide: true } }, (_request, reply) => reply.status(404).send(NOT_FOUND))
  fastify.all('/*', { schema: { hide: true } }, ({ params }, reply) => {
    const { '*': rest } = params as { '*': string }
    if (`/${rest}` !== path) return reply.status(404).send(NOT_FOUND)
    return reply.status(405).header('allow', ALLOWED.join(', ')).send(methodNotAllowed(ALLOWED))
  })
  fastify.setNotFoundHandler(async (_request, reply) => reply.status(404).send(NOT_FOUND))
}

export default route
