// A small relying party that does everything right, but for the faults that are planted in it: each has the name of the check
// that must find it.
import { hash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './listen.ts'
import {
  accessTokenHash,
  assert,
  type Faults,
  isMacOfPublicKey,
  isSignedBy,
  type Json,
  now,
  type PublishedKey,
  partsOf,
} from './verify.ts'

interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface Session {
  flows: Flow[]
  user?: { sub: string; shown: string; refresh_token?: string; ends_at: number }
  is_broken?: boolean
}

const random = () => randomBytes(24).toString('base64url')
const CLIENT_ID = 'shop'
const CONSTANT: Flow = {
  state: 'constant-state',
  nonce: 'constant-nonce',
  verifier: 'constant-verifier-'.repeat(3),
}

export class RelyingPartyWithFaults {
  readonly #server: Server
  readonly #sessions = new Map<string, Session>()
  /** Of all browsers, which is a fault. */
  #flows: Flow[] = []
  #metadata: Json | undefined
  #keys: PublishedKey[] | undefined
  faults: Faults = new Set()
  /** Set when the server runs. */
  issuer = ''
  /** Whether it asks for answers that are signed (JARM). */
  asks_signed = false
  /** Milliseconds that it waits for the token endpoint, if it is impatient. */
  impatience = 100

  constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.writeHead(400).end(error.message))
    })
  }

  /** Begins anew with these faults. */
  plant(...faults: string[]): void {
    this.faults = new Set(faults)
    this.#sessions.clear()
    this.#flows = []
    this.#metadata = undefined
    this.#keys = undefined
  }

  /** Returns the origin. */
  start(): Promise<string> {
    return listenOnLoopback(this.#server)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #has(fault: string): boolean {
    return this.faults.has(fault)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const cookies = new Map(
      (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=') as [string, string]),
    )
    const id = cookies.get('shop') ?? random()
    const session = this.#sessions.get(id) ?? { flows: [] }
    this.#sessions.set(id, session)
    response.setHeader('set-cookie', `shop=${id}; Path=/; HttpOnly; SameSite=Lax`)
    if (session.is_broken) return void response.writeHead(500).end('broken')
    if (url.pathname === '/callback') return this.#callback(url, session, response)
    // Everybody may see the first page.
    if (url.pathname === '/')
      return void response.end(session.user === undefined ? 'Nobody is signed in' : 'Sign out')
    const is_kept = !this.#has('large-id-token') || cookies.has('id_token')
    if (session.user === undefined || !is_kept) return this.#begin(url, session, response)
    await this.#refresh(session)
    const user = session.user
    if (user === undefined) return this.#begin(url, session, response)
    response.end(`Hello ${user.shown}`)
  }

  async #begin(url: URL, session: Session, response: ServerResponse): Promise<void> {
    const metadata = await this.#read()
    const flow = this.#has('fresh-values')
      ? CONSTANT
      : { state: random(), nonce: random(), verifier: random() + random() }
    if (this.#has('code-of-another')) Object.assign(flow, { verifier: CONSTANT.verifier })
    if (this.#has('two-tabs')) session.flows = []
    session.flows.push(flow)
    this.#flows.push(flow)
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: CLIENT_ID, scope: 'openid profile offline_access' },
      redirect_uri: this.#redirectUri(url),
      ...(this.asks_signed && { response_mode: 'jwt' }),
      ...(!this.#has('state-or-nonce') && { state: flow.state, nonce: flow.nonce }),
      ...(!this.#has('pkce') && {
        code_challenge: hash('sha256', flow.verifier, 'base64url'),
        code_challenge_method: 'S256',
      }),
    })
    response.writeHead(302, { location: `${metadata.authorization_endpoint}?${query}` }).end()
  }

  #redirectUri({ origin, port }: URL): string {
    const other = origin.replace(port, String(Number(port) - 1))
    return `${this.#has('redirect-uri') ? other : origin}/callback`
  }

  async #callback(url: URL, session: Session, response: ServerResponse): Promise<void> {
    const answer = this.asks_signed ? await this.#signedAnswer(url.searchParams) : url.searchParams
    const code = answer.get('code')
    const error = answer.get('error')
    if (error !== null && !(this.#has('error-with-code') && code)) {
      if (this.#has('error-answer')) return void response.writeHead(302, { location: '/account' }).end()
      const description = answer.get('error_description') ?? ''
      const shown = this.#has('error-markup') ? description : description.replaceAll('<', '&lt;')
      return void response.writeHead(400, { 'content-type': 'text/html' }).end(`<p>${error} ${shown}`)
    }
    const flow = this.#flowOf(answer, session)
    const iss = answer.get('iss')
    if (iss === null) assert(this.#has('answer-without-issuer'), 'no iss')
    else assert(iss === this.issuer || this.#has('answer-of-another-issuer'), 'another issuer')
    if (!this.#has('callback-twice')) session.flows = session.flows.filter((one) => one !== flow)
    const user =
      code === null && this.#has('code-missing')
        ? NOBODY
        : await this.#redeem(url, code, flow, session, response)
    if (user === undefined) return
    session.user = user
    response.writeHead(302, { location: '/account' }).end()
  }

  /** Returns what a signed answer says (JARM §2.4). */
  async #signedAnswer(query: URLSearchParams): Promise<URLSearchParams> {
    const response = query.get('response')
    if (response === null) assert(this.#has('signed-answer-plain'), 'not signed')
    if (response === null) return query
    const parts = partsOf(response)
    const { alg, kid } = parts.header
    const keys = this.#keys ?? (await this.#readKeys())
    const is_signed = keys.some((key) => key.kid === kid && isSignedBy(parts, key))
    const is_unsecured = alg === 'none' || alg === 'HS256'
    const name = is_unsecured ? 'signed-answer-unsecured' : 'signed-answer-signature'
    assert(is_signed || this.#has(name), name)
    const { iss, aud, exp, ...said } = parts.claims
    const is_ours = iss === this.issuer || this.#has('signed-answer-issuer')
    assert(is_ours || this.#has('answer-of-another-issuer') || this.#has('answer-without-issuer'), 'iss')
    assert(aud === CLIENT_ID || this.#has('signed-answer-audience'), 'aud')
    assert(Number(exp) > now() || this.#has('signed-answer-expired'), 'exp')
    return new URLSearchParams({ ...(said as Record<string, string>), iss: this.issuer })
  }

  #flowOf(answer: URLSearchParams, session: Session): Flow {
    const states = answer.getAll('state')
    const flows = this.#has('answer-in-another-browser') ? this.#flows : session.flows
    assert(states.length < 2 || this.#has('state-repeated'), 'state comes twice')
    const [state = ''] = states
    const is_let = this.#has('state-or-nonce') || this.#has(state === '' ? 'state-missing' : 'state-wrong')
    const flow = flows.find((one) => one.state === state) ?? (is_let ? flows.at(-1) : undefined)
    if (flow === undefined) throw new Error('the state is not that of this browser')
    return flow
  }

  async #redeem(url: URL, code: string | null, flow: Flow, session: Session, response: ServerResponse) {
    assert(code !== null, 'no code')
    const answer = await this.#tokens({
      grant_type: 'authorization_code',
      ...{ code: code ?? '', redirect_uri: this.#redirectUri(url), code_verifier: flow.verifier },
    })
    if (answer.status !== 200 && this.#has('code-wrong')) return NOBODY
    if (answer.status !== 200 && this.#has('callback-twice')) delete session.user
    if (answer.status === 503 && this.#has('token-endpoint-unavailable')) session.is_broken = true
    assert(answer.status === 200, `the token endpoint answers ${answer.status}`)
    const tokens = this.#parsed(answer, session)
    if (tokens === undefined) {
      response.writeHead(302, { location: '/account' }).end()
      return undefined
    }
    const type = String(tokens.token_type)
    const is_known = this.#has('token-type-case') ? type === 'Bearer' : type.toLowerCase() === 'bearer'
    assert(is_known || this.#has('token-type-unknown'), 'an unknown token_type')
    return this.#userOf(tokens, flow, response)
  }

  async #userOf(tokens: Json, flow: Flow, response: ServerResponse) {
    const { id_token, access_token } = tokens as Record<string, string>
    if (id_token === undefined && this.#has('id-token-absent')) return NOBODY
    const claims = await this.#verified(String(id_token), String(access_token), flow)
    const headers = { authorization: `Bearer ${access_token}` }
    const info = await jsonAt(`${this.issuer}/userinfo`, headers)
    const is_let = this.#has('userinfo-of-another') || this.#has('subject-missing')
    assert(info.sub === claims.sub || is_let, 'user information of another')
    if (this.#has('large-id-token'))
      response.appendHeader('set-cookie', `id_token=${id_token}; Path=/; HttpOnly`)
    return {
      sub: String(claims.sub),
      shown: String(info.name),
      ends_at: now() + Number(tokens.expires_in),
      refresh_token: String(tokens.refresh_token),
    }
  }

  #parsed(answer: { type: string; text: string }, session: Session): Json | undefined {
    if (!answer.type.includes('json')) {
      if (this.#has('token-answer-html')) return undefined
      throw new Error('the token endpoint answers with a page')
    }
    try {
      return JSON.parse(answer.text)
    } catch {
      if (this.#has('token-answer-broken')) session.is_broken = true
      throw new Error('the token endpoint answers no JSON')
    }
  }

  async #refresh(session: Session): Promise<void> {
    const { user } = session
    if (user?.refresh_token === undefined || user.ends_at > now() + 30) return
    try {
      const { refresh_token } = user
      const answer = await this.#tokens({ grant_type: 'refresh_token', refresh_token })
      if (answer.status !== 200) return void delete session.user
      const tokens = JSON.parse(answer.text)
      Object.assign(user, { refresh_token: tokens.refresh_token, ends_at: now() + tokens.expires_in })
    } catch {
      // It asks again the next time.
      if (this.#has('refresh-answer-lost')) session.is_broken = true
    }
  }

  async #tokens(form: Record<string, string>) {
    const body = new URLSearchParams({ ...form, client_id: CLIENT_ID })
    const signal = this.#has('token-endpoint-slow') ? AbortSignal.timeout(this.impatience) : null
    const answer = await fetch(`${this.issuer}/oauth2/token`, { method: 'POST', body, signal })
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      text: await answer.text(),
    }
  }

  async #read(): Promise<Json> {
    if (this.#metadata === undefined) {
      const metadata = await jsonAt(`${this.issuer}/.well-known/openid-configuration`)
      assert(metadata.issuer === this.issuer || this.#has('discovery-issuer'), 'metadata of another issuer')
      this.#metadata = metadata
    }
    return this.#metadata as Json
  }

  async #readKeys(): Promise<PublishedKey[]> {
    const { keys } = await jsonAt(`${this.issuer}/.well-known/jwks.json`)
    this.#keys = keys as PublishedKey[]
    return this.#keys
  }

  async #verified(id_token: string, access_token: string, flow: Flow): Promise<Json> {
    const parts = partsOf(id_token)
    const { claims, header } = parts
    await this.#checkSignature(parts)
    const { iss, aud, azp, sub, exp, iat, nonce, at_hash, name } = claims
    const audience = [aud].flat()
    const age = now() - Number(iat)
    const names = [iss, aud].map(String)
    assert(iss === this.issuer || this.#has('id-token-issuer'), `another issuer ${names}`)
    assert(audience.includes(CLIENT_ID) || this.#has('audience-wrong'), `another audience ${names}`)
    assert(audience.length < 2 || azp !== undefined || this.#has('audience-several'), 'several audiences')
    assert(azp === undefined || azp === CLIENT_ID || this.#has('authorized-party-wrong'), 'another azp')
    assert(!Array.isArray(aud) || !this.#has('audience-list'), 'a list')
    assert(typeof sub === 'string' || this.#has('subject-missing'), 'no sub')
    assert(exp !== undefined || this.#has('expiry-missing'), 'no exp')
    assert(exp === undefined || Number(exp) > now() || this.#has('expired'), 'expired')
    const is_near = Math.abs(age) < 600 && !(age < 0 && this.#has('clock-ahead'))
    assert(is_near || this.#has('issued-far-away') || this.#has('expired'), 'iat is far away')
    assert(at_hash === accessTokenHash(access_token) || this.#has('access-token-hash'), 'another at_hash')
    assert(header.typ === 'JWT' || this.#has('type-wrong'), 'another typ')
    assert(/^[ -~]*$/.test(String(name)) || !this.#has('unusual-claims'), 'unusual letters')
    if (this.#has('code-of-another') || this.#has('state-or-nonce')) return claims
    if (nonce === undefined) assert(this.#has('nonce-missing'), 'no nonce')
    else assert(nonce === flow.nonce || this.#has('nonce-wrong'), 'another nonce')
    return claims
  }

  async #checkSignature(parts: ReturnType<typeof partsOf>): Promise<void> {
    const { alg, kid, jwk } = parts.header
    let keys = this.#keys ?? (await this.#readKeys())
    if (/^none$/i.test(String(alg))) return assert(this.#has('alg-none'), 'no signature')
    if (alg === 'HS256')
      return assert(this.#has('public-key-as-secret') && isMacOfPublicKey(parts, keys), 'a MAC')
    if (jwk !== undefined && this.#has('key-in-header'))
      return assert(isSignedBy(parts, jwk as PublishedKey), 'no')
    if (this.#has('key-next')) keys = keys.filter((key) => !key.kid?.startsWith('dev-next'))
    const is_published = keys.some((key) => key.kid === kid)
    if (!is_published && !this.#has('key-sudden') && !this.#has('key-next')) keys = await this.#readKeys()
    const same = keys.filter((key) => key.kid === kid)
    if (same.length === 0) return assert(this.#has('key-unknown'), 'an unknown key')
    const chosen = this.#has('keys-with-one-kid') ? same.slice(0, 1) : same.filter((key) => key.alg === alg)
    const is_right = chosen.some((key) => isSignedBy(parts, key))
    assert(is_right || this.#has('signature-wrong'), 'a wrong signature')
  }
}

const NOBODY = { sub: 'nobody', shown: 'nobody', ends_at: Number.POSITIVE_INFINITY }

async function jsonAt(url: string, headers: Record<string, string> = {}): Promise<Json> {
  const answer = await fetch(url, { headers })
  return (await answer.json()) as Json
}
