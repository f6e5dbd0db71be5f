// Prints the OpenAPI description of the service; `npm run openapi` writes it to docs/openapi.json.
import redmint from '../app.ts'
import { createInstance } from '../instance.ts'

const fastify = createInstance({ level: 'silent' })
await fastify.register(redmint, {
  issuer: 'https://auth.example.com',
  client_registration: 'open',
  webfinger_hosts: ['example.com'],
})
const { body } = await fastify.inject('/openapi.json')
console.log(JSON.stringify(JSON.parse(body), null, 2))
await fastify.close()
