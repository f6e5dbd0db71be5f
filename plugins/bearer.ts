import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Context } from '../src/context.ts'
import { unauthorized } from '../src/core/bearer-errors.ts'
import {
  type GuardedResource,
  OWN_NEEDS,
  ownGuards,
  ValidatedToken,
} from '../src/resource-server/own-guard.ts'
import type { ValidAccessToken } from '../src/tokens/validation.ts'
import { originReader, thumbprintReader } from './client-certificate.ts'
import { answerBearerError } from './errors.ts'
import protect, { type ProtectOptions } from './protect.ts'
import { endpointOfRequest } from './request-context.ts'

const NOT_REGISTERED =
  'redmint/bearer needs redmint: register redmint first, on the same Fastify instance or on a parent of it'

/**
 * Guards routes in the process of the server: `onRequest: fastify.protect({ scopes: ['x'] })`.
 * @throws Error if redmint is not registered
 */
export default fp(
  async (fastify) => {
    if (!fastify.hasDecorator('redmint')) throw new Error(NOT_REGISTERED)
    await fastify.register(protect, ownProtection(fastify.redmint))
  },
  { name: 'redmint-bearer', fastify: '5.x' },
)

/**
 * Returns how routes in the process of the server are guarded, with the answers of its endpoints.
 * @param resource absent: the server itself
 */
export function ownProtection(redmint: Context, resource?: GuardedResource): ProtectOptions {
  const readers = { certificateOf: thumbprintReader(redmint), baseOf: originReader(redmint) }
  const guardFor = ownGuards(redmint, readers, resource)
  return {
    verifierFor(needs) {
      const guard = guardFor(needs)
      return (request) => guard(request.raw, request.body, endpointOfRequest(request))
    },
    known: OWN_NEEDS,
    refuse: answerBearerError,
  }
}

/**
 * Returns the access token that the guard of this plugin has validated.
 * @throws OAuthError `unauthorized` if there is none; FastifyError unless this plugin is registered
 */
export function accessTokenOf(request: FastifyRequest): ValidAccessToken {
  const token = request.getDecorator('accessToken')
  if (!(token instanceof ValidatedToken)) throw unauthorized()
  return token.validated
}
