// What the budget test measures: the requests of each operation, which together are one exchange of a client.

import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { write } from '../../../src/storage/records.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import { DEVICE } from '../../../src/tokens/device-record.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { waitingIdOf } from '../../../src/tokens/waiting-code.ts'
import { PASSWORD, RELYING_PARTIES } from '../accounts.ts'
import { type ClientAnswer, type ClientRequest, type Exchange, headerOf } from '../callback-client.ts'
import { LARGEST, storeNotes } from '../details.ts'
import { DEVICE_GRANT } from '../device.ts'
import { makeDpopKey, makeProof, sha256 } from '../dpop.ts'
import { agent, apiOf, exchangeForm, storeAgents } from '../exchange.ts'
import { saveCode } from '../records.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  ISSUER,
  REDIRECT_URI,
  VERIFIER,
} from '../service.ts'
import { assertionOf, CLIENT_ASSERTION_TYPE, claimsOf, issuerKey, keySetOf } from '../trusted-issuer.ts'
import type { CountedService } from './service.ts'

export interface Operation {
  name: string
  format: AccessTokenFormat
  /** Whether it is more than one request. */
  is_flow?: true
  /** Prepares everything that the exchange needs, which does not count. */
  prepare(service: CountedService): Promise<() => Exchange>
}

type Steps<T> = Generator<ClientRequest, T, ClientAnswer>

/** Sends one request. @throws if its answer has another status */
function* ask(request: ClientRequest, status = 200): Steps<ClientAnswer> {
  const answer = yield request
  if (answer.status === status) return answer
  throw new Error(`${request.path}: ${answer.status} instead of ${status}: ${answer.body.slice(0, 500)}`)
}

const get = (path: string, headers = {}): ClientRequest => ({ method: 'GET', path, headers })
const post = (path: string, form: Record<string, string>, headers = {}): ClientRequest => ({
  method: 'POST',
  path,
  headers,
  form,
})
const toToken = (form: Record<string, string>, headers = {}) => post('/oauth2/token', form, headers)

function* single(request: ClientRequest, status = 200): Exchange {
  yield* ask(request, status)
}
const always = (request: ClientRequest, status?: number) => async () => () => single(request, status)

interface Tokens {
  access_token: string
  refresh_token: string
}

/** A public client whose users are not asked for consent. */
const { client_id } = RELYING_PARTIES.own
const SCOPE = 'openid api.read'

function* tokensFor(form: Record<string, string>, headers = {}): Steps<Tokens> {
  const { body } = yield* ask(toToken(form, headers))
  return JSON.parse(body) as Tokens
}
const redeem = (code: string) => tokensFor(codeRequest(code, { client_id }))
const refresh = ({ refresh_token }: Tokens) =>
  tokensFor({ grant_type: 'refresh_token', client_id, refresh_token })
const OWN = { grant_type: 'client_credentials', scope: 'api.read' }
const own = (headers = {}) => tokensFor(OWN, Object.assign(basic('web'), headers))

/** Plays steps that do not count, and returns their result. */
async function played<T>({ play }: CountedService, steps: Steps<T>): Promise<T> {
  const found: T[] = []
  await play(
    (function* () {
      found.push(yield* steps)
    })(),
  )
  return found[0] as T
}

