import { createHash } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { BILLING, ORDERS, storeChain } from '../../../support/exchange.ts'
import { createClient } from '../../../support/records.ts'
import {
  ODD_ID,
  ODD_SECRET,
  startListening,
  startWithForeignClients,
  visit,
} from '../../../support/server.ts'
import { bearer, CLIENTS, REDIRECT_URI, SECRET } from '../../../support/service.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }
const { issuer } = await startWithForeignClients(t)
const { api } = visit(issuer)

async function discover(issuer: string, algorithm: 'oidc' | 'oauth2' = 'oidc') {
  const url = new URL(issuer)
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm, ...INSECURE }))
}

/** The callback parameters for the client `client_id`, and its code_verifier. */
async function authorize(
  server: oauth.AuthorizationServer,
  client_id: string,
  overrides: Record<string, string> = {},
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const redirect_uri = overrides.redirect_uri ?? REDIRECT_URI
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid api.read',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    subject: 'alice',
    ...overrides,
  }).toString()
  const { headers } = await fetch(url, { redirect: 'manual' })
  return { callback: new URL(headers.get('location') ?? 'none:'), redirect_uri, verifier, state, nonce }
}

/** A whole sign-in with all checks of the library, including the signature of the id_token. */
async function signIn(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  overrides: Record<string, string> = {},
) {
  const { callback, redirect_uri, verifier, state, nonce } = await authorize(
    server,
    client.client_id,
    overrides,
  )
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    oauth.validateAuthResponse(server, client, callback, state),
    redirect_uri,
    verifier,
    INSECURE,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
    // Seconds; makes the library require auth_time.
    maxAge: 60,
  })
  await oauth.validateApplicationLevelSignature(server, response, INSECURE)
  return tokens
}

/** Validates a JWT access token like a resource server (RFC 9068 §4). */
function validate(server: oauth.AuthorizationServer, access_token: string, audience = server.issuer) {
  const request = new Request('http://localhost/some/api', { headers: bearer(access_token) })
  return oauth.validateJwtAccessToken(server, request, audience, INSECURE)
}

t.test('both metadata documents have the same content', async (t) => {
  t.same(await discover(issuer, 'oauth2'), await discover(issuer, 'oidc'))
})

t.test('a sign-in by a confidential client with a query in its redirect_uri', async (t) => {
  const server = await discover(issuer)
  const client = { client_id: `${ODD_ID} opaque` }
  for (const authentication of [oauth.ClientSecretBasic(ODD_SECRET), oauth.ClientSecretPost(ODD_SECRET)]) {
    const redirect_uri = `${REDIRECT_URI}?tenant=a%20b`
    const { access_token, refresh_token } = await signIn(server, client, authentication, { redirect_uri })

    t.type(refresh_token, 'string')
    const response = await oauth.userInfoRequest(server, client, access_token, INSECURE)
    t.same(await oauth.processUserInfoResponse(server, client, 'alice', response), { sub: 'alice' })
  }
})

t.test('a JWT access token of a user is valid for a resource server', async (t) => {
  const server = await discover(issuer)
  const client_id = 'app jwt'
  const { access_token } = await signIn(server, { client_id }, oauth.None())

  t.match(await validate(server, access_token), {
    iss: issuer,
    aud: issuer,
    sub: 'alice',
    client_id,
    scope: 'openid api.read',
  })
  t.match((await api(access_token)).json, { subject: 'alice' })
  await t.rejects(validate(server, access_token, 'https://another.example.com'), {
    code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  })
})

t.test("a client's own JWT access token is valid for a resource server", async (t) => {
  const server = await discover(issuer)
  const client = { client_id: `${ODD_ID} jwt` }
  for (const authentication of [oauth.ClientSecretBasic(ODD_SECRET), oauth.ClientSecretPost(ODD_SECRET)]) {
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, INSECURE)
    const { access_token, scope } = await oauth.processClientCredentialsResponse(server, client, response)

    t.equal(scope, 'openid api.read api.write', 'all that the client may obtain')
    t.match(await validate(server, access_token), {
      sub: client.client_id,
      client_id: client.client_id,
      scope,
    })
    t.match((await api(access_token)).json, { subject: '' })
  }
})

