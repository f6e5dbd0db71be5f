import * as client from 'openid-client'
import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { ODD_ID, ODD_SECRET, startWithForeignClients, visit } from '../../../support/server.ts'
import { REDIRECT_URI } from '../../../support/service.ts'

const { issuer } = await startWithForeignClients(t)
const { api } = visit(issuer)

const AUTHENTICATION = {
  'a public client': { id: 'app', method: client.None() },
  'a confidential client by Basic': { id: ODD_ID, method: client.ClientSecretBasic(ODD_SECRET) },
  'a confidential client by post': { id: ODD_ID, method: client.ClientSecretPost(ODD_SECRET) },
}

async function configure(client_id: string, method: client.ClientAuth): Promise<client.Configuration> {
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  return client.discovery(new URL(issuer), client_id, undefined, method, { execute })
}

/** The redirect URI, and the values that the client keeps for its checks. */
async function authorize(config: client.Configuration, overrides: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const checks = {
    pkceCodeVerifier,
    expectedState: 'a state with spaces, +, & and ✓',
    expectedNonce: 'a nonce with spaces, +, & and ✓',
    idTokenExpected: true,
  }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid api.read',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    subject: 'alice',
    ...overrides,
  })
  const { headers } = await fetch(url, { redirect: 'manual' })
  return { callback: new URL(headers.get('location') ?? 'none:'), checks }
}

for (const format of ACCESS_TOKEN_FORMATS) {
  for (const [who, { id, method }] of Object.entries(AUTHENTICATION)) {
    t.test(`authorization code grant by ${who}, ${format}`, async (t) => {
      const config = await configure(`${id} ${format}`, method)
      const { callback, checks } = await authorize(config)

      const tokens = await client.authorizationCodeGrant(config, callback, checks)

      t.match(tokens, { scope: 'openid api.read', refresh_token: String, expiresIn: Function })
      t.equal(tokens.access_token.split('.').length, format === 'jwt' ? 3 : 2)
      t.match(tokens.claims(), { iss: issuer, sub: 'alice', nonce: checks.expectedNonce, auth_time: Number })
      t.same(await client.fetchUserInfo(config, tokens.access_token, 'alice'), { sub: 'alice' })
      await t.rejects(client.fetchUserInfo(config, tokens.access_token, 'mallory'), {
        code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
      })
      t.match((await api(tokens.access_token)).json, { subject: 'alice' })
    })
  }

  for (const method of [client.ClientSecretBasic(ODD_SECRET), client.ClientSecretPost(ODD_SECRET)]) {
    t.test(`client credentials, ${format}`, async (t) => {
      const config = await configure(`${ODD_ID} ${format}`, method)

      const tokens = await client.clientCredentialsGrant(config, { scope: 'api.write' })

      t.match(tokens, { scope: 'api.write', token_type: 'bearer', expires_in: 900 })
      t.notOk(tokens.refresh_token ?? tokens.id_token)
      t.match((await api(tokens.access_token)).json, { subject: '' })
      await t.rejects(client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck), {
        name: 'WWWAuthenticateChallengeError',
        status: 401,
        cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
      })
    })
  }
}

t.test('the library refuses a response to another request', async (t) => {
  const config = await configure('app opaque', client.None())
  const { callback, checks } = await authorize(config)
  const elsewhere = new URL(callback)
  elsewhere.searchParams.set('iss', 'https://mallory.example.com')

  const redeem = (url: URL, changed: object) =>
    client.authorizationCodeGrant(config, url, { ...checks, ...changed })

  await t.rejects(redeem(elsewhere, {}), { cause: { message: /"iss"/ } }, 'from another issuer')
  await t.rejects(redeem(callback, { expectedState: 'another' }), { cause: { message: /"state"/ } })
  await t.rejects(redeem(callback, { expectedNonce: 'another' }), {
    code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  })
})

t.test('a wrong code_verifier is refused and does not spend the code', async (t) => {
  const config = await configure('app opaque', client.None())
  const { callback, checks } = await authorize(config)
  const wrong = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() }

  await t.rejects(client.authorizationCodeGrant(config, callback, wrong), {
    name: 'ResponseBodyError',
    error: 'invalid_grant',
    error_description: /code_verifier/,
    status: 400,
  })
  t.ok(await client.authorizationCodeGrant(config, callback, checks))
})

t.test('a replayed code is refused, and its tokens are revoked', async (t) => {
  const config = await configure('app opaque', client.None())
  const { callback, checks } = await authorize(config)
  const { access_token } = await client.authorizationCodeGrant(config, callback, checks)

  await t.rejects(client.authorizationCodeGrant(config, callback, checks), {
    name: 'ResponseBodyError',
    error: 'invalid_grant',
  })
  await t.rejects(client.fetchUserInfo(config, access_token, 'alice'), {
    name: 'WWWAuthenticateChallengeError',
    status: 401,
    cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
  })
})

t.test('a wrong client secret is refused with 401', async (t) => {
  for (const method of [client.ClientSecretBasic, client.ClientSecretPost]) {
    const config = await configure(`${ODD_ID} opaque`, method(`${ODD_SECRET}x`))
    await t.rejects(client.clientCredentialsGrant(config), {
      name: 'WWWAuthenticateChallengeError',
      status: 401,
      cause: [{ scheme: 'basic', parameters: { realm: 'redmint' } }],
    })
  }
})

t.test('a grant type that the client may not use is unauthorized_client', async (t) => {
  const config = await configure('app opaque', client.None())
  await t.rejects(client.clientCredentialsGrant(config), {
    name: 'ResponseBodyError',
    error: 'unauthorized_client',
    status: 400,
  })
})

t.test('a scope that the client may not obtain is invalid_scope', async (t) => {
  const config = await configure(`${ODD_ID} opaque`, client.ClientSecretBasic(ODD_SECRET))
  await t.rejects(client.clientCredentialsGrant(config, { scope: 'admin' }), {
    name: 'ResponseBodyError',
    error: 'invalid_scope',
  })

  const { callback, checks } = await authorize(config, { scope: 'openid admin' })
  await t.rejects(client.authorizationCodeGrant(config, callback, checks), {
    name: 'AuthorizationResponseError',
    error: 'invalid_scope',
  })
})

t.test('prompt=none without a session is login_required', async (t) => {
  const config = await configure('app opaque', client.None())
  const { callback, checks } = await authorize(config, { subject: '', prompt: 'none' })

  await t.rejects(client.authorizationCodeGrant(config, callback, checks), {
    name: 'AuthorizationResponseError',
    error: 'login_required',
  })
})

t.end()