/** The tokens of a sign-in of alice. */
async function signedIn(service: CountedService, more: Partial<CodeRecord> = {}): Promise<Tokens> {
  const code = newToken(newFamilyId())
  const request = { redirect_uri: REDIRECT_URI, code_challenge: s256Challenge(VERIFIER), scope: SCOPE }
  const user = { subject: 'sub-of-alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
  await saveCode(service.storage, code, { client_id, ...request, ...user, ...more }, 60)
  return played(service, redeem(code))
}

const withOwnToken = (request: (token: string) => ClientRequest) => async (service: CountedService) => {
  const { access_token } = await played(service, own())
  return () => single(request(access_token))
}

// A rotation also removes what the one before it left.
async function refreshing(service: CountedService): Promise<() => Exchange> {
  const first = await signedIn(service)
  const tokens = await played(service, refresh(first))
  return function* () {
    yield* refresh(tokens)
  }
}

/** A poll of a device whose user has not answered. */
async function polling({ storage }: CountedService): Promise<() => Exchange> {
  const device_code = newToken(newFamilyId())
  const asked = { client_id: 'tv', scope: SCOPE, user_code: 'WDJBMJHT', address: '192.0.2.1' }
  const device = { ...asked, asked_at: '2026-11-22T12:00:00.000Z', status: 'pending', interval: '5' }
  await storage.records.put(write(DEVICE, waitingIdOf(device_code) ?? '', device, 600))
  return () => single(toToken({ grant_type: DEVICE_GRANT, client_id: 'tv', device_code }), 400)
}

type Cookies = Map<string, string>

/** Sends a request of a browser, and keeps the cookies of the answer. */
function* visit(cookies: Cookies, request: ClientRequest): Steps<ClientAnswer> {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const answer = yield { ...request, headers: { accept: 'text/html', ...(cookie && { cookie }) } }
  for (const line of answer.head) {
    const [, name, value] = /^set-cookie: ([^=]+)=([^;]*)/i.exec(line) ?? []
    if (name !== undefined) cookies.set(name, value ?? '')
  }
  return answer
}

/** Asks for a code; signs in if a page asks for it. */
function* authorize(cookies: Cookies): Steps<string> {
  const request = authorizationRequest({ client_id, scope: SCOPE, subject: undefined })
  let answer = yield* visit(cookies, get(`/oauth2/authorize?${new URLSearchParams(request)}`))
  for (;;) {
    const location = headerOf(answer, 'location')
    if (location?.startsWith(REDIRECT_URI)) return new URL(location).searchParams.get('code') ?? ''
    answer = yield* visit(cookies, location === undefined ? signInAt(answer) : get(location))
  }
}

/** The form of the sign-in page, filled in. */
function signInAt({ status, body }: ClientAnswer): ClientRequest {
  const fields = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const [, action] = /<form method="post" action="([^"]*)"/.exec(body) ?? []
  if (status !== 200 || action === undefined) throw new Error(`no sign-in page: ${status} ${body}`)
  const hidden = Object.fromEntries(fields.map(([, name, value]) => [name, value]))
  return post(action, { ...hidden, username: 'alice', password: PASSWORD })
}

function* flow(cookies: Cookies): Exchange {
  yield* redeem(yield* authorize(cookies))
}

async function withSession(service: CountedService): Promise<() => Exchange> {
  const cookies: Cookies = new Map()
  await played(service, authorize(cookies))
  return () => flow(cookies)
}

const issue = async () =>
  function* (): Exchange {
    yield* own()
  }

const KEY = issuerKey('a-key')
const { client_secret_hash: _, ...withoutSecret } = CLIENTS.service

/** A client that authenticates by private_key_jwt. */
export const SIGNER: ClientDefinition = {
  ...withoutSecret,
  client_id: 'signer',
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: keySetOf(KEY),
}

const issueByAssertion = async () => {
  const client_assertion = assertionOf(KEY, claimsOf(SIGNER.client_id, SIGNER.client_id))
  return () => single(toToken({ ...OWN, client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion }))
}

const PROOF_KEY = makeDpopKey()

/** A header with a new proof. */
const proof = (htm: string, path: string, claims = {}) => ({
  dpop: makeProof(PROOF_KEY, { htm, htu: ISSUER + path, iat: Math.floor(Date.now() / 1000), ...claims }),
})
const proofForToken = () => proof('POST', '/oauth2/token')

const issueBound = async () => {
  const headers = proofForToken()
  return function* (): Exchange {
    yield* own(headers)
  }
}

const withBoundToken = async (service: CountedService) => {
  const { access_token } = await played(service, own(proofForToken()))
  const path = '/api/resource'
  const headers = {
    authorization: `DPoP ${access_token}`,
    ...proof('GET', path, { ath: sha256(access_token) }),
  }
  return () => single(get(path, headers))
}
const introspect = (token: string) => post('/oauth2/introspect', { token }, basic('web'))
const revoke = (token: string) => post('/oauth2/revoke', { token }, basic('web'))
const resource = (token: string) => get('/api/resource', bearer(token))
const withUserToken = async (service: CountedService) => {
  const { access_token } = await signedIn(service)
  return () => single(get('/userinfo', bearer(access_token)))
}

/** At a depth of 4 each of these acts for alice; all details that a token may have go along. */
const AGENTS = 4
const stored = new WeakSet<object>()

