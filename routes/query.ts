import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { formatParameters, type Parameters, readParameters } from '../src/core/parameters.ts'
import { queryOf } from '../src/core/uri.ts'

/**
 * A preValidation hook: reads the query string with the strict reader of form bodies.
 * @throws OAuthError `invalid_request`
 */
export function readQuery(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  request.query = readParameters(queryOf(request.url))
  done()
}

/** Makes the browser repeat a form's request by GET: a form of another site comes without cookies (SameSite=Lax). */
export function repeatByGet(reply: FastifyReply, path: string, parameters: Parameters): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(`${path}?${formatParameters(parameters)}`, 303)
}
