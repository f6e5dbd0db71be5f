import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalidToken, unauthorized } from '../src/core/errors.ts'
import { authenticateBearer, authorities, demandScope, readBearerToken } from '../src/tokens/bearer.ts'
import type { AccessToken } from '../src/tokens/validation.ts'

type Hook = (request: FastifyRequest) => Promise<void>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Malformed requests are answered with a bearer challenge (RFC 6750 §3). */
    bearer?: boolean
  }
  interface FastifyRequest {
    /** The access token that this request is authenticated by; null while it is not. */
    accessToken: AccessToken | null
    /** The user behind the token; empty for a client's own token and for an unauthenticated request. */
    readonly subject: string
    /** `SCOPE_<scope>` for every scope of the token. */
    readonly authorities: string[]
  }
  interface FastifyInstance {
    /** A hook that demands a valid access token: 401 without one. A JWT may be verified locally. */
    requireToken: Hook
    /** The same, and storage is asked for its grant, and so whether a JWT was revoked. */
    requireTokenAndGrant: Hook
    /** Makes a hook that demands a scope of the token: 403 without it. Goes after requireToken. */
    requireScope(scope: string): Hook
  }
}

/** Bearer tokens for any route: `onRequest: [fastify.requireToken, fastify.requireScope('x')]`. */
export default fp(
  async (fastify) => {
    fastify.decorateRequest('accessToken', null)
    fastify.decorateRequest('subject', { getter: subjectOf })
    fastify.decorateRequest('authorities', { getter: authoritiesOf })
    const requireToken = (ask_grant: boolean) => async (request: FastifyRequest) => {
      const token = readBearerToken(request.headers.authorization, formToken(request))
      request.accessToken = await authenticateBearer(fastify.redmint, token, ask_grant)
    }
    fastify.decorate('requireToken', requireToken(fastify.redmint.settings.bearer_check_revocation))
    fastify.decorate('requireTokenAndGrant', requireToken(true))
    fastify.decorate('requireScope', (scope: string) => async (request: FastifyRequest) => {
      if (request.accessToken === null) throw invalidToken('no token was demanded before the scope')
      demandScope(request.accessToken, scope)
    })
  },
  { name: 'redmint-bearer', dependencies: ['redmint-context'] },
)

/**
 * The access token that a guard has checked.
 * @throws OAuthError `unauthorized` if none has; FastifyError unless this plugin is registered
 */
export function accessTokenOf(request: FastifyRequest): AccessToken {
  const token = request.getDecorator<AccessToken | null>('accessToken')
  if (token === null) throw unauthorized()
  return token
}

// RFC 6750 §2.2: a form body counts; as an onRequest hook this runs before there is one.
function formToken({ body }: FastifyRequest): string | undefined {
  const token =
    typeof body === 'object' && body !== null && 'access_token' in body ? body.access_token : undefined
  return typeof token === 'string' ? token : undefined
}

function subjectOf(this: FastifyRequest): string {
  return this.accessToken?.subject ?? ''
}

function authoritiesOf(this: FastifyRequest): string[] {
  return this.accessToken === null ? [] : authorities(this.accessToken)
}
