// oauth4webapi goes through a flow of FAPI 2.0 on two alternating replicas. It does one step at a time, so the test sees
// each answer: which request needs a nonce, and which JWTs are signed.
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { CLIENTS } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }
const KID = 'a key of the client'
const { client_secret_hash: _, ...WEB } = CLIENTS.web
const ALGS = {
  authorization_signed_response_alg: 'ES256',
  id_token_signed_response_alg: 'ES256',
  introspection_signed_response_alg: 'ES256',
  userinfo_signed_response_alg: 'ES256',
} as const

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`all together, ${format} access tokens`, async (t) => {
    const settings = { dpop_nonce: 'required', require_pushed_authorization_requests: true } as const
    const { issuer, served, register, wiki } = await setStage(t, { ...settings, access_token_format: format })
    const { redirect_uri } = wiki
    const own = await oauth.generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(own.publicKey)), kid: KID, alg: 'ES256', use: 'sig' }
    await register({
      ...WEB,
      ...ALGS,
      client_id: 'fapi',
      redirect_uris: [redirect_uri],
      allowed_scopes: ['openid', 'profile', 'offline_access', 'api.read'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: JSON.stringify({ keys: [jwk] }),
      dpop_bound_access_tokens: true,
      require_signed_request_object: true,
      first_party: true,
    })
    const url = new URL(issuer)
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, INSECURE))
    const rp: oauth.Client = { client_id: 'fapi', ...ALGS }
    const signing = { key: own.privateKey, kid: KID }
    const authentication = oauth.PrivateKeyJwt(signing)
    const DPoP = oauth.DPoP(rp, await oauth.generateKeyPair('ES256'))
    const options = { ...INSECURE, DPoP }
    let challenges = 0
    /** Asks once more with the nonce, if the answer brings one. */
    const ask = async <T>(attempt: () => Promise<T>): Promise<T> => {
      try {
        return await attempt()
      } catch (error) {
        if (!oauth.isDPoPNonceError(error)) throw error
        challenges += 1
        return await attempt()
      }
    }

    const verifier = oauth.generateRandomCodeVerifier()
    const [state, expectedNonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const request = await oauth.issueRequestObject(
      server,
      rp,
      {
        redirect_uri,
        response_type: 'code',
        response_mode: 'form_post.jwt',
        scope: 'openid profile offline_access api.read',
        state,
        nonce: expectedNonce,
        prompt: 'consent',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
      signing,
    )
    const { request_uri } = await ask(async () => {
      const sent = await oauth.pushedAuthorizationRequest(server, rp, authentication, { request }, options)
      return await oauth.processPushedAuthorizationResponse(server, rp, sent)
    })
    t.equal(challenges, 1, 'the first proof has no nonce')

    const person = visitorAt(issuer)
    const login = await person.page(
      `/oauth2/authorize?${new URLSearchParams({ client_id: 'fapi', request_uri })}`,
    )
    const consent = asPage(await person.submit(login, { username: 'alice', password: PASSWORD }))
    const { hidden } = asPage(await person.submit(consent, { decision: 'allow' }))
    const told = await oauth.validateJwtAuthResponse(server, rp, new URLSearchParams(hidden), state, INSECURE)
    const first = await ask(async () => {
      const sent = await oauth.authorizationCodeGrantRequest(
        server,
        rp,
        authentication,
        told,
        redirect_uri,
        verifier,
        options,
      )
      return await oauth.processAuthorizationCodeResponse(server, rp, sent, {
        expectedNonce,
        requireIdToken: true,
      })
    })
    const tokens = await ask(async () => {
      const { refresh_token = '' } = first
      const sent = await oauth.refreshTokenGrantRequest(server, rp, authentication, refresh_token, options)
      return await oauth.processRefreshTokenResponse(server, rp, sent)
    })
    const about = await ask(async () => {
      const sent = await oauth.userInfoRequest(server, rp, tokens.access_token, options)
      const claims = await oauth.processUserInfoResponse(server, rp, 'sub-of-alice', sent)
      await oauth.validateApplicationLevelSignature(server, sent, INSECURE)
      return claims
    })
    t.match(about, { name: 'Alice Example' })
    const api = new URL('/api/resource', issuer)
    const { access_token } = tokens
    const resource = await ask(() =>
      oauth.protectedResourceRequest(access_token, 'GET', api, undefined, null, options),
    )
    t.match(await resource.json(), { subject: 'sub-of-alice' })
    const again = await ask(async () => {
      const { refresh_token = '' } = tokens
      const sent = await oauth.refreshTokenGrantRequest(server, rp, authentication, refresh_token, options)
      return await oauth.processRefreshTokenResponse(server, rp, sent)
    })
    t.equal(challenges, 1, 'every endpoint accepts the nonce of the others')

    const asked = await oauth.introspectionRequest(server, rp, authentication, again.access_token, INSECURE)
    const state_of_token = await oauth.processIntrospectionResponse(server, rp, asked)
    t.match(state_of_token, {
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: await DPoP.calculateThumbprint() },
    })
    await oauth.validateApplicationLevelSignature(server, asked, INSECURE)
    const revoked = await oauth.revocationRequest(server, rp, authentication, again.access_token, INSECURE)
    await oauth.processRevocationResponse(revoked)
    await t.rejects(
      oauth.protectedResourceRequest(again.access_token, 'GET', api, undefined, null, options),
      {
        name: 'WWWAuthenticateChallengeError',
        status: 401,
      },
    )
    t.ok(Math.min(...served) > 0, 'both replicas answered')
  })
}
