import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

const METHODS = 'GET, POST'
const PREFLIGHT_SECONDS = 3600

/**
 * Allows pages of any origin to call the routes of this scope (Fetch §3.2), which use no cookies. It adds OPTIONS
 * routes only for these paths; @fastify/cors would answer every OPTIONS request of a host application.
 */
export default fp(
  async (fastify) => {
    const paths = new Set<string>()
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', 'WWW-Authenticate')
      done()
    })
    fastify.addHook('onRoute', ({ url, method }) => {
      if (method === 'OPTIONS' || paths.has(url)) return
      paths.add(url)
      fastify.options(url, { schema: { hide: true } }, preflight)
    })
  },
  { name: 'redmint-cors' },
)

async function preflight(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': PREFLIGHT_SECONDS,
      vary: 'Access-Control-Request-Headers',
    })
    .status(204)
    .send()
}
