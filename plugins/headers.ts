import fp from 'fastify-plugin'
import { invalidRequest } from '../src/errors.ts'

/** What holds for the headers of every request and every answer. */
export default fp(
  async (fastify) => {
    fastify.addHook('onRequest', async (request, reply) => {
      reply.header('x-content-type-options', 'nosniff')
      // Node keeps the first of several; whatever stands before us may go by another one.
      const { rawHeaders } = request.raw
      const sent = rawHeaders.filter(
        (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
      )
      if (sent.length > 1) throw invalidRequest('The request has more than one Authorization header.')
    })
  },
  { name: 'redmint-headers' },
)
