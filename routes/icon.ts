import etag from '@fastify/etag'
import type { FastifyPluginAsync } from 'fastify'
import { PATHS } from '../src/core/paths.ts'
import { iconOf } from '../src/pages/icon.ts'

/** Seconds that a browser keeps the icon. */
const MAX_AGE = 86_400

interface IconOptions {
  /** More paths of the icon. */
  also: readonly string[]
}

/** The icon of the pages. */
const route: FastifyPluginAsync<IconOptions> = async (fastify, { also }) => {
  await fastify.register(etag)
  const icon = iconOf(fastify.theme.brand)
  for (const path of [PATHS.icon, ...also]) {
    fastify.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.type('image/svg+xml').header('cache-control', `public, max-age=${MAX_AGE}`).send(icon),
    )
  }
}

export default route
