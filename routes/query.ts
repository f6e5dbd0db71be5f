import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Parameters, readParameters } from '../src/core/parameters.ts'
import { withQuery } from '../src/core/uri.ts'

/**
 * A preValidation hook: the query string is read by the same strict reader as a form body.
 * @throws OAuthError `invalid_request`
 */
export async function readQuery(request: FastifyRequest): Promise<void> {
  const { url } = request
  const question = url.indexOf('?')
  request.query = readParameters(question === -1 ? '' : url.slice(question + 1))
}

/** Has the browser send a form's request once more, by GET: that of another site came without cookies (SameSite=Lax). */
export function repeatByGet(reply: FastifyReply, path: string, parameters: Parameters): FastifyReply {
  const given = parameters as Readonly<Record<string, string>>
  return reply.header('cache-control', 'no-store').redirect(withQuery(path, given), 303)
}
