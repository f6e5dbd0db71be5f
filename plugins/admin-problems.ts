import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type AdminRefusal, refusalOf } from '../src/admin/door/refusal.ts'
import type { Operation } from '../src/admin/operation/operation.ts'
import { PROBLEMS, type ProblemCode, problemOf, refusesNothing } from '../src/admin/operation/problem.ts'
import type { ChallengeAttributes } from '../src/core/challenge.ts'
import { OAuthError } from '../src/core/errors.ts'
import type { RefusalFacts } from '../src/core/refusal.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { reasonOf, refusedOf, reportOf } from './request-context.ts'

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
    const refusal = tellProblem(refusalOf(thrown, place, request.routeOptions.config.operation), request)
    const problem = problemOf(refusal.error, request.id)
    return reply
      .status(problem.status)
      .headers({ 'cache-control': 'no-store', ...refusal.headers })
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problem))
  }
}

/** Logs a refusal, and tells what explains it, unless only something is not there. Returns the refusal. */
export function tellProblem(refusal: AdminRefusal, request: FastifyRequest): AdminRefusal {
  logRefusal(refusal, request)
  if (!refusesNothing(refusal.error.code)) refusedOf(request)(reasonFor(refusal, request))
  return refusal
}

// What the caller typed is not logged: it may be a secret in the wrong place.
function logRefusal(refusal: AdminRefusal, request: FastifyRequest): void {
  const { code } = refusal.error
  const { cause } = refusal
  const { status, title } = PROBLEMS[code]
  const line = { code, ...reasonOf(reasonFor(refusal, request), request), status }
  const is_ours = status >= 500 && !(cause instanceof StorageUnavailable) && !isStorageError(cause)
  if (is_ours) request.log.error({ err: cause, ...line }, title)
  else if (cause instanceof OAuthError && cause.event !== undefined) {
    reportOf(request, { ...line, cause: cause.cause })(cause.event)
  } else request.log.info(line, title)
}

const SAY_WHY: readonly ProblemCode[] = ['conflict', 'last_administrator', 'misconfigured']

/** Why a request is refused: what the token lacks says an error of the protocol. */
function reasonFor({ error, cause }: AdminRefusal, { routeOptions }: FastifyRequest): RefusalFacts {
  if (!(cause instanceof OAuthError)) {
    const { code, message, fields, facts } = error
    const names = fields.map(({ field }) => field)
    const operation = routeOptions.config.operation?.name
    const received = {
      ...(operation !== undefined && { operation }),
      ...(names.length > 0 && { fields: names }),
      // These speak of records and settings that there are, and quote nothing else.
      ...(SAY_WHY.includes(code) && { fault: message }),
      ...facts.received,
    }
    return { reason: PROBLEMS[code].reason, ...facts, received }
  }
  const { reason, received, expected } = cause
  return { reason, received, expected }
}

const isStorageError = (cause: unknown) =>
  cause instanceof OAuthError && cause.cause instanceof StorageUnavailable
