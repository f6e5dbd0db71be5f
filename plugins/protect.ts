import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { AccessToken } from '../src/resource-server/access-token.ts'
import { checkNeeds } from '../src/resource-server/check-access.ts'
import type { Names } from '../src/resource-server/known-names.ts'
import type { OwnNeeds } from '../src/resource-server/own-guard.ts'

/** A hook of Fastify, such as `onRequest`. */
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Answers a request that was refused. */
export type Refuse = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** The check of a preflight request that waits for the hooks of others; null: none; `over`: none can wait any more. */
const WAITING = Symbol('waiting')

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token of this request; null if no hook has checked one. */
    accessToken: AccessToken | null
    /** The user of the token; empty for a client's own token and for an unauthenticated request. */
    readonly subject: string
    /** `SCOPE_<scope>` for every scope of the token. */
    readonly authorities: string[]
    [WAITING]: (() => Promise<unknown>) | 'over' | null
  }
  interface FastifyInstance {
    /**
     * Returns a hook that requires an access token: 401 without a valid one, 403 without all `scopes`, and 401 for a
     * sign-in that is not one of `acr_values` or older than `max_age` seconds. `check_grant` and `form` are for routes in
     * the process of the server (`redmint/bearer`).
     * @throws TypeError if the needs have a name or a form that is not known
     */
    protect(needs?: OwnNeeds): Hook
  }
}

export interface ProtectOptions {
  /** Returns what returns the access token of a request to a route, if it is what the route needs. */
  readonly verifierFor: (needs: OwnNeeds) => (request: FastifyRequest) => Promise<AccessToken>
  /** What a route may need. */
  readonly known: Names<object>
  readonly refuse: Refuse
}

/**
 * Guards routes. The hook answers a refused request itself: the error handler of a host does not get it, and so cannot
 * change the answer.
 */
export default fp<ProtectOptions>(
  async (fastify, { verifierFor, known, refuse }) => {
    decorateRequests(fastify)
    fastify.decorate('protect', (needs: OwnNeeds = {}) => {
      // When the route is registered, and not with its first request.
      checkNeeds(needs, known)
      const verify = verifierFor(needs)
      const check: Hook = async (request, reply) => {
        try {
          request.accessToken = await verify(request)
          reply.headers(request.accessToken.response_headers)
        } catch (error) {
          return refuse(error as FastifyError, request, reply)
        }
      }
      const guard: Hook = (request, reply) => {
        if (!mayWait(request)) return check(request, reply)
        request[WAITING] ??= () => check(request, reply)
        return Promise.resolve()
      }
      return guard
    })
    // After the onRequest hooks of everybody, and before a body is read.
    fastify.addHook('preParsing', (request, reply, payload, done) => {
      const waiting = request[WAITING]
      request[WAITING] = 'over'
      if (typeof waiting !== 'function') return done(null, payload)
      // A reply is a promise that settles when it is sent.
      waiting().then(() => {
        if (!reply.sent) done(null, payload)
      }, done)
    })
  },
  { name: 'redmint-protect', fastify: '5.x' },
)

/**
 * Whether a browser sends a request before the real one, to learn whether it may (Fetch, CORS-preflight request). It never
 * has credentials, so it waits for an onRequest hook that answers it, such as that of @fastify/cors, whichever was
 * registered first. If nobody does, it is refused like any other request without a token: no handler gets it.
 */
function mayWait({ method, headers, [WAITING]: waiting }: FastifyRequest): boolean {
  return (
    // On an instance without this plugin it is undefined: nobody would end the wait.
    waiting !== undefined &&
    waiting !== 'over' &&
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    headers.authorization === undefined
  )
}

/** Declares what a request has of its access token, unless a parent has done so. */
function decorateRequests(fastify: FastifyInstance): void {
  if (fastify.hasRequestDecorator('accessToken')) return
  fastify.decorateRequest('accessToken', null)
  fastify.decorateRequest(WAITING, null)
  fastify.decorateRequest('subject', { getter: subjectOf })
  fastify.decorateRequest('authorities', { getter: authoritiesOf })
}

function subjectOf(this: FastifyRequest): string {
  return this.accessToken?.subject ?? ''
}

function authoritiesOf(this: FastifyRequest): string[] {
  return this.accessToken?.authorities ?? []
}
