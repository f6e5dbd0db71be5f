import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { answerJsonError } from './plugins/errors.ts'
import headers from './plugins/headers.ts'
import health from './routes/health.ts'
import operations from './routes/operations.ts'
import { Health, Info, Status } from './src/service/health.ts'

interface ManagementOptions {
  /** The instance of the service, when all its routes are known. */
  service: FastifyInstance
}

/** What only operators need of a service, and its health, on an instance of its own. */
const management: FastifyPluginAsync<ManagementOptions> = async (fastify, { service }) => {
  for (const answer of [Health, Info, Status]) fastify.addSchema(answer)
  fastify.decorate('redmint', service.redmint)
  fastify.setErrorHandler(answerJsonError)
  await fastify.register(headers)
  // For the page of the description. The type of the option does not know OpenAPI 3.1.
  const document = service.swagger() as never
  await fastify.register(swagger, { mode: 'static', specification: { document } })
  await fastify.register(health)
  await fastify.register(operations, { service })
}

export default management
