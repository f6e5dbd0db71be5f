// The requests of clients and their responses, in the order in which they happened.

/** The endpoints that accept or refuse a token. */
export type Place = 'api' | 'userinfo' | 'introspect'

/** What lets clients register without an operator. */
export interface Allowance {
  /** The invitation (RFC 7591 §3); absent: the limit of an address. */
  readonly invitation?: string
  /** How many clients may register with it. */
  readonly clients: number
}

/** What an attempt presents that is accepted once. */
export interface Once {
  /** What authenticates the client, signed by itself (RFC 7523 §2.2). */
  readonly client_assertion?: string
  /** The DPoP proof (RFC 9449 §4.2). */
  readonly proof?: string
}

/** The request of a client. */
export type Action =
  | { kind: 'push' | 'client_credentials' }
  | { kind: 'authorize'; request_uri?: string }
  | { kind: 'assertion'; assertion: string }
  | { kind: 'redeem'; code: string }
  | { kind: 'refresh'; refresh_token: string }
  | { kind: 'revoke'; token: string }
  | { kind: 'use'; token: string; place: Place }
  | { kind: 'register'; allowance: Allowance }
  | { kind: 'registration'; client_id: string }

/** The response; empty if the connection broke before it. */
export interface Outcome {
  status?: number
  /** The client did not wait longer. Otherwise an answer that is missing means that the connection broke. */
  gave_up?: true
  retry_after?: string
  error?: string
  /** The reference to a pushed request (RFC 9126 §2.2). */
  request_uri?: string
  code?: string
  access_token?: string
  refresh_token?: string
  /** The client that registered, and the token of its registration. */
  client_id?: string
  registration_access_token?: string
  /** What an access token is for, if the answer says so; empty: this server. */
  audience?: string
  /** Whether the token was accepted. */
  accepted?: boolean
}

/** The outcome of a request that failed: the client gave up, or the connection broke. */
export function withoutAnswer(error: unknown): Outcome {
  return error instanceof DOMException && error.name === 'TimeoutError' ? { gave_up: true } : {}
}

/** The client and the server of an attempt. */
export interface By {
  server: string
  /** The logical request, which the client may send several times. */
  request: number
  /** Sent in time by the legitimate client, so it must succeed. */
  honest: boolean
  /** The resource that the client signs in for. */
  resource?: string
  once?: Once
}

/** One attempt. `invoked` and `returned` are positions in the sequence of all events. */
export interface Entry extends By {
  action: Action
  invoked: number
  returned: number
  /** When it was sent, in milliseconds since 1970. */
  at: number
  outcome: Outcome
}

/** The time in which a server was down because it had been killed, as positions in the same sequence. */
interface Downtime {
  server: string
  from: number
  to: number
}

/** The record of a run. One process keeps it, so the sequence is the real order of events. */
export class History {
  readonly entries: Entry[] = []
  readonly downtimes: Downtime[] = []
  #count = 0
  #requests = 0

  /** Returns the id of a new logical request. */
  newRequest(): number {
    this.#requests += 1
    return this.#requests
  }

  /** Sends an attempt and records its outcome. */
  async record(action: Action, by: By, send: () => Promise<Outcome>): Promise<Entry> {
    const invoked = this.#next()
    const at = Date.now()
    const outcome = await send()
    const entry = { ...by, action, invoked, returned: this.#next(), at, outcome }
    this.entries.push(entry)
    return entry
  }

  /** Records that a server is about to be killed; the returned function records that it is back. */
  killing(server: string): () => void {
    const downtime = { server, from: this.#next(), to: Number.POSITIVE_INFINITY }
    this.downtimes.push(downtime)
    return () => {
      downtime.to = this.#next()
    }
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }
}

/** Whether the request succeeded. */
export function succeeded({ outcome: { status, accepted } }: Entry): boolean {
  return (status === 200 || status === 201 || status === 302) && accepted !== false
}

/** Whether the outcome is unknown to the client, which may then retry. */
export function undecided({ outcome: { status } }: Entry): boolean {
  return status === undefined || status === 503
}

/** An access token, or the jti of a JWT: a retry gets the same claims with another signature. */
export function issuedId(access_token: string): string {
  return jwtClaims(access_token)?.jti ?? access_token
}

/** The claims of a JWT; undefined for an opaque token. */
export function jwtClaims(token: string): { jti: string; aud: string } | undefined {
  const [, claims = '', signature] = token.split('.')
  return signature === undefined ? undefined : JSON.parse(Buffer.from(claims, 'base64url').toString())
}

/** The family id of a code or token, or of the jti of a JWT. */
export function grantOf(token: string): string {
  return issuedId(token).split('.')[0] ?? ''
}
