import { insufficientScope } from '../../core/bearer-errors.ts'
import type { ChallengeAttributes } from '../../core/challenge.ts'
import { type ErrorHeaders, OAuthError, retryAfter, retrySpread } from '../../core/errors.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import type { Operation } from '../operation/operation.ts'
import { AdminError, type ProblemCode } from '../operation/problem.ts'

/** What the door answers to a request that it refuses. */
export interface AdminRefusal {
  readonly error: AdminError
  readonly headers: ErrorHeaders
  /** An unexpected error, or one of the protocol, for the log. */
  readonly cause?: unknown
}

const MINUTE = 60

const CODES: Readonly<Record<number, ProblemCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'missing_scope',
  413: 'too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
}

/** An error of the framework that reads requests. */
interface StatusError {
  readonly statusCode?: number
}

/**
 * Returns the answer to a request that ended with an error. Anything unknown says nothing to the outside.
 * @param place the attributes of challenges
 * @param operation the operation of the request, if its path has one
 */
export function refusalOf(
  thrown: Error & StatusError,
  place: ChallengeAttributes,
  operation?: Pick<Operation, 'scope'>,
): AdminRefusal {
  if (thrown instanceof AdminError) return { error: thrown, headers: headersOf(thrown, place, operation) }
  if (thrown instanceof StorageUnavailable) {
    const error = new AdminError('unavailable', 'The service cannot reach its storage: try again shortly.')
    return { error, headers: retrySpread(1), cause: thrown }
  }
  const status = thrown instanceof OAuthError ? thrown.status : (thrown.statusCode ?? 500)
  const code = CODES[status] ?? (status < 500 ? 'invalid_request' : 'server_error')
  if (thrown instanceof OAuthError)
    return { error: new AdminError(code, thrown.description), headers: thrown.headers, cause: thrown }
  const detail = DETAILS[code] ?? 'The request is malformed.'
  return { error: new AdminError(code, detail), headers: {}, cause: thrown }
}

const DETAILS: Readonly<Partial<Record<ProblemCode, string>>> = {
  server_error: 'Something went wrong: the log of the server says what, by the request_id.',
  too_large: 'The body is too large for this path.',
}

function headersOf(
  { code }: AdminError,
  place: ChallengeAttributes,
  operation: Pick<Operation, 'scope'> | undefined,
): ErrorHeaders {
  if (code === 'too_many_requests') return retryAfter(MINUTE)
  return code === 'missing_scope' && operation !== undefined
    ? insufficientScope(operation.scope, place).headers
    : {}
}
