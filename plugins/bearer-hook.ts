import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessToken } from '../src/resource-server/access-token.ts'

/** A hook of Fastify, such as `onRequest`. */
export type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Answers a request that was refused. */
export type Refuse = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token of this request; null if no hook has checked one. */
    accessToken: AccessToken | null
    /** The user of the token; empty for a client's own token and for an unauthenticated request. */
    readonly subject: string
    /** `SCOPE_<scope>` for every scope of the token. */
    readonly authorities: string[]
  }
}

/** Declares what a request has of its access token, unless a parent has done so. */
export function decorateRequests(fastify: FastifyInstance): void {
  if (fastify.hasRequestDecorator('accessToken')) return
  fastify.decorateRequest('accessToken', null)
  fastify.decorateRequest('subject', { getter: subjectOf })
  fastify.decorateRequest('authorities', { getter: authoritiesOf })
}

/**
 * Returns a hook that answers with the error if the check fails: the error handler of a host does not get it, and so
 * cannot change the answer.
 */
export function guardBy(
  check: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  refuse: Refuse,
): Hook {
  return (request, reply) =>
    check(request, reply).catch((error: FastifyError) => refuse(error, request, reply))
}

function subjectOf(this: FastifyRequest): string {
  return this.accessToken?.subject ?? ''
}

function authoritiesOf(this: FastifyRequest): string[] {
  return this.accessToken?.authorities ?? []
}
