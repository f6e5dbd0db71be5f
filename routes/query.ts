import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { readParameters } from '../src/core/parameters.ts'
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
