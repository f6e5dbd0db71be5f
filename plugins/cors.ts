import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** Browsers ask for these without a preflight, too. */
const ANYWHERE = ['GET', 'POST']
/**
 * Response headers that scripts can read only if this names them: the next nonce, the challenge, when to try again, the
 * id.
 */
const EXPOSED = 'DPoP-Nonce, WWW-Authenticate, Retry-After, X-Request-Id'
const PREFLIGHT_SECONDS = 3600

/**
 * Allows pages of any origin to call the routes of this scope (Fetch §3.2), which use no cookies. It adds OPTIONS
 * routes only for these paths; @fastify/cors would answer every OPTIONS request of a host application.
 */
export default fp(
  async (fastify) => {
    const methods_of = new Map<string, Set<string>>()
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', EXPOSED)
      done()
    })
    fastify.addHook('onRoute', ({ url, method }) => {
      if (method === 'OPTIONS') return
      const known = methods_of.get(url)
      const methods = known ?? new Set(ANYWHERE)
      for (const name of [method].flat()) methods.add(name)
      if (known !== undefined) return
      methods_of.set(url, methods)
      fastify.options(url, { schema: { hide: true } }, (request, reply) => preflight(methods, request, reply))
    })
  },
  { name: 'redmint-cors' },
)

async function preflight(
  methods: ReadonlySet<string>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return reply
    .headers({
      'access-control-allow-methods': [...methods].filter((name) => name !== 'HEAD').join(', '),
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': PREFLIGHT_SECONDS,
      vary: 'Access-Control-Request-Headers',
    })
    .status(204)
    .send()
}
