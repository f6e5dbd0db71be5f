import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import { VERSION } from '../src/core/version.ts'

/** Describes the routes that are registered after it, from their schemas, at /openapi.json. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    await fastify.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'redmint',
          version: VERSION,
          description: 'OAuth 2.0 / OpenID Connect authorization server and protected demo API',
        },
        servers: [{ url: settings.issuer }],
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', description: 'An access token (RFC 6750)' },
            client_secret_basic: {
              type: 'http',
              scheme: 'basic',
              description: 'client_id and client_secret, form-encoded (RFC 6749 §2.3.1)',
            },
          },
        },
      },
    })
    fastify.get('/openapi.json', { schema: { hide: true } }, async () => fastify.swagger())
    if (settings.demo) {
      const { default: swaggerUi } = await import('@fastify/swagger-ui')
      await fastify.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
    }
  },
  { name: 'redmint-openapi', dependencies: ['redmint-context'] },
)
