import type { FastifyRequest } from 'fastify'
import { readParameters } from '../src/parameters.ts'

/**
 * A preValidation hook: the query string is read by the same strict reader as a form body.
 * @throws OAuthError `invalid_request`
 */
export async function readQuery(request: FastifyRequest): Promise<void> {
  const { url } = request
  const question = url.indexOf('?')
  request.query = readParameters(question === -1 ? '' : url.slice(question + 1))
}
