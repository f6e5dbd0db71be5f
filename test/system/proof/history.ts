// What clients sent and what they were answered, in the order in which it happened.

/** The places that accept a token or do not. */
export type Place = 'api' | 'userinfo' | 'introspect'

/** What a client asked for. */
export type Action =
  | { kind: 'authorize' | 'client_credentials' }
  | { kind: 'redeem'; code: string }
  | { kind: 'refresh'; refresh_token: string }
  | { kind: 'revoke'; token: string }
  | { kind: 'use'; token: string; place: Place }

/** What came back; nothing at all where the connection broke before there was an answer. */
export interface Outcome {
  status?: number
  retry_after?: string
  error?: string
  code?: string
  access_token?: string
  refresh_token?: string
  /** Whether the token was accepted. */
  accepted?: boolean
}

/** Who asked whom. */
export interface By {
  server: string
  /** What a client wants at most once, however often it has to send it. */
  request: number
  /** Sent in time by the client that may send it, which has a right to succeed. */
  honest: boolean
}

/** One attempt. `invoked` and `returned` count all that happened, so that "before" has one meaning. */
export interface Entry extends By {
  action: Action
  invoked: number
  returned: number
  outcome: Outcome
}

/** The time that a server was away because it had been killed, in the same count. */
interface Downtime {
  server: string
  from: number
  to: number
}

/** The record of a run. It is kept by one process, so its count is the real order of events. */
export class History {
  readonly entries: Entry[] = []
  readonly downtimes: Downtime[] = []
  #count = 0
  #requests = 0

  /** Names another thing that a client wants. */
  newRequest(): number {
    this.#requests += 1
    return this.#requests
  }

  /** Sends an attempt and notes what becomes of it. */
  async record(action: Action, by: By, send: () => Promise<Outcome>): Promise<Entry> {
    const invoked = this.#next()
    const outcome = await send()
    const entry = { ...by, action, invoked, returned: this.#next(), outcome }
    this.entries.push(entry)
    return entry
  }

  /** Notes that a server is about to be killed; the function returned, that it is there again. */
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

/** Whether a client got what it asked for. */
export function succeeded({ outcome: { status, accepted } }: Entry): boolean {
  return (status === 200 || status === 302) && accepted !== false
}

/** Whether a client knows no more than before: it may try again. */
export function undecided({ outcome: { status } }: Entry): boolean {
  return status === undefined || status === 503
}

/** The grant part of a code or token; of a JWT's jti. */
export function grantOf(token: string): string {
  const [first = '', second = '', third] = token.split('.')
  if (third === undefined) return first
  const { jti } = JSON.parse(Buffer.from(second, 'base64url').toString()) as { jti: string }
  return grantOf(jti)
}
