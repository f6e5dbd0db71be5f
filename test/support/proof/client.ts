// A client of the replicas over real HTTP; all its requests are recorded.
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { CIBA_GRANT } from '../asks.ts'
import { DEVICE_GRANT } from '../device.ts'
import { authorizationRequest, basic, bearer, codeRequest, ISSUER } from '../service.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER } from '../trusted-issuer.ts'
import { authenticated, hasKeys, withToken } from './client-with-keys.ts'
import { DeviceUser } from './device-user.ts'
import {
  type Action,
  type Entry,
  type History,
  jwtClaims,
  type Once,
  type Outcome,
  type Place,
  undecided,
  withoutAnswer,
} from './history.ts'

/** A server and its name in the history. */
export interface Server {
  name: string
  address: string
  /** False: it is stopping, and no balancer chooses it. */
  up?: boolean
}

/** The options of an attempt, where it differs from a legitimate first one. */
export interface Way {
  request?: number
  honest?: boolean
  /** What was presented before, instead of what is new. */
  once?: Once
}

/** A request. */
export interface Sending {
  path: string
  /** GET, or POST with a form or JSON, unless it is another one. */
  method?: string
  form?: Record<string, string>
  json?: object
  headers?: Record<string, string>
  /** What of it is accepted once. */
  once?: Once
}

/** The timeout of a response in milliseconds. A server needs a second; the rest is for a slow machine. */
const PATIENCE_MS = 5000
/** The time between two attempts in milliseconds: shorter than Retry-After, like impatient clients. */
const RETRY_MS = 250

/** The trusted issuer of assertions, and its key. */
export const PROOF_ISSUER = 'https://workloads.example.com'
export const PROOF_KEY = issuerKey()

const API = `${ISSUER}/api`
/** The clients that sign in for a resource; one names it in token requests, the other relies on its sign-in. */
const RESOURCES: Readonly<Record<string, { sign_in: string; token_request?: string }>> = {
  'for-api': { sign_in: API, token_request: API },
  'jwt-for-api': { sign_in: API },
}
const PLACES: readonly Place[] = ['api', 'userinfo', 'introspect']

/** One of the clients of test/support/service.ts or test/support/lifecycle.ts. */
export class Client {
  readonly #history: History
  readonly #registered: ClientDefinition
  #device_user: DeviceUser | undefined

  constructor(history: History, registered: ClientDefinition) {
    this.#history = history
    this.#registered = registered
  }

  get is_public(): boolean {
    return this.#registered.is_public
  }

  /** The endpoints that accept its tokens. */
  get places(): readonly Place[] {
    return this.#resource === undefined ? PLACES : PLACES.filter((place) => place !== 'userinfo')
  }

  /** Whether it pushes its authorization requests. */
  get pushes(): boolean {
    return this.#registered.require_pushed_authorization_requests === true
  }

  /** Whether it asks people, and has no codes of browsers. */
  get asks(): boolean {
    return this.#registered.asks_people === true
  }

