import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import {
  type Answer,
  type DescribedResource,
  ResourceMetadata,
} from '../src/resource-server/resource-metadata.ts'

export interface ResourceMetadataOptions {
  /** The resource: a resource server has what is needed. */
  readonly server: Pick<DescribedResource, 'metadata_path' | 'document'>
  /** The schema of the metadata, where a description names it. */
  readonly schema?: object
}

/**
 * Serves the metadata of a resource (RFC 9728 §3).
 * @throws TypeError if Fastify has no route for its path
 */
export default fp<ResourceMetadataOptions>(
  async (fastify, { server: { metadata_path, document }, schema = ResourceMetadata }) => {
    // That of a parent: the challenges would name an address of the metadata at which nothing is.
    if (fastify.prefix !== '') {
      throw new TypeError(
        `The instance has the prefix ${fastify.prefix}: serve the metadata of a resource on one without a prefix.`,
      )
    }
    const route = routeOf(metadata_path)
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
      (_request, reply) => sendAnswer(reply, document),
    )
    fastify.options(route, { schema: { hide: true } }, (_request, reply) => sendAnswer(reply, document))
  },
  { name: 'redmint-resource-metadata', fastify: '5.x' },
)

/** Sends what a resource server answers. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.status(status).headers(headers).send(body)
}

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
