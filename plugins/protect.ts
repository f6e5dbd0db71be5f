import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { checkNeeds, type Needs } from '../src/resource-server/check-access.ts'
import { ResourceMetadata } from '../src/resource-server/resource-metadata.ts'
import type { Answer, ResourceServer } from '../src/resource-server/resource-server.ts'
import { decorateRequests, guardBy, type Hook, type Refuse } from './bearer-hook.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns a hook that requires an access token: 401 without a valid one, 403 without all `scopes`, and 401 for a
     * sign-in that is not one of `acr_values` or older than `max_age` seconds.
     * @throws TypeError if the needs have a name or a form that is not known
     */
    protect(needs?: Needs): Hook
  }
}

export interface ProtectOptions {
  /** The guard of the API. */
  readonly server: ResourceServer
  /** The schema of the metadata, where a description names it. */
  readonly schema?: object
  /** Answers a request that was refused, instead of this plugin. */
  readonly refuse?: Refuse
}

/** Guards the routes of an API, and serves the metadata of the resource (RFC 9728 §3). */
export default fp<ProtectOptions>(
  async (fastify, { server, schema = ResourceMetadata, refuse = refuseBy(server) }) => {
    const route = routeOf(server.metadata_path)
    decorateRequests(fastify)
    fastify.decorate('protect', (needs: Needs = {}) => {
      // When the route is registered, and not with its first request.
      checkNeeds(needs)
      return guardBy(async (request, reply) => {
        request.accessToken = await server.verify(request.raw, needs)
        reply.headers(request.accessToken.response_headers)
      }, refuse)
    })
    fastify.get(
      route,
      {
        schema: {
          operationId: 'protectedResourceMetadata',
          summary: 'Metadata of the protected resource (RFC 9728 §3)',
          tags: ['Discovery'],
          response: { 200: schema },
        },
      },
      (_request, reply) => send(reply, server.document),
    )
    fastify.options(route, { schema: { hide: true } }, (_request, reply) => send(reply, server.document))
  },
  { name: 'redmint-protect', fastify: '5.x' },
)

/**
 * Returns the route of exactly this path. The router compares decoded paths, and `:` starts a parameter.
 * @throws TypeError if the router cannot tell the path from others
 */
function routeOf(path: string): string {
  const decoded = decodeURI(path)
  if (decoded.includes('*') || decodeURIComponent(path) !== decoded) {
    throw new TypeError(
      `Fastify has no route for ${path}: use a resource without * and without encoded reserved characters such as %2F.`,
    )
  }
  return decoded.replaceAll(':', '::')
}

function refuseBy(server: ResourceServer): Refuse {
  return (error, request, reply) => {
    const answer = server.answer(error)
    logRefusal(error, answer.status, request)
    return send(reply, answer)
  }
}

function logRefusal(error: FastifyError, status: number, { log }: FastifyRequest): void {
  if (status >= 500) log.error({ err: error }, 'The access token could not be checked.')
  // Anybody can cause these: without a stack.
  else log.info({ status, cause: error.cause }, error.message)
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.status(status).headers(headers).send(body)
}