t.test('an id_token is refused as an access token', async (t) => {
  const server = await discover(issuer)
  const { id_token = '' } = await signIn(server, { client_id: 'app jwt' }, oauth.None())

  await t.rejects(validate(server, id_token), { code: 'OAUTH_INVALID_RESPONSE' })
  t.equal((await api(id_token)).status, 401)
})

for (const alg of SIGNING_ALGS) {
  t.test(`tokens signed by ${alg}, verified with the key set that jose fetches`, async (t) => {
    const { issuer } = await startListening(t, {
      access_token_format: 'jwt',
      access_token_alg: alg,
      id_token_alg: alg,
    })
    const server = await discover(issuer)
    const client = { client_id: 'app' }
    const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ''))

    const { access_token, id_token = '' } = await signIn(server, client, oauth.None())

    await jwtVerify(access_token, keys, { issuer, audience: issuer, typ: 'at+jwt', algorithms: [alg] })
    const { payload } = await jwtVerify(id_token, keys, {
      issuer,
      audience: 'app',
      typ: 'JWT',
      algorithms: [alg],
    })
    const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
      .update(access_token)
      .digest()
    t.equal(payload.at_hash, digest.subarray(0, digest.length / 2).toString('base64url'))
    t.match(await validate(server, access_token), { sub: 'alice' })
  })
}

t.test('the library reports errors with their codes', async (t) => {
  const server = await discover(issuer)
  const client = { client_id: `${ODD_ID} opaque` }
  const clientCredentials = async (authentication: oauth.ClientAuth, parameters = {}) =>
    oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, INSECURE),
    )

  await t.rejects(clientCredentials(oauth.ClientSecretBasic('wrong')), {
    name: 'WWWAuthenticateChallengeError',
    status: 401,
  })
  await t.rejects(clientCredentials(oauth.ClientSecretPost(ODD_SECRET), { scope: 'admin' }), {
    name: 'ResponseBodyError',
    error: 'invalid_scope',
    status: 400,
  })
  const { callback, state } = await authorize(server, client.client_id, { subject: '', prompt: 'none' })
  t.throws(() => oauth.validateAuthResponse(server, client, callback, state), {
    name: 'AuthorizationResponseError',
    error: 'login_required',
  })
  t.throws(() => oauth.validateAuthResponse(server, client, callback, 'another state'), {
    message: /"state"/,
  })
})

t.end()

t.test('a token is exchanged for one to act for its user (RFC 8693)', async (t) => {
  for (const access_token_format of ACCESS_TOKEN_FORMATS) {
    const service = await startListening(t, { access_token_format })
    await storeChain(service.storage)
    const shop = { ...CLIENTS.web, client_id: 'shop', allowed_scopes: ['openid', 'api.read'] }
    await createClient(service.storage, 'shop', formatClient(shop))
    const server = await discover(service.issuer)
    const authentication = oauth.ClientSecretBasic(SECRET)
    const asked = { resource: ORDERS }
    const { access_token } = await signIn(server, { client_id: 'shop' }, authentication, asked)
    const parameters = {
      ...{ subject_token: access_token, subject_token_type: TOKEN_TYPE.access_token, resource: BILLING },
      scope: 'api.read',
    }
    const orders = { client_id: 'orders' }
    const exchange = async (more: Record<string, string> = {}) =>
      oauth.processGenericTokenEndpointResponse(
        server,
        orders,
        await oauth.genericTokenEndpointRequest(
          server,
          orders,
          authentication,
          TOKEN_EXCHANGE,
          { ...parameters, ...more },
          INSECURE,
        ),
      )
    const derived = await exchange()
    t.match(derived, { issued_token_type: TOKEN_TYPE.access_token, token_type: 'bearer', scope: 'api.read' })
    t.equal(derived.refresh_token, undefined)
    if (access_token_format === 'jwt')
      t.match(await validate(server, derived.access_token, BILLING), {
        sub: 'alice',
        client_id: 'orders',
        act: { sub: 'orders', client_id: 'orders' },
      })
    await t.rejects(exchange({ subject_token: 'unknown' }), { code: oauth.RESPONSE_BODY_ERROR })
  }
})
