import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { writeAnswers } from './plugins/answers.ts'
import demoHosts from './plugins/demo-hosts.ts'
import { answerJsonError } from './plugins/errors.ts'
import headers from './plugins/headers.ts'
import tracing, { type TracingOptions } from './plugins/tracing.ts'
import health from './routes/health.ts'
import operations from './routes/operations.ts'

interface ManagementOptions extends TracingOptions {
  /** The instance of the service, when all its routes are known. */
  service: FastifyInstance
}

/** What only operators need of a service, and its health, on an instance of its own. */
const management: FastifyPluginAsync<ManagementOptions> = async (fastify, { service, telemetry }) => {
  writeAnswers(fastify)
  fastify.decorate('redmint', service.redmint)
  fastify.setErrorHandler(answerJsonError)
  await fastify.register(tracing, { telemetry })
  await fastify.register(headers)
  await fastify.register(demoHosts)
  await fastify.register(health)
  await fastify.register(operations, { service })
  if (service.redmint.settings.admin_api === 'on') await fastify.register(import('./routes/admin.ts'))
  if (service.redmint.settings.console === 'on') await fastify.register(import('./routes/console.ts'))
}

export default management
