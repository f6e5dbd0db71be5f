import type { FastifyPluginAsync } from 'fastify'
import { ROOT_PATHS } from '../src/core/paths.ts'

/** Sends browsers and password managers to the page where users change their password, if there is one. */
const route: FastifyPluginAsync = async (fastify) => {
  const { change_password_url } = fastify.redmint.settings
  // Without it the path is unknown, and answers 404 as the specification asks.
  if (change_password_url === undefined) return

  const { href } = new URL(change_password_url)
  // W3C, A Well-Known URL for Changing Passwords §3.1.
  fastify.get(ROOT_PATHS.change_password, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect(href, 302),
  )
}

export default route
