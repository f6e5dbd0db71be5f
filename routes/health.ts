import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { VERSION } from '../src/core/version.ts'
import { isReady } from '../src/service/readiness.ts'

const UP = { status: 'UP' } as const
const DOWN = { status: 'DOWN' } as const
const tags = ['Operations']
const Status = Type.Object({ status: Type.String() })

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  // Liveness asks nobody: a restart of this process would mend nothing elsewhere.
  for (const path of ['/health', '/actuator/health/liveness']) {
    fastify.get(
      path,
      { schema: { summary: 'The process lives', tags, response: { 200: Status } } },
      async () => UP,
    )
  }

  fastify.get(
    '/actuator/health/readiness',
    { schema: { summary: 'Requests can be served', tags, response: { 200: Status, 503: Status } } },
    async (_request, reply) => ((await isReady(fastify.redmint)) ? UP : reply.status(503).send(DOWN)),
  )

  fastify.get(
    '/actuator/info',
    {
      schema: {
        summary: 'What runs here',
        tags,
        response: { 200: Type.Object({ app: Type.Object({ name: Type.String(), version: Type.String() }) }) },
      },
    },
    async () => ({ app: { name: 'redmint', version: VERSION } }),
  )

  fastify.get(
    '/actuator/prometheus',
    { schema: { summary: "Metrics in Prometheus' text format", tags, produces: ['text/plain'] } },
    async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await fastify.metrics()),
  )
}

export default route
