import helmet from '@fastify/helmet'
import fp from 'fastify-plugin'

/** Headers for pages: nothing may be framed, sniffed or loaded, but the pages' own style. */
export default fp(
  async (fastify) => {
    const { policy } = fastify.theme
    fastify.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', policy)
    })
    await fastify.register(helmet, {
      // One text for every page, above; helmet would put it together for each answer.
      contentSecurityPolicy: false,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // It would cut a sign-in popup off from the page that opened it.
      crossOriginOpenerPolicy: false,
      strictTransportSecurity: fastify.redmint.settings.issuer.startsWith('https:') && {
        includeSubDomains: false,
      },
    })
  },
  { name: 'redmint-security-headers', dependencies: ['redmint-context', 'redmint-pages'] },
)
