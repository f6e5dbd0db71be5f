import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { unauthorized } from '../src/core/bearer-errors.ts'
import { OWN_NEEDS, type OwnGuard, ownGuard, ValidatedToken } from '../src/resource-server/own-guard.ts'
import type { AccessToken } from '../src/tokens/validation.ts'
import { requestReaders } from './client-certificate.ts'
import { answerBearerError } from './errors.ts'
import protect, { type ProtectOptions } from './protect.ts'

const NOT_REGISTERED =
  'redmint/bearer needs redmint: register redmint first, on the same Fastify instance or on a parent of it'

/**
 * Guards routes in the process of the server: `onRequest: fastify.protect({ scopes: ['x'] })`.
 * @throws Error if redmint is not registered
 */
export default fp(
  async (fastify) => {
    if (!fastify.hasDecorator('redmint')) throw new Error(NOT_REGISTERED)
    const { redmint } = fastify
    await fastify.register(protect, protectBy(ownGuard(redmint, requestReaders(redmint))))
  },
  { name: 'redmint-bearer', fastify: '5.x' },
)

/** Returns how routes in the process of the server are guarded, with answers as all of its endpoints have them. */
export function protectBy(guard: OwnGuard): ProtectOptions {
  return {
    verify: ({ raw, body }, needs) => guard(raw, needs, body),
    known: OWN_NEEDS,
    refuse: answerBearerError,
  }
}

/**
 * Returns the access token that the guard of this plugin has validated.
 * @throws OAuthError `unauthorized` if there is none; FastifyError unless this plugin is registered
 */
export function accessTokenOf(request: FastifyRequest): AccessToken {
  const token = request.getDecorator('accessToken')
  if (!(token instanceof ValidatedToken)) throw unauthorized()
  return token.validated
}
