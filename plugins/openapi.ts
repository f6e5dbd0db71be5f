import type { FastifyInstance, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { type IssuerPlace, ROOT_PATHS, strippedPath } from '../src/core/paths.ts'
import { VERSION } from '../src/core/version.ts'
import { ANSWERS, writeAnswers } from './answers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the OpenAPI description of the service, when all its routes are known; always the same object. */
    describe(): Promise<object>
  }
}

const PREFIX = 'redmint:'
/** The paths that a proxy passes on unchanged. */
const ROOTS = [
  ROOT_PATHS.oauth_metadata,
  ROOT_PATHS.webfinger,
  ROOT_PATHS.ssf_configuration,
  '/.well-known/oauth-protected-resource',
]

/** Writes the answers of all later routes by their schemas, and describes these routes. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    writeAnswers(fastify)
    const routes: RouteOptions[] = []
    fastify.addHook('onRoute', (route) => void routes.push(route))
    let description: Promise<object> | undefined
    fastify.decorate('describe', () => (description ??= describe(routes, settings)))
  },
  { name: 'redmint-openapi', dependencies: ['redmint-context'] },
)

// On an instance of its own, at the first request for it: few ask, and it loads many modules.
async function describe(routes: readonly RouteOptions[], place: IssuerPlace): Promise<object> {
  const [{ default: Fastify }, { default: swagger }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
  ])
  const described: FastifyInstance = Fastify({ exposeHeadRoutes: false })
  // Nothing is compiled for routes that are never called.
  described.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
  for (const answer of ANSWERS) described.addSchema(answer)
  await described.register(swagger, {
    refResolver: { buildLocalReference: ({ $id }) => String($id).slice(PREFIX.length) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'redmint',
        version: VERSION,
        description: 'OAuth 2.0 / OpenID Connect authorization server and protected demo API',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: new URL(place.issuer).origin }],
      // Operations without a requirement of their own are open.
      security: [],
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
  const stripped = strippedPath(place)
  const known = new Set<unknown>()
  for (const { method, url: path, schema } of routes) {
    if (method === 'HEAD' || schema === undefined || schema.hide === true) continue
    // What is at two paths is described once.
    if (known.has(schema.operationId)) continue
    known.add(schema.operationId)
    const url = ROOTS.some((root) => path.startsWith(root)) ? path : stripped + path
    described.route({ method, url, schema, handler: () => undefined })
  }
  await described.ready()
  return described.swagger()
}