/** Prepares an exchange by the agent of this number, whose subject token the agents before it exchanged. */
const exchanging =
  (depth: number, details?: string) =>
  async (service: CountedService): Promise<() => Exchange> => {
    const { storage } = service
    if (!stored.has(storage)) {
      stored.add(storage)
      await storeAgents(storage, AGENTS + 1)
      await storeNotes(storage, [client_id, ...Array.from({ length: AGENTS }, (_, i) => agent(i + 1))])
    }
    const exchange = (n: number, token: string) => {
      const form = { ...exchangeForm(token), resource: apiOf(n + 1) }
      return toToken(form, basic(agent(n)))
    }
    const asked = { resource: apiOf(1), ...(details !== undefined && { authorization_details: details }) }
    let { access_token } = await signedIn(service, asked)
    for (let n = 1; n < depth; n++) {
      const { body } = await played(service, ask(exchange(n, access_token)))
      access_token = (JSON.parse(body) as Tokens).access_token
    }
    return () => single(exchange(depth, access_token))
  }
const DEEPEST = exchanging(AGENTS, JSON.stringify(LARGEST))

const PAR = '/oauth2/par'
const PUSHED = authorizationRequest({ client_id: 'web', subject: undefined })

const UNREGISTERED = authorizationRequest({ client_id: 'web', redirect_uri: 'https://app.example.com/other' })

/** The operations that a budget is set for, by the format of the access tokens. */
export const OPERATIONS: readonly Operation[] = [
  { name: 'client credentials', format: 'opaque', prepare: issue },
  { name: 'client credentials', format: 'jwt', prepare: issue },
  { name: 'client credentials, private_key_jwt', format: 'opaque', prepare: issueByAssertion },
  { name: 'client credentials, private_key_jwt', format: 'jwt', prepare: issueByAssertion },
  { name: 'client credentials, DPoP', format: 'opaque', prepare: issueBound },
  { name: 'client credentials, DPoP', format: 'jwt', prepare: issueBound },
  { name: 'introspection', format: 'opaque', prepare: withOwnToken(introspect) },
  { name: 'introspection', format: 'jwt', prepare: withOwnToken(introspect) },
  { name: 'bearer', format: 'opaque', prepare: withOwnToken(resource) },
  { name: 'bearer', format: 'jwt', prepare: withOwnToken(resource) },
  { name: 'resource, DPoP', format: 'opaque', prepare: withBoundToken },
  { name: 'resource, DPoP', format: 'jwt', prepare: withBoundToken },
  { name: 'userinfo', format: 'opaque', prepare: withUserToken },
  { name: 'refresh', format: 'opaque', prepare: refreshing },
  { name: 'refresh', format: 'jwt', prepare: refreshing },
  { name: 'token exchange', format: 'opaque', prepare: exchanging(1) },
  { name: 'token exchange', format: 'jwt', prepare: exchanging(1) },
  { name: 'token exchange, the deepest and largest', format: 'opaque', prepare: DEEPEST },
  { name: 'token exchange, the deepest and largest', format: 'jwt', prepare: DEEPEST },
  { name: 'device poll', format: 'opaque', prepare: polling },
  { name: 'revoke', format: 'opaque', prepare: withOwnToken(revoke) },
  { name: 'revoke', format: 'jwt', prepare: withOwnToken(revoke) },
  {
    name: 'pushed authorization request',
    format: 'opaque',
    prepare: async () => () => single(post(PAR, PUSHED, basic('web')), 201),
  },
  { name: 'code flow with a session', format: 'opaque', is_flow: true, prepare: withSession },
  {
    name: 'code flow with sign-in',
    format: 'opaque',
    is_flow: true,
    prepare: async () => () => flow(new Map()),
  },
  {
    name: 'discovery',
    format: 'opaque',
    prepare: always(get('/.well-known/openid-configuration')),
  },
  {
    name: 'refused token request',
    format: 'opaque',
    prepare: async () => () => single(post('/oauth2/token', { grant_type: 'none' }, basic('web')), 400),
  },
  {
    name: 'refused authorization request',
    format: 'opaque',
    prepare: always(get(`/oauth2/authorize?${new URLSearchParams(UNREGISTERED)}`), 400),
  },
  { name: 'key set', format: 'opaque', prepare: always(get('/.well-known/jwks.json')) },
  { name: 'liveness', format: 'opaque', prepare: always(get('/health')) },
]
