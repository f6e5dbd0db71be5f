// openid-client goes through the flows of FAPI 2.0 on two alternating replicas: pushed and signed requests, DPoP, JARM.
import { exportJWK } from 'jose'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import type { ClientDefinition } from '../../../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { newRequest } from '../../../support/openid-client.ts'
import { CLIENTS, SECRET } from '../../../support/service.ts'
import { asPage, type Departure, type Page } from '../../../support/visitor.ts'

const KID = 'a key of the client'
const OWN = await client.randomDPoPKeyPair('ES256')
const SIGNING = { key: OWN.privateKey, kid: KID }
const SCOPE = 'openid profile offline_access api.read'

const METHODS = {
  'by its key': client.PrivateKeyJwt(SIGNING),
  'with a secret': client.ClientSecretBasic(SECRET),
  'as a public client': client.None(),
} as const
type Who = keyof typeof METHODS

/** How a client asks for its answers, and whether it signs its requests. */
interface Way {
  readonly response_mode?: 'jwt' | 'form_post.jwt'
  readonly is_signed?: boolean
  readonly is_pushed: boolean
}

const REFUSED = { name: 'WWWAuthenticateChallengeError', status: 401 }
const ALGS = { authorization_signed_response_alg: 'ES256', id_token_signed_response_alg: 'ES256' } as const

/** The registration of a client that authenticates in this way. */
async function definition(who: Who, redirect_uri: string): Promise<ClientDefinition> {
  const { client_secret_hash, ...keyless } = CLIENTS.web
  const jwk = { ...(await exportJWK(OWN.publicKey)), kid: KID, alg: 'ES256', use: 'sig' }
  const by = {
    'by its key': {
      ...keyless,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: JSON.stringify({ keys: [jwk] }),
    },
    'with a secret': { ...keyless, client_secret_hash },
    'as a public client': CLIENTS.app,
  } as const
  return {
    ...by[who],
    ...ALGS,
    client_id: who,
    redirect_uris: [redirect_uri],
    allowed_scopes: ['openid', 'profile', 'offline_access', 'api.read'],
    grant_types: ['authorization_code', 'refresh_token'],
    first_party: true,
    dpop_bound_access_tokens: true,
  }
}

async function startStage(t: Test, options: Parameters<typeof setStage>[1]) {
  const stage = await setStage(t, options)
  for (const who of Object.keys(METHODS) as Who[]) {
    await stage.register(await definition(who, stage.wiki.redirect_uri))
  }
  return stage
}
type Stage = Awaited<ReturnType<typeof startStage>>

/** Opens an authorization request, signs in, and agrees if there is a question. */
async function signIn(issuer: string, url: URL): Promise<Page | Departure> {
  const person = visitorAt(issuer)
  const login = await person.page(url.href.slice(issuer.length))
  const answer = await person.submit(login, { username: 'alice', password: PASSWORD })
  if ('location' in answer || !answer.buttons.includes('decision=allow')) return answer
  return await person.submit(answer, { decision: 'allow' })
}

/** The request with which the answer reaches the client: a redirect, or a form that the page posts. */
function callback(answer: Page | Departure, redirect_uri: string): URL | Request {
  if ('location' in answer) return answer.location
  const body = new URLSearchParams(asPage(answer).hidden)
  return new Request(redirect_uri, { method: 'POST', body })
}

/** A sign-in and all that the client does with its tokens. */
async function goThrough(t: Test, { issuer, wiki: { redirect_uri } }: Stage, who: Who, way: Way) {
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  if (way.response_mode === 'jwt') execute.push(client.useJwtResponseMode)
  const config = await client.discovery(new URL(issuer), who, ALGS, METHODS[who], { execute })
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
  const { checks, parameters: asked } = await newRequest(redirect_uri, SCOPE)
  let parameters = new URLSearchParams({
    ...asked,
    prompt: 'consent',
    ...(way.response_mode && { response_mode: way.response_mode }),
  })
  let url = client.buildAuthorizationUrl(config, parameters)
  if (way.is_signed) {
    url = await client.buildAuthorizationUrlWithJAR(config, parameters, SIGNING)
    t.same([...url.searchParams.keys()].toSorted(), ['client_id', 'request'])
    parameters = url.searchParams
  }
  if (way.is_pushed) {
    url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
    t.same([...url.searchParams.keys()].toSorted(), ['client_id', 'request_uri'])
  }

  // It always asks for `jwt` when it expects a JWT.
  if (way.response_mode === 'form_post.jwt') client.useJwtResponseMode(config)
  const answered = callback(await signIn(issuer, url), redirect_uri)
  t.equal(answered instanceof Request, way.response_mode === 'form_post.jwt')
  const first = await client.authorizationCodeGrant(config, answered, checks, undefined, { DPoP })
  t.match(first, { token_type: 'dpop', refresh_token: String })
  t.match(first.claims(), { iss: issuer, aud: who, sub: 'sub-of-alice' })

  const { refresh_token = '' } = first
  const tokens = await client.refreshTokenGrant(config, refresh_token, undefined, { DPoP })
  t.equal(tokens.token_type, 'dpop')
  for (const { access_token } of [first, tokens]) {
    t.match(await client.fetchUserInfo(config, access_token, 'sub-of-alice', { DPoP }), {
      name: 'Alice Example',
    })
    const api = new URL(`${issuer}/api/resource`)
    const ask = (handle?: client.DPoPHandle) =>
      client.fetchProtectedResource(
        config,
        access_token,
        api,
        'GET',
        null,
        undefined,
        handle && { DPoP: handle },
      )
    t.match(await (await ask(DPoP)).json(), { subject: 'sub-of-alice' })
    await t.rejects(ask(), REFUSED, 'without a proof')
    const stranger = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
    await t.rejects(ask(stranger), REFUSED, 'with another key')
  }
  if (who !== 'as a public client') {
    const { cnf, token_type } = await client.tokenIntrospection(config, tokens.access_token)
    t.same({ token_type, cnf }, { token_type: 'DPoP', cnf: { jkt: await DPoP.calculateThumbprint() } })
  }
  await client.tokenRevocation(config, tokens.refresh_token ?? '')
  await t.rejects(client.fetchUserInfo(config, tokens.access_token, 'sub-of-alice', { DPoP }), REFUSED)
  await t.rejects(client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP }), {
    name: 'ResponseBodyError',
    error: 'invalid_grant',
  })
}

for (const dpop_nonce of ['off', 'required'] as const) {
  for (const access_token_format of ACCESS_TOKEN_FORMATS) {
    t.test(`nonces ${dpop_nonce}, ${access_token_format} access tokens`, async (t) => {
      const stage = await startStage(t, { dpop_nonce, access_token_format })
      for (const who of Object.keys(METHODS) as Who[]) {
        await t.test(`pushed ${who}`, (t) => goThrough(t, stage, who, { is_pushed: true }))
      }
      const signed: Record<string, Way> = {
        'signed, at the authorization endpoint': { is_signed: true, is_pushed: false },
        'signed and pushed, answered by jwt': { is_signed: true, is_pushed: true, response_mode: 'jwt' },
        'signed and pushed, answered by form_post.jwt': {
          is_signed: true,
          is_pushed: true,
          response_mode: 'form_post.jwt',
        },
      }
      for (const [what, way] of Object.entries(signed)) {
        await t.test(what, (t) => goThrough(t, stage, 'by its key', way))
      }
      t.ok(Math.min(...stage.served) > 0, 'both replicas answered')
    })
  }
}
