// A relying party like the OpenID conformance suite: confidential, without PKCE, with strict checks.

import { randomBytes } from 'node:crypto'
import type { JWK, JWTPayload } from 'jose'
import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { userRecord } from '../accounts.ts'
import { createClient, createUser } from '../records.ts'
import { scene } from '../scene.ts'
import type { TestOptions } from '../service.ts'
import { type Answer, basic, bearer, SECRET } from '../service.ts'
import type { Departure, Page, Visitor } from '../visitor.ts'
import { checkErrorTexts, checkIdToken, checkTokenResponse, checkUserInfo } from './conditions.ts'
import { goThroughPages, readForm, readQuery, type Shown } from './front-channel.ts'
import { CALLBACK, CLAIMS, SUITE_CLIENTS, USERNAME } from './records.ts'

type Parameters = Record<string, string | undefined>

/** The response of the authorization endpoint. */
export interface Callback {
  request: Record<string, string>
  told: URLSearchParams
  /** The pages that the user was shown. */
  shown: Shown[]
}

export interface Tokens {
  callback: Callback
  access_token: string
  refresh_token: string
  id_token: string
  claims: JWTPayload
}

export type Plan = Awaited<ReturnType<typeof startPlan>>

/** The differences of a module from the common flow. */
interface Difference {
  /** Sends the authorization request by POST. */
  posts?: boolean
  /** Authenticates the client in the body. */
  in_form?: boolean
  /** Additional parameters of the token request. */
  form?: Record<string, string>
  alg?: string
}

const random = (characters: number) => randomBytes(characters).toString('hex').slice(0, characters)

/** A service as configured for the suite, with this response mode. */
export async function startPlan(
  t: Test,
  response_mode: 'query' | 'form_post' = 'query',
  options: TestOptions = {},
) {
  const service = await scene(t, options)
  const { storage, get, token } = service
  await createUser(storage, USERNAME, await userRecord('sub-of-certified', CLAIMS))
  for (const suite of SUITE_CLIENTS) await createClient(storage, suite.client_id, formatClient(suite))
  const metadata = (await get('/.well-known/openid-configuration')).json
  const issuer = String(metadata.issuer)
  const pathOf = (name: string) => new URL(String(metadata[name])).pathname
  const keys = (await get(pathOf('jwks_uri'))).json.keys as JWK[]
  let ahead = 0
  const now = () => Math.floor(Date.now() / 1000) + ahead
  const pass = (seconds: number) => {
    ahead += seconds
    service.pass(seconds)
  }

  const open = (browser: Visitor, request: Record<string, string>) =>
    browser.open(`${pathOf('authorization_endpoint')}?${new URLSearchParams(request)}`)

  /** An authorization request, by default of the first client for `openid`. */
  const requestOf = (parameters: Parameters) => {
    const request = {
      client_id: 'suite-1',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: random(10),
      nonce: random(10),
      ...(response_mode === 'form_post' && { response_mode }),
      ...parameters,
    }
    return Object.fromEntries(
      Object.entries(request).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  }

  async function authorize(t: Test, browser: Visitor, parameters: Parameters = {}, posts = false) {
    const request = requestOf(parameters)
    let found: Page | Departure
    if (posts) {
      const { origin, pathname } = new URL(String(metadata.authorization_endpoint))
      t.equal(origin, issuer)
      found = await browser.submitFromElsewhere(pathname, request)
    } else found = await open(browser, request)
    const { end, shown } = await goThroughPages(browser, found)
    return { request, told: response_mode === 'query' ? readQuery(t, end) : readForm(t, end), shown }
  }

  /** Sends a request that must succeed, and checks the callback. */
  async function codeFor(t: Test, browser: Visitor, parameters: Parameters = {}, posts = false) {
    const callback = await authorize(t, browser, parameters, posts)
    t.strictSame([...callback.told.keys()].sort(), ['code', 'iss', 'state'], String(callback.told))
    t.equal(callback.told.get('state'), callback.request.state)
    t.equal(callback.told.get('iss'), issuer)
    return callback
  }

  /** Sends a request that must be refused, and checks the error. */
  async function errorFor(t: Test, browser: Visitor, parameters: Parameters = {}) {
    const { request, told, shown } = await authorize(t, browser, parameters)
    t.strictSame(shown, [])
    const names = ['error', 'error_description', 'iss'].concat(request.state === undefined ? [] : ['state'])
    t.strictSame([...told.keys()].sort(), names, 'no code, and nothing unexpected')
    t.equal(told.get('state') ?? undefined, request.state)
    t.equal(told.get('iss'), issuer)
    checkErrorTexts(t, Object.fromEntries(told))
    return String(told.get('error'))
  }

  /** Sends a token request as one of the clients. */
  const ask = (client_id: string, form: Record<string, string>, in_form = false) =>
    in_form ? token({ ...form, client_id, client_secret: SECRET }) : token(form, basic(client_id))

  const codeForm = ({ request, told }: Callback) => ({
    grant_type: 'authorization_code',
    code: String(told.get('code')),
    redirect_uri: String(request.redirect_uri),
  })

  async function readTokens(t: Test, callback: Callback, answer: Answer, nonce?: string, alg = 'RS256') {
    checkTokenResponse(t, answer)
    const [access_token, refresh_token, id_token] = [
      String(answer.json.access_token),
      String(answer.json.refresh_token),
      String(answer.json.id_token),
    ]
    const client_id = String(callback.request.client_id)
    const facts = { id_token, access_token, issuer, client_id, nonce, keys, alg, now: now() }
    return { callback, access_token, refresh_token, id_token, claims: await checkIdToken(t, facts) }
  }

  const userInfo = ({ access_token }: Tokens) => get(pathOf('userinfo_endpoint'), bearer(access_token))

  /** The whole flow: code, tokens, user information. */
  async function flow(t: Test, browser: Visitor, parameters: Parameters = {}, difference: Difference = {}) {
    const { posts, in_form, form, alg } = difference
    const callback = await codeFor(t, browser, parameters, posts)
    const answer = await ask(String(callback.request.client_id), { ...codeForm(callback), ...form }, in_form)
    const tokens = await readTokens(t, callback, answer, callback.request.nonce, alg)
    t.equal((await userInfo(tokens)).status, 200)
    return tokens
  }

  /** Checks the response of the user information endpoint: exactly these claims. */
  const checkClaims = (
    t: Test,
    { claims }: Tokens,
    answer: Answer,
    expected?: Readonly<Record<string, string>>,
  ) => checkUserInfo(t, answer, { sub: claims.sub, now: now(), ...(expected && { claims: expected }) })

  return {
    ...service,
    metadata,
    keys,
    pass,
    now,
    pathOf,
    open,
    requestOf,
    authorize,
    codeFor,
    errorFor,
    ask,
    codeForm,
    readTokens,
    userInfo,
    flow,
    checkClaims,
  }
}
