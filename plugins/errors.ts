import type { FastifyContextConfig, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { describedItself } from '../src/clients/keys/client-keys.ts'
import { bearerChallenge, REALM } from '../src/core/challenge.ts'
import { errorBody } from '../src/core/error-body.ts'
import {
  bodyNotForm,
  invalidRequest,
  OAuthError,
  serverError,
  temporarilyUnavailable,
} from '../src/core/errors.ts'
import { EVENTS, type SecurityEvent, STRANGERS } from '../src/core/events.ts'
import { shownMediaType } from '../src/core/media-type.ts'
import type { Facts, Reason } from '../src/core/reasons.ts'
import type { RefusalFacts } from '../src/core/refusal.ts'
import { codeFrom, isOfThirdParty } from '../src/core/third-parties.ts'
import { errorPage, type ShownError, shownError } from '../src/pages/error.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { clientAddress, networkOf } from './address.ts'
import { REQUEST_ID_HEADER } from './headers.ts'
import { preferredFormat } from './preferred-format.ts'
import { reasonOf, refusedOf, reportOf } from './request-context.ts'
import { isLate } from './turns.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether errors have a bearer challenge (RFC 6750 §3). */
    bearer?: boolean
    /** What the pages of errors are about; without it, and if the request prefers JSON, errors are JSON. */
    page?: 'sign-in' | 'account' | 'logout'
  }
}

/** Too many people sign in at one moment. */
const CROWD: Reason = 'sign_ins_too_many'

/** Converts every error to an OAuthError, and answers with JSON or a page. */
export default fp(
  async (fastify) => {
    fastify.setErrorHandler((thrown: FastifyError, request, reply) => {
      const error = prepareAnswer(thrown, request, reply, request.routeOptions.config.bearer === true)
      return wantsPage(request) ? sendPage(error, request, reply) : reply.send(errorBody(error))
    })
  },
  { name: 'redmint-errors', dependencies: ['redmint-pages'] },
)

/** Answers with the error of a bearer check (RFC 6750 §3), independent of the error handler of the route. */
export function answerBearerError(
  thrown: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.send(errorBody(prepareAnswer(thrown, request, reply, true)))
}

/** Answers with the error as JSON of a form of its own. @param bodyOf returns the body */
export function answerErrorAs(
  bodyOf: (error: OAuthError) => object,
): (thrown: FastifyError | OAuthError, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => reply.send(bodyOf(prepareAnswer(thrown, request, reply, false)))
}

/** Answers with the error as JSON, where there are no pages. */
export function answerJsonError(
  thrown: FastifyError | OAuthError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.send(errorBody(prepareAnswer(thrown, request, reply, false)))
}

/** Logs the error, and sets the status and headers of the response. */
function prepareAnswer(
  thrown: FastifyError | OAuthError,
  request: FastifyRequest,
  reply: FastifyReply,
  bearer: boolean,
): OAuthError {
  const error = toOAuthError(thrown, request)
  logError(error, thrown, request)
  tellRefusal(error, request)
  // Routes of a host do not have it otherwise.
  reply.status(error.status).headers({ 'cache-control': 'no-store', [REQUEST_ID_HEADER]: request.id })
  // RFC 6750 §3.
  if (bearer) reply.header('www-authenticate', bearerChallenge({ ...REALM, error: error.code }))
  reply.headers(error.headers)
  return error
}

function toOAuthError(thrown: FastifyError | OAuthError, request: FastifyRequest): OAuthError {
  if (thrown instanceof OAuthError) return thrown
  if (thrown instanceof StorageUnavailable) return temporarilyUnavailable(thrown)
  // RFC 6749 §5.2 has one error for all malformed requests; only a too large body has its own status.
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return invalidRequest('body_too_large', 'The request body is too large.', {
      status: 413,
      received: lengthOf(request),
      expected: { at_most: request.routeOptions.bodyLimit },
    })
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return bodyNotForm(shownMediaType(request.headers['content-type']))
  const status = thrown.statusCode ?? 500
  return status >= 400 && status < 500
    ? invalidRequest('request_malformed', 'The request is malformed.', {
        cause: thrown,
        received: { code: codeFrom(thrown.code) },
      })
    : serverError(thrown)
}

