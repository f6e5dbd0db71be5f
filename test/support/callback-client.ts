// An HTTP client that creates no promise and no timer: those that are counted meanwhile are the server's.
import { connect, type Socket } from 'node:net'

export interface ClientRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  /** The fields of a form. */
  form?: Readonly<Record<string, string>>
}

export interface ClientAnswer {
  status: number
  /** The lines of the head, with the status line. */
  head: string[]
  body: string
}

/** Requests of one client, each of which may depend on the answer to the one before. */
export type Exchange = Generator<ClientRequest, void, ClientAnswer>

/** One connection to a server on loopback, which is kept open. */
export class CallbackClient {
  readonly #port: number
  #socket: Socket
  #received = ''
  #answered: (answer: ClientAnswer) => void = () => {}
  #failed: (error: Error) => void = () => {}

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#open()
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    socket.on('data', (chunk: Buffer | string) => this.#read(String(chunk)))
    socket.on('error', (error) => this.#failed(error))
    socket.on('close', () => this.#failed(new Error('the server closed the connection')))
    return socket
  }

  /** Sends the requests of an exchange, each after the answer to the one before; then calls `done`. */
  play(exchange: Exchange, done: (error?: Error) => void): void {
    const end = (error?: Error) => {
      this.#failed = () => {}
      done(error)
    }
    this.#failed = end
    // A server closes connections that nobody used for long, as on a busy machine: nothing would answer.
    if (this.#socket.destroyed) this.#socket = this.#open()
    const send = ({ done: over, value }: IteratorResult<ClientRequest, void>) => {
      if (!over && value) this.#socket.write(textOf(value))
      else end()
    }
    this.#answered = (answer) => {
      try {
        send(exchange.next(answer))
      } catch (error) {
        end(error as Error)
      }
    }
    send(exchange.next())
  }

  close(): void {
    this.#failed = () => {}
    this.#socket.destroy()
  }

  #read(chunk: string): void {
    this.#received += chunk
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.slice(0, end).split('\r\n')
    const length = Number(headerOf({ head }, 'content-length') ?? 0)
    const body = this.#received.slice(end + 4)
    if (body.length < length) return
    this.#received = ''
    if (body.length > length) {
      this.#failed(new Error(`the body is longer than its head says: ${head.join(', ')}`))
      return
    }
    this.#answered({ status: Number(head[0]?.split(' ')[1]), head, body })
  }
}

/** The value of the first header with this name, in lower case; undefined if there is none. */
export function headerOf({ head }: Pick<ClientAnswer, 'head'>, name: string): string | undefined {
  const line = head.find((text) => text.toLowerCase().startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim()
}

function textOf({ method, path, headers = {}, form }: ClientRequest): string {
  const body = form === undefined ? '' : new URLSearchParams(form).toString()
  const all = {
    host: 'localhost',
    ...(form && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
