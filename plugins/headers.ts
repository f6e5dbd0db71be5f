import fp from 'fastify-plugin'
import { invalidRequest } from '../src/core/errors.ts'
import { hasTwoAuthorizations } from '../src/resource-server/presented-token.ts'

/** The header of every answer with the id of its request, which is in the log, too. */
export const REQUEST_ID_HEADER = 'x-request-id'

const TWO_HEADERS = 'The request has more than one Authorization header.'

/** Refuses two Authorization headers, and sets nosniff and the id of the request on every answer. */
export default fp(
  async (fastify) => {
    fastify.addHook('onRequest', (request, reply, done) => {
      reply.header('x-content-type-options', 'nosniff').header(REQUEST_ID_HEADER, request.id)
      done(
        hasTwoAuthorizations(request.raw.rawHeaders)
          ? invalidRequest('several_authorization_headers', TWO_HEADERS, {
              expected: { authorization_headers: 1 },
            })
          : undefined,
      )
    })
  },
  { name: 'redmint-headers' },
)
