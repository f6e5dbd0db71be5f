import type { FastifyPluginAsync } from 'fastify'
import { hasPasswords } from '../src/config/sign-in-ways.ts'
import { PATHS, ROOT_PATHS } from '../src/core/paths.ts'

/**
 * Sends browsers and password managers to the page where users change their password: the operator's, else that of the
 * account page.
 */
const route: FastifyPluginAsync = async (fastify) => {
  const { settings } = fastify.redmint
  const { change_password_url, account_page, issuer } = settings
  const own =
    account_page === 'on' && hasPasswords(settings) ? `${issuer}${PATHS.account}/password` : undefined
  const page = change_password_url ?? own
  // Without it the path is unknown, and answers 404 as the specification asks.
  if (page === undefined) return

  const { href } = new URL(page)
  // W3C, A Well-Known URL for Changing Passwords §3.1.
  fastify.get(ROOT_PATHS.change_password, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect(href, 302),
  )
}

export default route
