// An API that accepts the tokens of another server: it prints what a request without a token and its metadata say.

import Fastify from 'fastify'
import resourceServer, {
  type AccessToken,
  type Actor,
  createResourceServer,
  type Needs,
  type ResourceServerOptions,
  resourceGuard,
  resourceMetadata,
} from 'redmint/resource-server'

const options: ResourceServerOptions = {
  issuer: 'https://auth.example.com',
  resource: 'https://api.example.com/v1',
  acting: 'allow',
}
const needs: Needs = { scopes: ['reports.read'], acr_values: ['otp'], max_age: 60 }
const api = Fastify()
await api.register(resourceServer, options)
api.get('/reports', { onRequest: api.protect(needs) }, async (request) => {
  const token: AccessToken | null = request.accessToken
  const { subject, authorities }: { subject: string; authorities: string[] } = request
  const actor: Actor | undefined = token?.actor
  return { actor, scopes: token?.scopes, acr: token?.acr, auth_time: token?.auth_time, subject, authorities }
})

const alone = Fastify()
const server = createResourceServer(options)
await alone.register(resourceMetadata, { server })
await alone.register(async (v1) => v1.register(resourceGuard, { server }), { prefix: '/v1' })
await alone.close()

const { statusCode } = await api.inject('/reports')
const { body } = await api.inject(server.metadata_path)
const { authorization_servers } = JSON.parse(body)
process.stdout.write(JSON.stringify({ status: statusCode, authorization_servers }))
await api.close()
