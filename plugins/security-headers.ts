import helmet from '@fastify/helmet'
import fp from 'fastify-plugin'

/** Headers for pages: no framing, no sniffing, and no resource but the pages' own style. */
export default fp(
  async (fastify) => {
    const { policy } = fastify.theme
    fastify.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', policy)
    })
    await fastify.register(helmet, {
      // Set above, once for all pages; helmet would build it for each answer.
      contentSecurityPolicy: false,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // It would disconnect a sign-in popup from the page that opened it.
      crossOriginOpenerPolicy: false,
      strictTransportSecurity: fastify.redmint.settings.issuer.startsWith('https:') && {
        includeSubDomains: false,
      },
    })
  },
  { name: 'redmint-security-headers', dependencies: ['redmint-context', 'redmint-pages'] },
)
