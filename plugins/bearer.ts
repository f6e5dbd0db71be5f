import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalidToken, severalTokens, unauthorized } from '../src/core/bearer-errors.ts'
import { REALM } from '../src/core/challenge.ts'
import type { Proof } from '../src/dpop/proof.ts'
import { AccessToken } from '../src/resource-server/access-token.ts'
import { checkAccess, demandScopes } from '../src/resource-server/check-access.ts'
import { ownPlace, ownProofs } from '../src/resource-server/own-proofs.ts'
import { validateAccessToken } from '../src/tokens/access-token.ts'
import type * as tokens from '../src/tokens/validation.ts'
import { decorateRequests, guardBy, type Hook } from './bearer-hook.ts'
import { originReader, thumbprintReader } from './client-certificate.ts'
import { answerBearerError } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether errors have a bearer challenge (RFC 6750 §3). */
    bearer?: boolean
  }
  interface FastifyInstance {
    /** A hook that requires a valid access token: 401 without one. A JWT may be verified locally. */
    requireToken: Hook
    /** As requireToken, but always reads the grant record, so that a revoked JWT is refused. */
    requireTokenAndGrant: Hook
    /** Returns a hook that requires all these scopes of the token: 403 without them. Register it after requireToken. */
    requireScope(...scopes: string[]): Hook
  }
}

const FORM = /^application\/x-www-form-urlencoded *(;|$)/i
const NOT_REGISTERED =
  'redmint/bearer needs redmint: register redmint first, on the same Fastify instance or on a parent of it'

/** An access token that was validated by the records of this server. */
class ValidatedToken extends AccessToken {
  readonly validated: tokens.AccessToken

  constructor(validated: tokens.AccessToken) {
    super(validated)
    this.validated = validated
  }
}

/**
 * Bearer tokens for any route: `onRequest: [fastify.requireToken, fastify.requireScope('x')]`.
 * The hooks answer a refused request themselves (RFC 6750 §3), so that a host's error handler cannot change the answer.
 * @throws Error if redmint is not registered
 */
export default fp(
  async (fastify) => {
    if (!fastify.hasDecorator('redmint')) throw new Error(NOT_REGISTERED)
    decorateRequests(fastify)
    const { redmint } = fastify
    const certificateOf = thumbprintReader(redmint)
    const guard = (check: Parameters<typeof guardBy>[0]) => guardBy(check, answerBearerError)
    const proofs = ownProofs(redmint, originReader(redmint))
    const requireToken = (check_grant: boolean) => {
      const verify = (token: string, proof?: Proof) => validateAccessToken(redmint, token, check_grant, proof)
      const audiences = [redmint.settings.issuer]
      const gate = { verify, audiences, place: REALM, proofs, now: redmint.now, certificateOf }
      return guard(async (request, reply) => {
        const { token, headers } = await checkAccess(gate, request, {}, formToken(request))
        request.accessToken = new ValidatedToken(token)
        reply.headers(headers)
      })
    }
    fastify.decorate('requireToken', requireToken(redmint.settings.bearer_check_revocation))
    fastify.decorate('requireTokenAndGrant', requireToken(true))
    fastify.decorate('requireScope', (...scopes: string[]) =>
      guard(async (request) => {
        const token = request.accessToken
        if (token === null) throw invalidToken('requireScope was used without requireToken')
        demandScopes(token, scopes, token instanceof ValidatedToken ? ownPlace(token.validated) : REALM)
      }),
    )
  },
  { name: 'redmint-bearer', fastify: '5.x' },
)

/**
 * Returns the access token that a hook of this plugin has validated.
 * @throws OAuthError `unauthorized` if there is none; FastifyError unless this plugin is registered
 */
export function accessTokenOf(request: FastifyRequest): tokens.AccessToken {
  const token = request.getDecorator<ValidatedToken | null>('accessToken')
  if (token === null) throw unauthorized()
  return token.validated
}

// RFC 6750 §2.2: only from a form, because the JSON body of a host may have such a field. In an onRequest hook the body
// is not parsed yet.
function formToken({ body, headers }: FastifyRequest): string | undefined {
  if (!FORM.test(headers['content-type'] ?? '')) return undefined
  const token =
    typeof body === 'object' && body !== null && 'access_token' in body ? body.access_token : undefined
  // RFC 6750 §2.
  if (Array.isArray(token)) throw severalTokens('Send one access token: the body has several.', REALM)
  return typeof token === 'string' && token !== '' ? token : undefined
}
