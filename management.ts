import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { writeAnswers } from './plugins/answers.ts'
import demoHosts from './plugins/demo-hosts.ts'
import { answerJsonError } from './plugins/errors.ts'
import headers from './plugins/headers.ts'
import { joinRoutes, type LoadedRoom } from './plugins/room.ts'
import tracing from './plugins/tracing.ts'
import health from './routes/health.ts'
import operations from './routes/operations.ts'

interface ManagementOptions {
  /** The instance of the service, when all its routes are known. */
  service: FastifyInstance
  rooms: readonly LoadedRoom[]
}

/** What only operators need of a service, and its health, on an instance of its own. */
const management: FastifyPluginAsync<ManagementOptions> = async (fastify, { service, rooms }) => {
  writeAnswers(fastify)
  fastify.decorate('redmint', service.redmint)
  fastify.setErrorHandler(answerJsonError)
  await fastify.register(tracing)
  await fastify.register(headers)
  await fastify.register(demoHosts)
  await fastify.register(health, { for_operators: true })
  await fastify.register(operations, { service })
  await joinRoutes(fastify, rooms, 'operators')
}

export default management
