import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { DestinationStream } from 'pino'
import connections from './plugins/connections.ts'
import { type Config, readConfig } from './src/config/config.ts'
import { type ErrorBody, NOT_FOUND } from './src/core/error-body.ts'

/** Milliseconds that a peer is given; the connection is closed when they are over. */
export const TIMEOUTS = {
  /** For the headers of a request, or for the first byte of a new connection. */
  headers: 5_000,
  /** For a whole request. */
  request: 8_000,
  /** Without any progress, such as reading what was answered. */
  stalled: 30_000,
  /** How often the first two are looked after. */
  check: 1_000,
}

/** Milliseconds that closing takes at most: every request that is in has its time, and storage a moment for the answer. */
export const CLOSE_WITHIN_MS = TIMEOUTS.request + 2_000

type Network = Pick<Config, 'trusted_proxies' | 'keep_alive_timeout' | 'max_connections'>

/** What is left out of the network settings is as the environment has it by default. */
interface InstanceOptions extends Partial<Network> {
  /** One of pino's. */
  level: string
  /** Where the log goes: standard output, as JSON, unless there is a stream. */
  stream?: DestinationStream
  timeouts?: typeof TIMEOUTS
  /** Aborted when the process is told to stop: from then on each answer is the last of its connection. */
  drain?: AbortSignal
}

const MALFORMED_ADDRESS: ErrorBody = {
  error: 'invalid_request',
  error_description: 'The path is not valid percent-encoded UTF-8.',
}

const UNREADABLE: Record<string, [status: string, description: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
}

/**
 * The Fastify instance as redmint runs it: request ids of its own, logs without query strings (they carry
 * what people typed), clear answers for unknown paths and methods, and an end to peers that dawdle.
 */
export function createInstance({ level, stream, ...options }: InstanceOptions): FastifyInstance {
  const { trusted_proxies, keep_alive_timeout, max_connections } = { ...readConfig({}), ...options }
  const { timeouts = TIMEOUTS, drain } = options
  const fastify = Fastify({
    logger: { level, ...(stream && { stream }), serializers: { req: describeRequest } },
    trustProxy: [...trusted_proxies],
    http: { headersTimeout: timeouts.headers, connectionsCheckingInterval: timeouts.check },
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.stalled,
    keepAliveTimeout: keep_alive_timeout * 1000,
    // A request that is in is answered, also while the service closes.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // Milliseconds; the first keys of all take a while on a slow machine.
    pluginTimeout: 60_000,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseUnreadable,
  })
  fastify.register(connections, { max_connections, close_within: timeouts.request, drain })
  // Where nothing is, no body is looked at; what is registered brings parsers of its own.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null))
  const methods = new Map<string, Set<string>>()
  fastify.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    methods.set(url, known)
    for (const name of [method].flat()) known.add(name)
  })
  const answerNothing = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = methods.get(pathOf(request))
    if (allowed === undefined) {
      return reply.status(404).send(NOT_FOUND)
    }
    const allow = [...allowed].join(', ')
    const body: ErrorBody = {
      error: 'method_not_allowed',
      error_description: `This path answers ${allow} only.`,
    }
    return reply.status(405).header('allow', allow).send(body)
  }
  fastify.setNotFoundHandler(answerNothing)
  // What is registered answers its own errors; here one can only be about a request for nothing.
  fastify.setErrorHandler((_error, request, reply) => answerNothing(request, reply))
  return fastify
}

// Without query, fragment, and what an absolute address has before its path (RFC 9112 §3.2.2): people put
// secrets there.
function pathOf({ url }: { url: string }): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}

function refuseAddress(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  reply.status(400).send(MALFORMED_ADDRESS)
}

// Nothing of such a request is logged: it is there as raw bytes, and a token may be among them.
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  const [status, description] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is no HTTP request.',
  ]
  const answer: ErrorBody = { error: 'invalid_request', error_description: description }
  const body = JSON.stringify(answer)
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
  // The peer need not agree that this is the end.
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy())
}

function describeRequest(request: FastifyRequest) {
  return { method: request.method, path: pathOf(request), remoteAddress: request.ip }
}
