// Clients of other projects register themselves and sign a user in, unchanged.
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import t from 'tap'
import { createInitialAccessToken } from '../../../../src/clients/registration/initial-access-token.ts'
import { startListening } from '../../../support/server.ts'
import { REDIRECT_URI } from '../../../support/service.ts'

const METADATA = {
  client_name: 'A foreign client',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

for (const token_endpoint_auth_method of METHODS) {
  t.test(`openid-client registers itself with ${token_endpoint_auth_method}`, async (t) => {
    const { issuer } = await startListening(t, { client_registration: 'open' })
    const method = {
      none: client.None(),
      client_secret_basic: undefined,
      client_secret_post: undefined,
    }[token_endpoint_auth_method]
    const config = await client.dynamicClientRegistration(
      new URL(issuer),
      { ...METADATA, token_endpoint_auth_method },
      method,
      { execute: [client.allowInsecureRequests] },
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      state: 'a state',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      subject: 'alice',
    })
    const { headers } = await fetch(url, { redirect: 'manual' })
    const callback = new URL(headers.get('location') ?? 'none:')
    const checks = { pkceCodeVerifier, expectedState: 'a state', idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(config, callback, checks)
    t.equal(tokens.claims()?.sub, 'alice')
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    t.ok(refreshed.access_token)
  })
}

t.test('oauth4webapi registers itself by invitation, and gets the reason if it cannot', async (t) => {
  const { issuer, storage } = await startListening(t, { client_registration: 'invitation' })
  const insecure = { [oauth.allowInsecureRequests]: true }
  const url = new URL(issuer)
  const discovered = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(url, discovered)
  const initialAccessToken = await createInitialAccessToken(
    { storage, now: Date.now() },
    { uses: 1, ttl: 60 },
  )
  const register = (metadata: object, options = {}) =>
    oauth.dynamicClientRegistrationRequest(server, metadata, { ...insecure, ...options })

  const wrong = { ...METADATA, redirect_uris: ['http://app.example.com/'] }
  const answer = await register(wrong, { initialAccessToken })
  const refusal: unknown = await oauth
    .processDynamicClientRegistrationResponse(answer)
    .catch((error) => error)
  t.match(refusal, { error: 'invalid_redirect_uri', error_description: /^redirect_uris\[0\] is http/ })
  const registered = await oauth.processDynamicClientRegistrationResponse(
    await register(METADATA, { initialAccessToken }),
  )
  t.match(registered, { client_name: 'A foreign client', client_secret_expires_at: 0, client_secret: /./ })
  const used = oauth.processDynamicClientRegistrationResponse(
    await register(METADATA, { initialAccessToken }),
  )
  t.match(await used.catch((error: unknown) => error), {
    code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
    status: 401,
  })
})
