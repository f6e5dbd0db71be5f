import fp from 'fastify-plugin'
import { invalidRequest } from '../src/core/errors.ts'

const AUTHORIZATION = 'authorization'
const TWO_HEADERS = 'The request has more than one Authorization header.'

/** Refuses two Authorization headers, and sets nosniff on every answer. */
export default fp(
  async (fastify) => {
    fastify.addHook('onRequest', (request, reply, done) => {
      reply.header('x-content-type-options', 'nosniff')
      done(hasTwo(request.raw.rawHeaders) ? invalidRequest(TWO_HEADERS) : undefined)
    })
  },
  { name: 'redmint-headers' },
)

// Node keeps the first of several; a proxy may use another one.
function hasTwo(rawHeaders: readonly string[]): boolean {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) found++
  }
  return found > 1
}