/** How long a body is, in bytes; nothing if it does not say so. */
function lengthOf({ headers }: FastifyRequest): Facts {
  const bytes = Number(headers['content-length'])
  return Number.isSafeInteger(bytes) ? { bytes } : {}
}

function logError(error: OAuthError, thrown: unknown, request: FastifyRequest): void {
  // A third party is not ours, nor is a crowd, which strangers make whenever they like; storage logs itself why it is
  // unavailable, and connections.ts who is late, once.
  const is_ours =
    error.reason !== CROWD &&
    !isOfThirdParty(error.reason) &&
    !(error.cause instanceof StorageUnavailable) &&
    !isLate(request.raw)
  if (error.status >= 500 && is_ours)
    request.log.error(
      { err: error.cause ?? thrown, code: error.code, ...reasonOf(refusalOf(error), request) },
      error.description,
    )
  else {
    const { code, status, cause, event, logged, log_as } = error
    const why = reasonOf(refusalOf(error), request)
    const refusal = { code, ...why, status, ...logged, cause: describeCause(cause) }
    // One line for both: anybody can cause refusals.
    if (event !== undefined && isToBeLogged(event, request)) {
      // An event may have a reason of its own, by which the line is known.
      const { reason, ...rest } = refusal
      reportOf(request, 'reason' in event ? rest : { reason, ...rest })(event)
    } else {
      if (event !== undefined) request.server.redmint.counts.events[event.event] += 1
      // One line a minute is a warning.
      const is_first = error.reason === CROWD && request.server.redmint.warnings.take(CROWD, CROWD)
      request.log[is_first ? 'warn' : 'info'](refusal, log_as)
    }
  }
}

function tellRefusal(error: OAuthError, request: FastifyRequest): void {
  refusedOf(request)(refusalOf(error))
}

function refusalOf({ reason, received, expected, event, logged, cause }: OAuthError): RefusalFacts {
  const of_event = event && 'client_id' in event ? event.client_id : undefined
  const client_id = logged?.client_id ?? (typeof of_event === 'string' ? of_event : undefined)
  // What the line of the log says of a refusal that has no facts of its own.
  const fault = typeof cause === 'string' ? { fault: cause } : undefined
  return { reason, received: received ?? fault, expected, client_id }
}

/** Whether an event is not one of many warnings that the same client or network causes. */
function isToBeLogged(event: SecurityEvent, request: FastifyRequest): boolean {
  if (EVENTS[event.event].level !== 'warn') return true
  const client_id = 'client_id' in event ? event.client_id : undefined
  const name = JSON.stringify([event.event, client_id, networkOf(clientAddress(request))])
  const { warnings, clients } = request.server.redmint
  const known = typeof client_id === 'string' ? clients.cached(client_id) : undefined
  const is_registered = known !== undefined && !describedItself(known)
  return warnings.take(name, is_registered ? known.client_id : STRANGERS)
}

function describeCause(cause: unknown): string | undefined {
  if (cause instanceof Error) return cause.message
  return typeof cause === 'string' ? cause : undefined
}

function wantsPage(request: FastifyRequest): boolean {
  return (
    request.routeOptions.config.page !== undefined && preferredFormat(request, ['html', 'json']) === 'html'
  )
}

/** Says of an error what it is about where the route knows it better. */
function aboutRoute(shown: ShownError, page: FastifyContextConfig['page']): ShownError {
  if (page === 'logout') return { ...shown, page }
  return page === 'account' && shown.page === undefined && shown.status === 503 ? { ...shown, page } : shown
}

function sendPage(error: OAuthError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const about = aboutRoute(shownError(error), request.routeOptions.config.page)
  const props = { error: about, request_id: request.id, at: Date.now() }
  const retry = error.status >= 500 && request.method === 'GET'
  // No link repeats the address: an error page contains nothing of the request.
  const view = request.keptView({ page: 'error', props })
  return reply.type('text/html; charset=utf-8').send(errorPage({ ...props, retry }, view))
}
