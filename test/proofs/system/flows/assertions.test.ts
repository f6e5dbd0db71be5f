// Assertions of trusted issuers at two server processes that share a Redis, by the libraries that clients use.

import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { createClient } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { startReady } from '../../../support/server.ts'
import { ISSUER } from '../../../support/service.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trust } from '../../../support/trusted-issuer.ts'

const CI = 'https://ci.example.com'
const KEY = issuerKey('ci', 'RS256')
const INSECURE = { [oauth.allowInsecureRequests]: true }

const redis = await startRedis(t)
const storage = redisStorage(t, redis)
await trust(storage, KEY, { issuer: CI })
for (const format of ['opaque', 'jwt'] as const) {
  const client = {
    client_id: `job ${format}`,
    client_name: 'Job',
    is_public: false,
    redirect_uris: [],
    allowed_scopes: ['api.read', 'api.write'],
    grant_types: [JWT_BEARER, 'client_credentials'],
    access_token_format: format,
    assertion_issuer: CI,
    assertion_subject: 'job:*',
  } as const
  await createClient(storage, client.client_id, formatClient(client))
}
const environment = { REDIS_URL: redis.url, ISSUER, TRUSTED_ISSUERS: 'true' }
const servers = await Promise.all([startReady(t, environment), startReady(t, environment)])
const own = await startReady(t, { REDIS_URL: redis.url, TRUSTED_ISSUERS: 'true' })
const issuer = `http://localhost:${own.port}`

const assertion = (aud: string) => assertionOf(KEY, claimsOf(CI, 'job:7', { aud }))

t.test('oauth4webapi gets a token by an assertion', async (t) => {
  const url = new URL(issuer)
  const server = await oauth.processDiscoveryResponse(
    url,
    await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...INSECURE }),
  )
  t.ok(server.grant_types_supported?.includes(JWT_BEARER))
  for (const format of ['opaque', 'jwt']) {
    const client = { client_id: `job ${format}` }
    const parameters = { assertion: assertion(issuer), scope: 'api.read' }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.None(),
      JWT_BEARER,
      parameters,
      INSECURE,
    )
    const { access_token, scope, token_type } = await oauth.processGenericTokenEndpointResponse(
      server,
      client,
      response,
    )
    t.match({ scope, token_type }, { scope: 'api.read', token_type: 'bearer' })
    const headers = { authorization: `Bearer ${access_token}` }
    t.match(await (await fetch(`${issuer}/api/resource`, { headers })).json(), { subject: '' })
  }
})

t.test('openid-client gets a token by an assertion, and is told when it is refused', async (t) => {
  const config = await openid.discovery(new URL(issuer), 'job opaque', undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  })
  const once = assertion(issuer)
  const tokens = await openid.genericGrantRequest(config, JWT_BEARER, { assertion: once })
  t.match(tokens, { scope: 'api.read api.write', refresh_token: undefined })
  const refusal = async (assertion: string) => {
    const refused = await openid
      .genericGrantRequest(config, JWT_BEARER, { assertion })
      .catch((error: unknown) => error)
    return refused instanceof openid.ResponseBodyError ? [refused.error, refused.error_description] : refused
  }
  t.match(await refusal(once), ['invalid_grant', /used before/])
  t.match(await refusal(assertion('https://other.example.com')), ['invalid_grant', /for another audience/])
})

t.test('an assertion in concurrent requests to both processes yields one token', async (t) => {
  for (const format of ['opaque', 'jwt']) {
    const body = new URLSearchParams({
      grant_type: JWT_BEARER,
      client_id: `job ${format}`,
      assertion: assertion(ISSUER),
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const statuses = await Promise.all(
      [...servers, ...servers, ...servers].map(async ({ address }) => {
        const { status } = await fetch(`${address}/oauth2/token`, { method: 'POST', headers, body })
        return status
      }),
    )
    t.strictSame(statuses.sort(), [200, 400, 400, 400, 400, 400], format)
  }
})
