// A client of the replicas over real HTTP; all that it does is put on record.
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientDefinition } from '../../../src/clients/client-record.ts'
import { authorizationRequest, basic, bearer, codeRequest } from '../../support/service.ts'
import { type Action, type Entry, type History, type Outcome, type Place, undecided } from './history.ts'

/** A server by the name that the history knows it by. */
export interface Server {
  name: string
  address: string
}

/** How an attempt is made: all that may differ from an honest first one. */
export interface Way {
  request?: number
  honest?: boolean
}

interface Sending {
  path: string
  form?: Record<string, string>
  headers?: Record<string, string>
}

/** How long to wait for an answer, in milliseconds. A server has a second; the rest is for a busy machine. */
const PATIENCE_MS = 5000
/** Between two attempts, in milliseconds: sooner than Retry-After asks for, as hasty clients do. */
const RETRY_MS = 250

/** One of the clients of test/support/service.ts or of test/lifecycle/service.ts, at whatever server it is sent to. */
export class Client {
  readonly #history: History
  readonly #registered: ClientDefinition

  constructor(history: History, registered: ClientDefinition) {
    this.#history = history
    this.#registered = registered
  }

  authorize(server: Server, way?: Way): Promise<Entry> {
    const query = new URLSearchParams(authorizationRequest({ client_id: this.#registered.client_id }))
    return this.#attempt(server, { kind: 'authorize' }, { path: `/oauth2/authorize?${query}` }, way)
  }

  redeem(server: Server, code: string, way?: Way): Promise<Entry> {
    const form = codeRequest(code)
    return this.#attempt(server, { kind: 'redeem', code }, this.#asClient('/oauth2/token', form), way)
  }

  refresh(server: Server, refresh_token: string, way?: Way): Promise<Entry> {
    const form = { grant_type: 'refresh_token', refresh_token }
    return this.#attempt(
      server,
      { kind: 'refresh', refresh_token },
      this.#asClient('/oauth2/token', form),
      way,
    )
  }

  /** A token for the client itself. */
  ownToken(server: Server, way?: Way): Promise<Entry> {
    const form = { grant_type: 'client_credentials' }
    return this.#attempt(server, { kind: 'client_credentials' }, this.#asClient('/oauth2/token', form), way)
  }

  revoke(server: Server, token: string, way?: Way): Promise<Entry> {
    return this.#attempt(server, { kind: 'revoke', token }, this.#asClient('/oauth2/revoke', { token }), way)
  }

  /** Presents a token; introspection needs a confidential client. */
  use(server: Server, token: string, place: Place, way?: Way): Promise<Entry> {
    const sending = {
      api: { path: '/api/resource', headers: bearer(token) },
      userinfo: { path: '/userinfo', headers: bearer(token) },
      introspect: this.#asClient('/oauth2/introspect', { token }),
    }[place]
    return this.#attempt(server, { kind: 'use', token, place }, sending, way)
  }

  /**
   * Does something, and does it again for as long as the answer is that nobody knows.
   * @param limit how often at most; the last answer is returned, whatever it is
   */
  async untilAnswered(attempt: (way: Way) => Promise<Entry>, limit = 40): Promise<Entry> {
    const way = { request: this.#history.newRequest() }
    for (let left = limit; ; left--) {
      const entry = await attempt(way)
      if (!undecided(entry) || left <= 1) return entry
      await pause(RETRY_MS)
    }
  }

  #asClient(path: string, form: Record<string, string>): Sending {
    const { client_id, is_public } = this.#registered
    return is_public
      ? { path, form: { ...form, client_id } }
      : { path, form: withoutClient(form), headers: basic(client_id) }
  }

  #attempt(server: Server, action: Action, sending: Sending, way: Way = {}): Promise<Entry> {
    const { request = this.#history.newRequest(), honest = true } = way
    const by = { server: server.name, request, honest }
    return this.#history.record(action, by, () => send(server.address, sending))
  }
}

// One way to authenticate per request.
function withoutClient({ client_id: _, ...form }: Record<string, string>): Record<string, string> {
  return form
}

async function send(address: string, { path, form, headers = {} }: Sending): Promise<Outcome> {
  let response: Response
  let text: string
  try {
    response = await fetch(address + path, {
      redirect: 'manual',
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    text = await response.text()
  } catch {
    return {}
  }
  return outcomeOf(response, text)
}

function outcomeOf({ status, headers }: Response, text: string): Outcome {
  const json = headers.get('content-type')?.includes('json') ? (JSON.parse(text) as Body) : {}
  const { error, access_token, refresh_token, active } = json
  const code = new URL(headers.get('location') ?? 'none:').searchParams.get('code')
  const retry_after = headers.get('retry-after')
  return {
    status,
    ...(retry_after === null ? {} : { retry_after }),
    ...(code === null ? {} : { code }),
    ...(error === undefined ? {} : { error }),
    ...(access_token === undefined ? {} : { access_token }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(active === undefined ? {} : { accepted: active }),
    // A redirect with an error is none that was hoped for.
    ...(status === 302 && code === null ? { accepted: false } : {}),
  }
}

interface Body {
  error?: string
  access_token?: string
  refresh_token?: string
  active?: boolean
}
