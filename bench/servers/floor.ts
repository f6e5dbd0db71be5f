// The floor: a form in, a fixed token response out. What is slower than this is our own doing.
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
