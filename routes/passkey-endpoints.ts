import type { FastifyPluginAsync } from 'fastify'
import { ROOT_PATHS } from '../src/core/paths.ts'

/**
 * Tells password managers where people make and manage passkeys (W3C, A Well-Known URL for Relying Party Passkey
 * Endpoints).
 */
const route: FastifyPluginAsync = async (fastify) => {
  const page = `${fastify.redmint.settings.issuer}/account`
  const endpoints = JSON.stringify({ enroll: page, manage: page })
  fastify.get(ROOT_PATHS.passkey_endpoints, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json').header('cache-control', 'no-store').send(endpoints),
  )
}

export default route
