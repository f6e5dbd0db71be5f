import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Info, info } from '../src/service/health.ts'
import { preparedFrom, sendPrepared } from './prepared.ts'
import { ref } from './schemas.ts'

interface OperationsOptions {
  /** The instance of the service, which counts its requests and describes its routes. */
  service: Pick<FastifyInstance, 'redmint' | 'metrics' | 'describe'>
}

const tags = ['Operations']

const METRICS = {
  schema: {
    operationId: 'metrics',
    summary: "Metrics in Prometheus' text format",
    tags,
    response: {
      200: { description: 'All metrics', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
  },
} as const

/** What operators read of a service: its version, its metrics, the description of its API and, for a demo, a page of it. */
const route: FastifyPluginAsyncTypebox<OperationsOptions> = async (fastify, { service }) => {
  fastify.get(
    '/actuator/info',
    { schema: { operationId: 'info', summary: 'What runs here', tags, response: { 200: ref(Info) } } },
    async () => info(),
  )

  fastify.get('/actuator/prometheus', METRICS, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await service.metrics()),
  )

  await fastify.register(async (described) => {
    await described.register(etag)
    const description = preparedFrom((description: object) => description)
    described.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
      sendPrepared(reply, description(await service.describe())),
    )
  })

  if (service.redmint.settings.demo) {
    let page: Promise<FastifyInstance> | undefined
    const answer = async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
      page ??= docsPage(service)
      const { statusCode, headers: answered, rawPayload } = await (await page).inject({ url, headers })
      // RFC 9110 §7.6.1: those of a connection are not of this one.
      const { connection, 'transfer-encoding': _, ...fields } = answered
      return reply.status(statusCode).headers(fields).send(rawPayload)
    }
    fastify.get('/docs', { schema: { hide: true } }, answer)
    fastify.get('/docs/*', { schema: { hide: true } }, answer)
  }
}

// On an instance of its own, at the first request for it: few ask, and it loads many modules.
async function docsPage(service: Pick<FastifyInstance, 'describe'>): Promise<FastifyInstance> {
  const [{ default: Fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const page = Fastify()
  // The type of the option does not know OpenAPI 3.1.
  const document = (await service.describe()) as never
  await page.register(swagger, { mode: 'static', specification: { document } })
  await page.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  return page
}

export default route
