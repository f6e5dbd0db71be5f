import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalidToken, unauthorized } from '../src/core/errors.ts'
import { API_PATH } from '../src/core/paths.ts'
import { authenticateBearer, authorities, demandScope, readBearerToken } from '../src/tokens/bearer.ts'
import type { AccessToken } from '../src/tokens/validation.ts'
import { answerBearerError } from './errors.ts'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether errors have a bearer challenge (RFC 6750 §3). */
    bearer?: boolean
  }
  interface FastifyRequest {
    /** The access token of this request; null if no hook has checked one. */
    accessToken: AccessToken | null
    /** The user of the token; empty for a client's own token and for an unauthenticated request. */
    readonly subject: string
    /** `SCOPE_<scope>` for every scope of the token. */
    readonly authorities: string[]
  }
  interface FastifyInstance {
    /** A hook that requires a valid access token: 401 without one. A JWT may be verified locally. */
    requireToken: Hook
    /** As requireToken, but always reads the grant record, so that a revoked JWT is refused. */
    requireTokenAndGrant: Hook
    /** Returns a hook that requires a scope of the token: 403 without it. Register it after requireToken. */
    requireScope(scope: string): Hook
  }
}

const FORM = /^application\/x-www-form-urlencoded *(;|$)/i
const NOT_REGISTERED =
  'redmint/bearer needs redmint: register redmint first, on the same Fastify instance or on a parent of it'

/**
 * Bearer tokens for any route: `onRequest: [fastify.requireToken, fastify.requireScope('x')]`.
 * The hooks answer a refused request themselves (RFC 6750 §3), so that a host's error handler cannot change the answer.
 * @throws Error if redmint is not registered
 */
export default fp(
  async (fastify) => {
    if (!fastify.hasDecorator('redmint')) throw new Error(NOT_REGISTERED)
    fastify.decorateRequest('accessToken', null)
    fastify.decorateRequest('subject', { getter: subjectOf })
    fastify.decorateRequest('authorities', { getter: authoritiesOf })
    const { issuer, bearer_check_revocation } = fastify.redmint.settings
    const requireToken = (check_grant: boolean, audiences: readonly string[] = []) =>
      guard(async (request) => {
        const token = readBearerToken(request.headers.authorization, formToken(request))
        request.accessToken = await authenticateBearer(fastify.redmint, token, check_grant, audiences)
      })
    fastify.decorate('requireToken', requireToken(bearer_check_revocation, [issuer + API_PATH]))
    fastify.decorate('requireTokenAndGrant', requireToken(true))
    fastify.decorate('requireScope', (scope: string) =>
      guard(async (request) => {
        if (request.accessToken === null) throw invalidToken('requireScope was used without requireToken')
        demandScope(request.accessToken, scope)
      }),
    )
  },
  { name: 'redmint-bearer', fastify: '5.x' },
)

/**
 * Returns the access token that a hook has checked.
 * @throws OAuthError `unauthorized` if there is none; FastifyError unless this plugin is registered
 */
export function accessTokenOf(request: FastifyRequest): AccessToken {
  const token = request.getDecorator<AccessToken | null>('accessToken')
  if (token === null) throw unauthorized()
  return token
}

/** Returns a hook that answers with the error if the check fails. */
function guard(check: (request: FastifyRequest) => Promise<void>): Hook {
  return (request, reply) =>
    check(request).catch((error: FastifyError) => answerBearerError(error, request, reply))
}

// RFC 6750 §2.2: only from a form, because the JSON body of a host may have such a field. In an onRequest hook the body
// is not parsed yet.
function formToken({ body, headers }: FastifyRequest): string | undefined {
  if (!FORM.test(headers['content-type'] ?? '')) return undefined
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
