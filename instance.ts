import { createServer, type IncomingMessage, maxHeaderSize, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { DestinationStream } from 'pino'
import { type IsTrusted, trustOf } from './plugins/address.ts'
import connections from './plugins/connections.ts'
import { REQUEST_ID_HEADER } from './plugins/headers.ts'
import { pathOf, RequestLog, SERIALIZERS } from './plugins/request-log.ts'
import { Turns } from './plugins/turns.ts'
import { type Config, readConfig } from './src/config/config.ts'
import { type ErrorBody, methodNotAllowed, NOT_FOUND } from './src/core/error-body.ts'
import { randomText } from './src/core/token-string.ts'
import { linesOfStandardOutput } from './src/service/turn-lines.ts'
import { TIMEOUTS } from './timeouts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the methods of the path of a request; undefined if there is nothing at this path. */
    methodsAt(request: FastifyRequest): readonly string[] | undefined
  }
}

type OfConfig = Pick<
  Config,
  | 'trusted_proxies'
  | 'trust_request_id'
  | 'keep_alive_timeout'
  | 'max_connections'
  | 'max_connections_per_peer'
  | 'request_log'
>

/** Absent settings have the defaults of the environment variables. */
interface InstanceOptions extends Partial<OfConfig> {
  /** A log level of pino. */
  level: string
  /** The destination of the log; by default standard output, as JSON. */
  stream?: DestinationStream
  timeouts?: typeof TIMEOUTS
  /** Milliseconds by which requests wait for their turn, by default those of `performance.now`. */
  now?: () => number
  /** Aborted when the process receives the signal to stop: from then on each response closes its connection. */
  drain?: AbortSignal
}

const REQUEST_ID_BYTES = 12
/** The request ids that are taken over from a trusted proxy that sets them. */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

const MALFORMED_ADDRESS: ErrorBody = {
  error: 'invalid_request',
  error_description: 'The path is not valid percent-encoded UTF-8.',
}

const UNREADABLE: Record<string, [status: string, description: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
}

/**
 * Creates the Fastify instance of redmint, with random request ids, logs without query strings (which may contain
 * secrets), responses for unknown paths and methods, and timeouts.
 */
export function createInstance({ level, ...options }: InstanceOptions): FastifyInstance {
  const settings: OfConfig = { ...readConfig({}), ...options }
  const { timeouts = TIMEOUTS, drain, stream = linesOfStandardOutput() } = options
  const isTrusted = trustOf(settings.trusted_proxies)
  const turns = new Turns(options.now)
  const logController = new RequestLog({ request_log: settings.request_log, level, stream })
  turns.on('end', (response) => logController.closed(response))
  const serverFactory = (handler: RequestListener) => {
    const server = createServer(
      {
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        connectionsCheckingInterval: timeouts.check,
        keepAliveTimeout: settings.keep_alive_timeout * 1000,
      },
      turns.handle(handler),
    )
    return server.setTimeout(timeouts.stalled)
  }
  const fastify = Fastify({
    logger: { level, stream, serializers: SERIALIZERS },
    logController,
    trustProxy: isTrusted,
    serverFactory,
    // Requests that have arrived are answered while the service closes.
    return503OnClosing: false,
    genReqId: idsOf(isTrusted, settings.trust_request_id),
    requestIdHeader: false,
    // Milliseconds; generating the first keys is slow on a slow machine.
    pluginTimeout: 60_000,
    // As long as the headers may be, so that a long client_id is answered as unknown. No route has an expression.
    routerOptions: { maxParamLength: maxHeaderSize },
    frameworkErrors: refuseAddress,
    // plugins/form.ts and plugins/answers.ts read the schemas. By default Fastify loads two compilers for them.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    clientErrorHandler: refuseUnreadable,
  })
  fastify.register(connections, { ...settings, isTrusted, turns, close_within: timeouts.request, drain })
  // Bodies of requests to unknown paths are ignored; plugins add their own parsers.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null))
  const methods = new Map<string, Set<string>>()
  fastify.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    methods.set(url, known)
    for (const name of [method].flat()) known.add(name)
  })
  const methodsAt = (request: FastifyRequest) => {
    const known = methods.get(pathOf(request))
    return known && [...known]
  }
  fastify.decorate('methodsAt', methodsAt)
  const answerNotFound = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    const allowed = methodsAt(request)
    if (allowed === undefined) return reply.status(404).send(NOT_FOUND)
    return reply.status(405).header('allow', allowed.join(', ')).send(methodNotAllowed(allowed))
  }
  fastify.setNotFoundHandler(answerNotFound)
  // Plugins handle their own errors; here errors are only about an unknown path or method.
  fastify.setErrorHandler((_error, request, reply) => answerNotFound(request, reply))
  return fastify
}

/** Returns what gives a request its id: that of a trusted proxy, if proxies set it, or a random one. */
function idsOf(isTrusted: IsTrusted, trust_request_id: boolean): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const given = trust_request_id ? headers[REQUEST_ID_HEADER] : undefined
    // Others could name their request as another one is named, and most proxies pass on what they send.
    return typeof given === 'string' && REQUEST_ID.test(given) && isTrusted(socket.remoteAddress ?? '')
      ? given
      : newRequestId()
  }
}

const newRequestId = () => randomText(REQUEST_ID_BYTES)

function refuseSchema(): never {
  throw new Error('A route has a schema that nothing reads: register its validator or serializer before it.')
}

// Hooks do not run for such a request.
function refuseAddress(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.status(400).header(REQUEST_ID_HEADER, request.id).send(MALFORMED_ADDRESS)
}

// Such a request is not logged: its raw bytes may contain a token.
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  const [status, description] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is not an HTTP request.',
  ]
  const answer: ErrorBody = { error: 'invalid_request', error_description: description }
  const body = JSON.stringify(answer)
  const id = `X-Request-Id: ${newRequestId()}`
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${id}`
  // Does not wait for the peer to close.
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy())
}
