// A client on its own origin that starts sign-ins, receives the responses and redeems codes.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, type JWTPayload } from 'jose'
import type { Test } from 'tap'
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { basic, SECRET } from '../service.ts'

type Overrides = Record<string, string | undefined>

/** A request to the client's redirect URI. */
export interface Arrival {
  method: string
  path: string
  parameters: Record<string, string>
}

export interface RelyingParty {
  readonly client_id: string
  readonly origin: string
  readonly redirect_uri: string
  readonly post_logout_redirect_uri: string
  readonly backchannel_logout_uri: string
  /** All requests to its redirect URIs, in order. */
  readonly arrivals: Arrival[]
  /** Logout tokens that the server sent. */
  readonly logout_tokens: string[]
  /** Its client registration. */
  readonly registration: ClientDefinition
  /** The parameters of an authorization request with overrides; undefined omits a parameter. */
  request(overrides?: Overrides): Record<string, string>
  /** The same as a URL. */
  url(overrides?: Overrides): string
  /** Redeems the code of the last arrival; returns the tokens and the claims of the id_token. */
  redeem(): Promise<{ tokens: Record<string, string>; claims: JWTPayload }>
  /** Its own pages by path, for example forms. */
  readonly pages: Map<string, string>
  /** Its next answers wait until the returned function is called. */
  hold(): () => void
}

const ICON = '<link rel="icon" href="data:,">'

/** Starts a public client at `http://<host>:<port>`; `host` is a loopback name. */
export async function startRelyingParty(
  t: Test,
  issuer: string,
  client_id: string,
  host: string,
  more: Partial<ClientDefinition> = {},
): Promise<RelyingParty> {
  const arrivals: Arrival[] = []
  const logout_tokens: string[] = []
  const pages = new Map<string, string>()
  let open: Promise<void> | undefined
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const { method = '' } = request
    const own = pages.get(pathname)
    if (pathname === '/backchannel') {
      logout_tokens.push(new URLSearchParams(body).get('logout_token') ?? '')
      return response.end()
    }
    if (own === undefined && pathname !== '/') {
      const told = method === 'POST' ? new URLSearchParams(body) : searchParams
      arrivals.push({ method, path: pathname, parameters: Object.fromEntries(told) })
    }
    await open
    const html = own ?? `<title>${client_id} ${pathname}</title><h1>Welcome back to ${client_id}</h1>`
    return response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><html lang="en">${ICON}${html}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })

  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  const redirect_uri = `${origin}/callback`
  const post_logout_redirect_uri = `${origin}/bye`
  const backchannel_logout_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/backchannel`
  const verifier = randomBytes(32).toString('base64url')
  const request = (overrides: Overrides = {}) => {
    const parameters: Overrides = {
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile email',
      state: 'a state',
      nonce: 'a nonce',
      code_challenge: s256Challenge(verifier),
      code_challenge_method: 'S256',
      ...overrides,
    }
    return Object.fromEntries(
      Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
  }
  return {
    client_id,
    origin,
    redirect_uri,
    post_logout_redirect_uri,
    backchannel_logout_uri,
    arrivals,
    logout_tokens,
    pages,
    hold() {
      let release = () => {}
      open = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    registration: {
      client_id,
      client_name: `The ${client_id}`,
      redirect_uris: [redirect_uri],
      allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
      grant_types: ['authorization_code', 'refresh_token'],
      // Users of a public client on loopback would be asked for consent each time (RFC 8252 §8.6).
      is_public: false,
      client_secret_hash: secretHash(SECRET),
      disabled: false,
      post_logout_redirect_uris: [post_logout_redirect_uri],
      backchannel_logout_uri,
      ...more,
    },
    request,
    url: (overrides) => `${issuer}/oauth2/authorize?${new URLSearchParams(request(overrides))}`,
    async redeem() {
      const { code = '' } = arrivals.at(-1)?.parameters ?? {}
      const form = {
        grant_type: 'authorization_code',
        redirect_uri,
        code,
        code_verifier: verifier,
      }
      const answer = await fetch(`${issuer}/oauth2/token`, {
        method: 'POST',
        headers: basic(client_id),
        body: new URLSearchParams(form),
      })
      const tokens = (await answer.json()) as Record<string, string>
      if (!tokens.id_token) throw new Error(`no id_token: ${JSON.stringify(tokens)}`)
      return { tokens, claims: decodeJwt(tokens.id_token) }
    },
  }
}
