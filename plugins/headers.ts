import fp from 'fastify-plugin'
import { invalidRequest } from '../src/core/errors.ts'
import { hasTwoAuthorizations } from '../src/resource-server/presented-token.ts'

const TWO_HEADERS = 'The request has more than one Authorization header.'

/** Refuses two Authorization headers, and sets nosniff on every answer. */
export default fp(
  async (fastify) => {
    fastify.addHook('onRequest', (request, reply, done) => {
      reply.header('x-content-type-options', 'nosniff')
      done(hasTwoAuthorizations(request.raw.rawHeaders) ? invalidRequest(TWO_HEADERS) : undefined)
    })
  },
  { name: 'redmint-headers' },
)