  /** Asks for a code; a device gets one that its user allowed. A client that pushes needs a request_uri. */
  authorize(server: Server, way?: Way, request_uri?: string): Promise<Entry> {
    if (this.#isDevice) return this.#authorizeDevice(server, way)
    const { client_id } = this.#registered
    if (request_uri !== undefined) {
      const query = new URLSearchParams({ client_id, request_uri })
      return this.#attempt(
        server,
        { kind: 'authorize', request_uri },
        { path: `/oauth2/authorize?${query}` },
        way,
      )
    }
    const query = new URLSearchParams(this.#authorization)
    return this.#attempt(server, { kind: 'authorize' }, { path: `/oauth2/authorize?${query}` }, way)
  }

  /** Pushes an authorization request (RFC 9126 §2.1); without a subject, a user must sign in. */
  push(server: Server, way?: Way, asked: Record<string, string> = { subject: 'alice' }): Promise<Entry> {
    const { subject: _, ...request } = this.#authorization
    const sending = this.#asClient('/oauth2/par', { ...request, ...asked }, way)
    return this.#attempt(server, { kind: 'push' }, sending, way)
  }

  redeem(server: Server, code: string, way?: Way): Promise<Entry> {
    const form = this.asks
      ? { grant_type: CIBA_GRANT, auth_req_id: code }
      : this.#isDevice
        ? { grant_type: DEVICE_GRANT, device_code: code }
        : { ...codeRequest(code), ...this.#named }
    return this.#attempt(server, { kind: 'redeem', code }, this.#asClient('/oauth2/token', form, way), way)
  }

  refresh(server: Server, refresh_token: string, way?: Way): Promise<Entry> {
    const form = { grant_type: 'refresh_token', refresh_token, ...this.#named }
    return this.#attempt(
      server,
      { kind: 'refresh', refresh_token },
      this.#asClient('/oauth2/token', form, way),
      way,
    )
  }

  /** A token for the client itself. */
  ownToken(server: Server, way?: Way): Promise<Entry> {
    const form = { grant_type: 'client_credentials' }
    const sending = this.#asClient('/oauth2/token', form, way)
    return this.#attempt(server, { kind: 'client_credentials' }, sending, way)
  }

  /** A token for an assertion about the client: a new one, because a lost answer may have spent the last. */
  assert(server: Server, way?: Way, assertion = this.#newAssertion()): Promise<Entry> {
    const form = { grant_type: JWT_BEARER, assertion }
    return this.#attempt(server, { kind: 'assertion', assertion }, { path: '/oauth2/token', form }, way)
  }

  revoke(server: Server, token: string, way?: Way): Promise<Entry> {
    const sending = this.#asClient('/oauth2/revoke', { token }, way)
    return this.#attempt(server, { kind: 'revoke', token }, sending, way)
  }

  /** Presents a token; introspection needs a confidential client, and for a refresh token its own. */
  use(server: Server, token: string, place: Place, way?: Way): Promise<Entry> {
    const sending =
      place === 'introspect'
        ? this.#asClient('/oauth2/introspect', { token }, way)
        : this.#withToken({ api: '/api/resource', userinfo: '/userinfo' }[place], token, way)
    return this.#attempt(server, { kind: 'use', token, place }, sending, way)
  }

  /**
   * Sends a request, and repeats it while the outcome is unknown.
   * @param limit the maximum number of attempts; the last response is returned in any case
   */
  async untilAnswered(attempt: (way: Way) => Promise<Entry>, limit = 40): Promise<Entry> {
    const way = { request: this.#history.newRequest() }
    for (let left = limit; ; left--) {
      const entry = await attempt(way)
      if (!undecided(entry) || left <= 1) return entry
      await pause(RETRY_MS)
    }
  }

  get #resource() {
    return RESOURCES[this.#registered.client_id]
  }

  /** The resource as a parameter of token requests. */
  get #named(): Record<string, string> {
    const { token_request } = this.#resource ?? {}
    return token_request === undefined ? {} : { resource: token_request }
  }

  #newAssertion(): string {
    return assertionOf(PROOF_KEY, claimsOf(PROOF_ISSUER, this.#registered.client_id))
  }

  get #isDevice(): boolean {
    return this.#registered.grant_types.includes(DEVICE_GRANT)
  }

  #authorizeDevice(server: Server, way: Way = {}): Promise<Entry> {
    const user = this.#device_user ?? new DeviceUser()
    this.#device_user = user
    const { request = this.#history.newRequest(), honest = true } = way
    const { form, headers } = this.#asClient('/oauth2/device_authorization', {})
    return this.#history.record({ kind: 'authorize' }, { server: server.name, request, honest }, () =>
      user.allowed(server, form, headers),
    )
  }

  get #authorization(): Record<string, string> {
    const { client_id } = this.#registered
    return {
      ...authorizationRequest({ client_id }),
      ...(this.#resource && { resource: this.#resource.sign_in }),
    }
  }

  #withToken(path: string, token: string, { once }: Way = {}): Sending {
    return hasKeys(this.#registered)
      ? { path, ...withToken(path, token, once) }
      : { path, headers: bearer(token) }
  }

  #asClient(path: string, form: Record<string, string>, { once }: Way = {}): Sending {
    const { client_id, is_public } = this.#registered
    if (hasKeys(this.#registered)) {
      const { credentials, ...proven } = authenticated(client_id, path, once)
      return { path, form: { ...form, client_id, ...credentials }, ...proven }
    }
    return is_public
      ? { path, form: { ...form, client_id } }
      : { path, form: withoutClient(form), headers: basic(client_id) }
  }

  #attempt(server: Server, action: Action, sending: Sending, way: Way = {}): Promise<Entry> {
    const { request = this.#history.newRequest(), honest = true } = way
    const resource = this.#resource?.sign_in
    const { once } = sending
    const by = {
      ...{ server: server.name, request, honest },
      ...(resource && { resource }),
      ...(once && { once }),
    }
    return this.#history.record(action, by, () => send(server.address, sending))
  }
}

// One authentication method for each request.
function withoutClient({ client_id: _, ...form }: Record<string, string>): Record<string, string> {
  return form
}

/** Sends a request to the server at this address. */
export async function send(address: string, sending: Sending): Promise<Outcome> {
  const { path, form, json, headers = {} } = sending
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  const { method = body === undefined ? 'GET' : 'POST' } = sending
  let response: Response
  let text: string
  try {
    response = await fetch(address + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body && { body }),
    })
    text = await response.text()
  } catch (error) {
    return withoutAnswer(error)
  }
  return outcomeOf(response, text)
}

function outcomeOf({ status, headers }: Response, text: string): Outcome {
  const json = headers.get('content-type')?.includes('json') ? (JSON.parse(text) as Body) : {}
  const { error, request_uri, access_token, refresh_token, active } = json
  const { client_id, registration_access_token } = json
  const audience = audienceOf(json)
  const code = new URL(headers.get('location') ?? 'none:').searchParams.get('code')
  const retry_after = headers.get('retry-after')
  return {
    status,
    ...(retry_after === null ? {} : { retry_after }),
    ...(code === null ? {} : { code }),
    ...(error === undefined ? {} : { error }),
    ...(request_uri === undefined ? {} : { request_uri }),
    ...(access_token === undefined ? {} : { access_token }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
    // Introspection names the client, too.
    ...(registration_access_token === undefined ? {} : { client_id, registration_access_token }),
    ...(audience === undefined ? {} : { audience }),
    ...(active === undefined ? {} : { accepted: active }),
    // A redirect with an error is not a success.
    ...(status === 302 && code === null ? { accepted: false } : {}),
  }
}

/** What the access token of an answer is for, which an opaque one says at introspection only. */
function audienceOf({ access_token, token_use, aud = '' }: Body): string | undefined {
  if (token_use === 'access_token') return aud
  return access_token === undefined ? undefined : jwtClaims(access_token)?.aud
}

interface Body {
  error?: string
  request_uri?: string
  access_token?: string
  refresh_token?: string
  active?: boolean
  token_use?: string
  client_id?: string
  registration_access_token?: string
  aud?: string
}
