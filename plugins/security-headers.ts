import helmet from '@fastify/helmet'
import fp from 'fastify-plugin'
import { STYLE_SOURCE } from '../src/pages/layout.ts'

/** Headers for pages: nothing may be framed, sniffed or loaded, but the pages' own style. */
export default fp(
  async (fastify) => {
    await fastify.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: [STYLE_SOURCE],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // It would cut a sign-in popup off from the page that opened it.
      crossOriginOpenerPolicy: false,
      strictTransportSecurity: fastify.redmint.settings.issuer.startsWith('https:') && {
        includeSubDomains: false,
      },
    })
  },
  { name: 'redmint-security-headers', dependencies: ['redmint-context'] },
)
