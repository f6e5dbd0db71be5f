// The minimum: reads a form and returns a fixed token response. The difference is the cost of the protocol.
import formbody from '@fastify/formbody'
import Fastify from 'fastify'

const fastify = Fastify()
await fastify.register(formbody)
fastify.post('/oauth2/token', async () => ({
  access_token: 'x'.repeat(60),
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'api.read',
}))
await fastify.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.send?.('listening')
