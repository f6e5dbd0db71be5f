// One connection of the load: HTTP/1.1 with keep-alive, one request at a time, without the cost of a client library.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Answer {
  status: number
  headers: string
  body: string
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

const NO_BODY = /^(1\d\d|204|304)$/

/** A connection that opens at the first request. */
export class Connection {
  readonly #origin: URL
  #socket: Socket | undefined
  #received = ''
  #waiting: Waiting | undefined
  /** Bytes sent and received over all sockets. */
  bytes = 0

  constructor(origin: URL) {
    this.#origin = origin
  }

  /**
   * Sends one request.
   * @param text the whole request, in latin1
   * @throws Error if the connection ends before the answer
   */
  send(text: string): Promise<Answer> {
    this.#socket ??= this.#open()
    this.bytes += text.length
    this.#socket.write(text, 'latin1')
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
    this.#received = ''
  }

  #open(): Socket {
    const { protocol, hostname, port } = this.#origin
    const secure = protocol === 'https:'
    const to = { host: hostname, port: Number(port) || (secure ? 443 : 80) }
    const socket = secure ? connectTls({ ...to, servername: hostname }) : connect(to)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk))
    let reason = 'the server closed the connection'
    socket.on('error', ({ message }) => {
      reason = message
    })
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.close()
      this.#waiting?.reject(new Error(`${this.#origin.host} did not answer: ${reason}`))
    })
    return socket
  }

  #read(chunk: Buffer): void {
    this.bytes += chunk.length
    this.#received += chunk.toString('latin1')
    const answer = parseAnswer(this.#received)
    if (!answer) return
    this.#received = ''
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(answer)
  }
}

/** The answer in a received text, or undefined if more must arrive first. */
export function parseAnswer(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const headers = text.slice(0, end + 2)
  const status = text.slice(9, 12)
  const body = text.slice(end + 4)
  const length = /\r\ncontent-length: *(\d+)/i.exec(headers)?.[1]
  if (length !== undefined) {
    return body.length < Number(length) ? undefined : { status: Number(status), headers, body }
  }
  if (NO_BODY.test(status)) return { status: Number(status), headers, body: '' }
  const whole = unchunk(body)
  return whole === undefined ? undefined : { status: Number(status), headers, body: whole }
}

/** The text of a chunked body (RFC 9112 §7.1), or undefined if it is not complete. */
function unchunk(body: string): string | undefined {
  let text = ''
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(body.slice(at, line), 16)
    if (Number.isNaN(size)) throw new Error('an answer with neither a content-length nor chunks')
    if (size === 0) return body.endsWith('\r\n\r\n') ? text : undefined
    text += body.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
  }
}

/** The value of a header; undefined if it is missing. @param name in lower case */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *(.*?) *\\r\\n`, 'i').exec(headers)?.[1]
}

/** The text of a request. @param options.form makes it a POST with this body */
export function requestText(
  url: URL,
  { headers = {}, form }: { headers?: Record<string, string>; form?: URLSearchParams } = {},
): string {
  const body = form?.toString() ?? ''
  const lines = [
    `${form ? 'POST' : 'GET'} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(form ? ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`] : []),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
