import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What was received on a connection, as bytes in latin1. */
export interface RawAnswer {
  text: string
  /** The status of every response, in order, without interim ones (1xx). */
  statuses: number[]
  /** The status of the first response; 0 if the connection was closed without one. */
  status: number
  /** The head of the first response, split into header lines. */
  head: string[]
  /** Everything after the head of the first response. */
  body: string
}

interface Options {
  /** Closes the sending side after the bytes, like a peer that aborts in the middle. */
  hangUp?: boolean
}

/** Listens on a free port of loopback and returns how to send bytes to it. */
export async function listen(fastify: FastifyInstance) {
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  return (bytes: string | Buffer, options: Options = {}) => exchange(port, bytes, options)
}

/**
 * Sends bytes exactly as they are (text in latin1) and reads until the server closes the connection: the last request
 * should have `Connection: close`.
 */
function exchange(port: number, bytes: string | Buffer, { hangUp = false }: Options): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    // A server that refuses a request does not read it to the end; only its response matters.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(describe(text)))
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    socket.write(data, () => hangUp && socket.end())
  })
}

function describe(text: string): RawAnswer {
  const final = text.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n)+/, '')
  const [head = '', ...rest] = final.split('\r\n\r\n')
  const statuses = [...final.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map((match) => Number(match[1]))
  return { text, statuses, status: statuses[0] ?? 0, head: head.split('\r\n'), body: rest.join('\r\n\r\n') }
}

/** A request as text: `GET /path` and header lines, with `Connection: close` added. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...length, ...headers, '', body].join(
    '\r\n',
  )
}
