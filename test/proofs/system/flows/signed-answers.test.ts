// openid-client and oauth4webapi get their answers as JWTs, signed and encrypted, on two alternating replicas.
import type { webcrypto } from 'node:crypto'
import { compactDecrypt, exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import t from 'tap'
import type { ClientDefinition } from '../../../../src/clients/record/client-record.ts'
import { ENCRYPTED_ANSWERS } from '../../../../src/clients/record/signed-answer-fields.ts'
import type { EncryptionAlg } from '../../../../src/core/algs.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { newRequest } from '../../../support/openid-client.ts'
import { CLIENTS, SECRET } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const { issuer, register, wiki } = await setStage(t)
const { registration, redirect_uri } = wiki
const INSECURE = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'openid profile'

const ALGS = {
  id_token_signed_response_alg: 'ES256',
  authorization_signed_response_alg: 'ES256',
  introspection_signed_response_alg: 'ES256',
  userinfo_signed_response_alg: 'ES256',
} as const
const SIGNED = {
  ...CLIENTS.web,
  ...ALGS,
  redirect_uris: [redirect_uri],
  allowed_scopes: registration.allowed_scopes,
  grant_types: ['authorization_code'],
  first_party: true,
} as const satisfies Partial<ClientDefinition>

const KID = 'a key of the client'

/** The fields of a client whose answers are all encrypted to this key. */
async function encryptedTo(publicKey: webcrypto.CryptoKey, alg: EncryptionAlg) {
  const jwk = { ...(await exportJWK(publicKey)), use: 'enc', kid: KID }
  return {
    jwks: JSON.stringify({ keys: [jwk] }),
    ...Object.fromEntries(
      ENCRYPTED_ANSWERS.flatMap((what) => [
        [`${what}_encrypted_response_alg`, alg],
        [`${what}_encrypted_response_enc`, 'A256GCM'],
      ]),
    ),
  }
}

const EC = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
const RSA = await crypto.subtle.generateKey(
  { name: 'RSA-OAEP', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  true,
  ['encrypt', 'decrypt'],
)

/** The clients, and what each decrypts with. */
const PARTIES: Readonly<Record<string, webcrypto.CryptoKey | undefined>> = {
  signed: undefined,
  'by-ec': EC.privateKey,
  'by-rsa': RSA.privateKey,
}
await register({ ...SIGNED, client_id: 'signed' })
await register({ ...SIGNED, client_id: 'by-ec', ...(await encryptedTo(EC.publicKey, 'ECDH-ES')) })
await register({ ...SIGNED, client_id: 'by-rsa', ...(await encryptedTo(RSA.publicKey, 'RSA-OAEP-256')) })

const visitor = () => visitorAt(issuer)

/** Opens an authorization request in a browser where nobody is signed in. */
const visit = (url: URL) => visitor().open(url.href.slice(issuer.length))

/** Opens an authorization request and signs in. */
async function signIn(url: URL) {
  const person = visitor()
  const login = await person.page(url.href.slice(issuer.length))
  return person.submit(login, { username: 'alice', password: PASSWORD })
}

for (const [client_id, key] of Object.entries(PARTIES)) {
  t.test(`openid-client, the client ${client_id}`, async (t) => {
    const config = await client.discovery(
      new URL(issuer),
      client_id,
      ALGS,
      client.ClientSecretBasic(SECRET),
      {
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks, client.useJwtResponseMode],
      },
    )
    if (key !== undefined) client.enableDecryptingResponses(config, ['A256GCM'], { key, kid: KID })
    const { checks, parameters } = await newRequest(redirect_uri, SCOPE)
    const url = client.buildAuthorizationUrl(config, parameters)
    t.equal(url.searchParams.get('response_mode'), 'jwt')
    const { location } = asDeparture(await signIn(url))
    const tokens = await client.authorizationCodeGrant(config, location, checks)
    t.match(tokens.claims(), { sub: 'sub-of-alice' })
    t.equal(tokens.id_token?.split('.').length, key === undefined ? 3 : 5)
    t.match(await client.fetchUserInfo(config, tokens.access_token, 'sub-of-alice'), {
      name: 'Alice Example',
    })
    t.match(await client.tokenIntrospection(config, tokens.access_token), {
      active: true,
      client_id,
      sub: 'sub-of-alice',
    })
    t.same(await client.tokenIntrospection(config, 'unknown'), { active: false })

    url.searchParams.set('prompt', 'none')
    const refused = asDeparture(await visit(url))
    await t.rejects(client.authorizationCodeGrant(config, refused.location, checks), {
      name: 'AuthorizationResponseError',
      error: 'login_required',
    })
  })

  t.test(`oauth4webapi, the client ${client_id}`, async (t) => {
    const discovered = await oauth.discoveryRequest(new URL(issuer), INSECURE)
    const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered)
    const rp = { client_id, ...ALGS }
    const authentication = oauth.ClientSecretBasic(SECRET)
    const options = {
      ...INSECURE,
      ...(key && {
        [oauth.jweDecrypt]: async (jwe: string) =>
          new TextDecoder().decode((await compactDecrypt(jwe, key)).plaintext),
      }),
    }
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, expectedNonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      response_mode: 'form_post.jwt',
      scope: SCOPE,
      state,
      nonce: expectedNonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()
    const { hidden } = asPage(await signIn(url))
    const told = new URLSearchParams(hidden)
    const validated = await oauth.validateJwtAuthResponse(server, rp, told, state, options)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      rp,
      authentication,
      validated,
      redirect_uri,
      verifier,
      INSECURE,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, rp, response, {
      ...options,
      expectedNonce,
      requireIdToken: true,
    })
    const about = await oauth.userInfoRequest(server, rp, tokens.access_token, INSECURE)
    t.match(await oauth.processUserInfoResponse(server, rp, 'sub-of-alice', about, options), {
      name: 'Alice Example',
    })
    await oauth.validateApplicationLevelSignature(server, about, INSECURE)
    const asked = await oauth.introspectionRequest(server, rp, authentication, tokens.access_token, INSECURE)
    t.match(await oauth.processIntrospectionResponse(server, rp, asked, options), { active: true, client_id })
    await oauth.validateApplicationLevelSignature(server, asked, INSECURE)
  })
}
