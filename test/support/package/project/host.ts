// An application that embeds redmint: it prints what its requests were answered.

import Fastify from 'fastify'
import redmint, { type RedmintOptions, type Settings } from 'redmint'
import bearer, { type AccessToken, type OwnNeeds } from 'redmint/bearer'
import { openStorage, type Storage } from 'redmint/storage'

const host = Fastify()
const storage: Storage = openStorage({}, host.log)
const lifetimes: Pick<Settings, 'access_token_ttl'> = { access_token_ttl: 300 }
const options: RedmintOptions = { issuer: 'http://localhost:3000', demo: true, storage, ...lifetimes }
await host.register(redmint, options)
await host.register(bearer)

const needs: OwnNeeds = { scopes: ['api.read'], check_grant: true }
host.get('/own', { onRequest: host.protect(needs) }, async (request) => {
  const token: AccessToken | null = request.accessToken
  const authorities: readonly string[] = request.authorities
  return { client_id: token?.client_id, subject: request.subject, authorities }
})
host.get('/admin', { onRequest: host.protect({ scopes: ['admin'] }) }, async () => 'admin')

const answer = await host.inject({
  method: 'POST',
  url: '/oauth2/token',
  headers: {
    authorization: `Basic ${Buffer.from('demo-service:demo-service-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  payload: 'grant_type=client_credentials',
})
const { access_token, expires_in } = answer.json<{ access_token: string; expires_in: number }>()
const headers = { authorization: `Bearer ${access_token}` }
const [own, admin, unknown] = await Promise.all([
  host.inject({ url: '/own', headers }),
  host.inject({ url: '/admin', headers }),
  host.inject('/own'),
])
const statuses = [own.statusCode, admin.statusCode, unknown.statusCode]
process.stdout.write(JSON.stringify({ expires_in, statuses, own: own.json() }))

await host.close()
await storage.close()
