import fp from 'fastify-plugin'
import { tooLate } from '../src/core/errors.ts'
import { isLate } from './turns.ts'

/** Refuses a request that waited too long for its turn, before anything is done for it. Liveness is not asked here. */
export default fp(
  async (fastify) => {
    fastify.addHook('onRequest', (request, _reply, done) => done(isLate(request.raw) ? tooLate() : undefined))
  },
  { name: 'redmint-late' },
)
