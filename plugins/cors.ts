import cors from '@fastify/cors'
import fp from 'fastify-plugin'

/** Lets pages of any origin call what follows in this scope: it asks for no cookies, so it gives none away. */
export default fp(
  async (fastify) => {
    await fastify.register(cors, {
      origin: '*',
      methods: ['GET', 'POST'],
      exposedHeaders: ['WWW-Authenticate'],
      maxAge: 3600,
    })
  },
  { name: 'redmint-cors' },
)
