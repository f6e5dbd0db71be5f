import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ifInstalled } from '../src/core/optional-package.ts'
import { Info, info } from '../src/service/health.ts'
import { preparedFrom, sendPrepared } from './prepared.ts'
import { ref } from './schemas.ts'

interface OperationsOptions {
  /** The instance of the service, which counts its requests and describes its routes. */
  service: Pick<FastifyInstance, 'redmint' | 'metrics' | 'describe'>
}

const tags = ['Operations']
const NO_PAGE =
  'For this page: npm install @fastify/swagger-ui. The description itself is at /openapi.json.\n'

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
    let loading: Promise<FastifyInstance | undefined> | undefined
    const answer = async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
      loading ??= docsPage(service)
      const page = await loading
      if (page === undefined) return reply.status(501).type('text/plain; charset=utf-8').send(NO_PAGE)
      const { statusCode, headers: answered, rawPayload } = await page.inject({ url, headers })
      // RFC 9110 §7.6.1: those of a connection are not of this one.
      const { connection, 'transfer-encoding': _, ...fields } = answered
      return reply.status(statusCode).headers(fields).send(rawPayload)
    }
    fastify.get('/docs', { schema: { hide: true } }, answer)
    fastify.get('/docs/*', { schema: { hide: true } }, answer)
  }
}

// On an instance of its own, at the first request for it: few ask, and it loads many modules.
async function docsPage(service: Pick<FastifyInstance, 'describe'>): Promise<FastifyInstance | undefined> {
  const ui = await ifInstalled(import('@fastify/swagger-ui'))
  if (ui === undefined) return undefined
  const [{ default: Fastify }, { default: swagger }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
  ])
  const page = Fastify()
  // The type of the option does not know OpenAPI 3.1.
  const document = (await service.describe()) as never
  await page.register(swagger, { mode: 'static', specification: { document } })
  await page.register(ui.default, { routePrefix: '/docs', staticCSP: true })
  return page
}

export default route
