import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Refusal, refusalOf } from '../src/admin/door/refusal.ts'
import type { Operation } from '../src/admin/operation.ts'
import { PROBLEMS, problemOf } from '../src/admin/problem.ts'
import type { ChallengeAttributes } from '../src/core/challenge.ts'
import { OAuthError } from '../src/core/errors.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { reportOf } from './request-context.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the admin API that the route does. */
    operation?: Operation
  }
}

/**
 * Returns what answers every error of the admin API with problem details (RFC 9457).
 * @param place the attributes of challenges
 */
export function answerProblem(place: ChallengeAttributes) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(thrown, place, request.routeOptions.config.operation)
    logRefusal(refusal, request)
    const problem = problemOf(refusal.error, request.id)
    return reply
      .status(problem.status)
      .headers({ 'cache-control': 'no-store', ...refusal.headers })
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problem))
  }
}

// What the caller typed is not logged: it may be a secret in the wrong place.
function logRefusal({ error: { code }, cause }: Refusal, request: FastifyRequest): void {
  const { status, title } = PROBLEMS[code]
  const is_ours = status >= 500 && !(cause instanceof StorageUnavailable) && !isStorageError(cause)
  if (is_ours) request.log.error({ err: cause, code }, title)
  else if (cause instanceof OAuthError && cause.event !== undefined) {
    reportOf(request, { code, status, cause: cause.cause })(cause.event)
  } else request.log.info({ code, status }, title)
}

const isStorageError = (cause: unknown) =>
  cause instanceof OAuthError && cause.cause instanceof StorageUnavailable
