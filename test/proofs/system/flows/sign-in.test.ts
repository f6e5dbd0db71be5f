// openid-client and oauth4webapi sign users in and out over HTTP, on two alternating replicas.
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { PASSWORD } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { CLIENTS, SECRET } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure, type Visitor } from '../../../support/visitor.ts'

const stage = await setStage(t)
const { issuer, shop, wiki, served } = stage
const INSECURE = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'openid profile email offline_access'
const { registration } = wiki

for (const one of [
  { ...CLIENTS.app, client_id: 'public' },
  { ...CLIENTS.web, client_id: 'confidential' },
  { ...CLIENTS.web, client_id: 'without-pkce', require_pkce: false },
])
  await stage.register({
    ...one,
    redirect_uris: [shop.redirect_uri],
    allowed_scopes: registration.allowed_scopes,
    grant_types: ['authorization_code', 'refresh_token'],
    post_logout_redirect_uris: [shop.post_logout_redirect_uri],
  })

const visitor = () => visitorAt(issuer)

/** The user's steps of an authorization request: sign in, consent, return to the client. */
async function answer(person: Visitor, url: URL, username = 'alice'): Promise<Departure> {
  const login = await person.page(url.href.slice(issuer.length))
  const consent = asPage(await person.submit(login, { username, password: PASSWORD }))
  return asDeparture(await person.submit(consent, { decision: 'allow' }))
}

const configure = (client_id: string, method: client.ClientAuth) =>
  client.discovery(new URL(issuer), client_id, undefined, method, {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  })

/** Sign-in, refresh, introspection and logout with all checks of openid-client. */
async function withOpenidClient(t: Test, client_id: string, method: client.ClientAuth, pkce: boolean) {
  const config = await configure(client_id, method)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const checks = {
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    maxAge: 600,
    idTokenExpected: true,
    ...(pkce && { pkceCodeVerifier }),
  }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: shop.redirect_uri,
    scope: SCOPE,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    max_age: '600',
    ...(pkce && {
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }),
  })
  const person = visitor()
  const { location } = await answer(person, url)

  const tokens = await client.authorizationCodeGrant(config, location, checks)

  t.match(tokens.claims(), { sub: 'sub-of-alice', amr: ['pwd'], acr: '1', sid: String, auth_time: Number })
  t.match(await client.fetchUserInfo(config, tokens.access_token, 'sub-of-alice'), {
    name: 'Alice Example',
    email: 'alice@example.com',
    email_verified: true,
  })
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  t.match(renewed.claims(), { sub: 'sub-of-alice', sid: tokens.claims()?.sid })

  const { post_logout_redirect_uri } = shop
  const end = client.buildEndSessionUrl(config, {
    id_token_hint: renewed.id_token ?? '',
    post_logout_redirect_uri,
    state: 'over',
  })
  const left = asDeparture(await person.open(end.href.slice(issuer.length)))
  t.equal(left.location.href, `${post_logout_redirect_uri}?state=over`)
  t.equal((await person.page(url.href.slice(issuer.length))).title, 'Sign in')
}

t.test('openid-client, a public client', (t) => withOpenidClient(t, 'public', client.None(), true))
t.test('openid-client, a confidential client', (t) =>
  withOpenidClient(t, 'confidential', client.ClientSecretBasic(SECRET), true),
)
t.test('openid-client, without PKCE', (t) =>
  withOpenidClient(t, 'without-pkce', client.ClientSecretPost(SECRET), false),
)

t.test('openid-client, response_mode form_post', async (t) => {
  const config = await configure('wiki', client.ClientSecretBasic(SECRET))
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = 'a state with "quotes", <, & and ✓'
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: wiki.redirect_uri,
    scope: 'openid',
    state: expectedState,
    response_mode: 'form_post',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const person = visitor()
  const login = await person.page(url.href.slice(issuer.length))
  const consent = asPage(await person.submit(login, { username: 'alice', password: PASSWORD }))
  const page = asPage(await person.submit(consent, { decision: 'allow' }))

  const request = new Request(wiki.redirect_uri, { method: 'POST', body: new URLSearchParams(page.hidden) })
  const tokens = await client.authorizationCodeGrant(config, request, {
    pkceCodeVerifier,
    expectedState,
    idTokenExpected: true,
  })

  t.equal(tokens.claims()?.sub, 'sub-of-alice')
})

t.test('oauth4webapi', async (t) => {
  const server = await oauth.processDiscoveryResponse(
    new URL(issuer),
    await oauth.discoveryRequest(new URL(issuer), INSECURE),
  )
  const rp = { client_id: 'confidential' }
  const authentication = oauth.ClientSecretPost(SECRET)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const expectedNonce = oauth.generateRandomNonce()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: rp.client_id,
    redirect_uri: shop.redirect_uri,
    response_type: 'code',
    scope: SCOPE,
    state,
    nonce: expectedNonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const person = visitor()
  const { location } = await answer(person, url, 'bob')

  const response = await oauth.authorizationCodeGrantRequest(
    server,
    rp,
    authentication,
    oauth.validateAuthResponse(server, rp, location, state),
    shop.redirect_uri,
    verifier,
    INSECURE,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, rp, response, {
    expectedNonce,
    requireIdToken: true,
    maxAge: 600,
  })
  await oauth.validateApplicationLevelSignature(server, response, INSECURE)

  t.match(oauth.getValidatedIdTokenClaims(tokens), { sub: 'sub-of-bob', amr: ['pwd'], sid: String })
  const about = await oauth.userInfoRequest(server, rp, tokens.access_token, INSECURE)
  t.match(await oauth.processUserInfoResponse(server, rp, 'sub-of-bob', about), { name: 'Bob' })
  const out = new URL(server.end_session_endpoint ?? '')
  out.search = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' }).toString()
  t.equal((await person.page(out.href.slice(issuer.length))).title, 'You are signed out')
})

t.test('the libraries report refused consent as access_denied', async (t) => {
  const config = await configure('shop', client.None())
  const url = client.buildAuthorizationUrl(config, {
    ...shop.request(),
    prompt: 'consent',
  })
  const person = visitor()
  const login = await person.page(url.href.slice(issuer.length))
  const consent = asPage(await person.submit(login, { username: 'bob', password: PASSWORD }))
  const { location } = asDeparture(await person.submit(consent, { decision: 'deny' }))

  await t.rejects(client.authorizationCodeGrant(config, location, { expectedState: 'a state' }), {
    name: 'AuthorizationResponseError',
    error: 'access_denied',
  })
})

t.test('both replicas served requests', async (t) => {
  const [one = 0, other = 0] = served
  t.ok(one > 20 && Math.abs(one - other) <= 1, `${one} and ${other} requests`)
})
