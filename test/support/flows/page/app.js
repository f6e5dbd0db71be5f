// A page that does everything by oauth4webapi: it registers itself, signs its user in, and signs off. What it has to say
// is in its <output>.
import * as oauth from 'oauth4webapi'

const INSECURE = { [oauth.allowInsecureRequests]: true }
const NONE = oauth.None()
const redirect_uri = `${location.origin}/callback`

const say = (what) => {
  document.querySelector('output').textContent = typeof what === 'string' ? what : JSON.stringify(what)
}
const keep = (name, value) => sessionStorage.setItem(name, JSON.stringify(value))
const kept = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null')

const url = new URL(issuer)
const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, INSECURE))

/** Asks the client configuration endpoint (RFC 7592 §2). */
const manage = (method, metadata) => {
  const { registration_client_uri, registration_access_token } = kept('client')
  return fetch(registration_client_uri, {
    method,
    headers: { authorization: `Bearer ${registration_access_token}`, 'content-type': 'application/json' },
    ...(metadata && { body: JSON.stringify(metadata) }),
  })
}
const METADATA = {
  client_name: 'The page',
  redirect_uris: [redirect_uri],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
}

const ACTIONS = {
  async register() {
    const response = await oauth.dynamicClientRegistrationRequest(server, METADATA, INSECURE)
    keep('client', await oauth.processDynamicClientRegistrationResponse(response))
    return 'registered'
  },
  async rename() {
    const { client_id } = kept('client')
    const response = await manage('PUT', { ...METADATA, client_id, client_name: 'The better page' })
    return (await response.json()).client_name
  },
  async 'sign-in'() {
    const attempt = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    }
    keep('attempt', attempt)
    const to = new URL(server.authorization_endpoint)
    to.search = new URLSearchParams({
      client_id: kept('client').client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    })
    location.assign(to)
    return 'on the way'
  },
  async ask() {
    const [client, { access_token, sub }] = [kept('client'), kept('tokens')]
    const response = await oauth.userInfoRequest(server, client, access_token, INSECURE)
    return oauth.processUserInfoResponse(server, client, sub, response)
  },
  async refresh() {
    const [client, before] = [kept('client'), kept('tokens')]
    const { refresh_token } = before
    const response = await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, INSECURE)
    const tokens = await oauth.processRefreshTokenResponse(server, client, response)
    keep('tokens', { ...before, ...tokens })
    return tokens.access_token === before.access_token ? 'the same token' : 'another token'
  },
  async revoke() {
    const [client, { refresh_token }] = [kept('client'), kept('tokens')]
    const response = await oauth.revocationRequest(server, client, NONE, refresh_token, INSECURE)
    await oauth.processRevocationResponse(response)
    return 'revoked'
  },
  async remove() {
    return `removed: ${(await manage('DELETE')).status}`
  },
}

async function arrive() {
  const [client, { state, nonce, verifier }] = [kept('client'), kept('attempt')]
  const told = oauth.validateAuthResponse(server, client, new URL(location.href), state)
  const request = [server, client, NONE, told, redirect_uri, verifier, INSECURE]
  const response = await oauth.authorizationCodeGrantRequest(...request)
  const expected = { expectedNonce: nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
  await oauth.validateApplicationLevelSignature(server, response, INSECURE)
  const { sub, name } = oauth.getValidatedIdTokenClaims(tokens)
  keep('tokens', { ...tokens, sub })
  // A reload must not bring the code once more.
  history.replaceState(null, '', '/')
  return `signed in: ${sub} ${name ?? ''}`
}

/** What an error says that the server could tell the page: code, challenge, when to come again. */
const described = (error) => ({
  failed: error.error ?? error.message,
  status: error.status ?? error.response?.status,
  challenge: error.cause?.[0]?.parameters?.error,
  retry_after: error.response?.headers.get('retry-after') ?? undefined,
})
const show = (act) => act().then(say, (error) => say(described(error)))

for (const [id, act] of Object.entries(ACTIONS)) document.getElementById(id).onclick = () => show(act)
await show(location.pathname === '/callback' ? arrive : async () => 'ready')
