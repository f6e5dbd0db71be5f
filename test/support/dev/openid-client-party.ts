// A relying party as the documentation of openid-client has it, with sessions in memory.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { compactDecrypt, decodeJwt } from 'jose'
import * as client from 'openid-client'
import { newRequest } from '../openid-client.ts'
import { listenOnLoopback } from './listen.ts'

interface Session {
  /** What was sent, by its state: two tabs have two. */
  readonly flows: Map<string, Awaited<ReturnType<typeof newRequest>>['checks']>
  name?: string
}

export class OpenidClientParty {
  readonly #server: Server
  readonly #sessions = new Map<string, Session>()
  #config: client.Configuration | undefined
  /** Set when the server runs. */
  issuer = ''
  /** Whether it pushes its requests (RFC 9126). */
  pushes = false
  /** What signs its requests (RFC 9101); absent: nothing. */
  signs_by: client.PrivateKey | undefined
  /** What its answers and id_tokens are encrypted to; absent: they are not. */
  decrypts_by: client.DecryptionKey | undefined
  /** Whether it asks for signed answers (JARM). */
  asks_signed = false
  /** What it is registered with besides. */
  metadata: Partial<client.ClientMetadata> = {}

  constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => {
        response.writeHead(400, { 'content-type': 'text/plain' }).end(error.message)
      })
    })
  }

  start(): Promise<string> {
    return listenOnLoopback(this.#server)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const id = /session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID()
    const session: Session = this.#sessions.get(id) ?? { flows: new Map() }
    this.#sessions.set(id, session)
    response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly; SameSite=Lax`)
    if (url.pathname === '/callback') return this.#callback(url, session, response)
    if (session.name !== undefined) return void response.end(`Hello ${session.name}`)
    const { checks, parameters } = await newRequest(`${url.origin}/callback`, 'openid profile')
    session.flows.set(checks.expectedState, checks)
    const config = await this.#discovered()
    const asked =
      this.signs_by === undefined
        ? client.buildAuthorizationUrl(config, parameters)
        : await client.buildAuthorizationUrlWithJAR(config, parameters, this.signs_by)
    const location = this.pushes
      ? await client.buildAuthorizationUrlWithPAR(config, asked.searchParams)
      : asked
    response.writeHead(302, { location: location.href }).end()
  }

  async #callback(url: URL, session: Session, response: ServerResponse): Promise<void> {
    const signed = url.searchParams.get('response')
    // Which sign-in it is about; everything is checked below.
    const state = (signed === null ? url.searchParams.get('state') : await this.#stateIn(signed)) ?? ''
    const checks = session.flows.get(state)
    if (checks === undefined) throw new Error('This browser began no such sign-in.')
    session.flows.delete(state)
    const config = await this.#discovered()
    const tokens = await client.authorizationCodeGrant(config, url, checks)
    const sub = tokens.claims()?.sub ?? ''
    const { name } = await client.fetchUserInfo(config, tokens.access_token, sub)
    session.name = name ?? sub
    response.writeHead(302, { location: '/account' }).end()
  }

  async #stateIn(response: string): Promise<string | undefined> {
    const { key } = this.decrypts_by ?? {}
    const is_encrypted = response.split('.').length === 5
    const jwt =
      is_encrypted && key
        ? new TextDecoder().decode((await compactDecrypt(response, key)).plaintext)
        : response
    return decodeJwt<{ state?: string }>(jwt).state
  }

  async #discovered(): Promise<client.Configuration> {
    const { decrypts_by } = this
    this.#config ??= await client.discovery(new URL(this.issuer), 'shop', this.metadata, client.None(), {
      execute: [
        client.allowInsecureRequests,
        client.enableNonRepudiationChecks,
        ...(this.asks_signed ? [client.useJwtResponseMode] : []),
        ...(decrypts_by
          ? [
              (config: client.Configuration) =>
                client.enableDecryptingResponses(config, undefined, decrypts_by),
            ]
          : []),
      ],
    })
    return this.#config
  }
}
