import type { ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type DestinationStream, levels } from 'pino'
import type { Config } from '../src/config/config.ts'
import { jsonText } from '../src/core/json-text.ts'
import { clientAddress } from './address.ts'

const REPLY = Symbol('reply')

/** A response, with its reply as soon as its request is handled. */
interface Logged extends ServerResponse {
  [REPLY]?: FastifyReply
}

interface Options extends Pick<Config, 'request_log'> {
  /** Level and destination of the logger. */
  readonly level: string
  readonly stream: DestinationStream
}

const INFO = levels.values.info ?? 0
const HEAD = `{"level":${INFO},"time":`
/** What pino says in each line of this process. */
const PROCESS = `,"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"reqId":"`

/**
 * Logs one line for each request: when its response was sent, or when its connection has closed before that. Paths are
 * logged without query strings, which may contain secrets.
 */
export class RequestLog extends LogController {
  readonly #least: number
  readonly #stream: DestinationStream

  constructor({ request_log, level, stream }: Options) {
    super()
    const is_on = (levels.values[level] ?? Number.POSITIVE_INFINITY) <= INFO
    this.#least = !is_on ? Number.POSITIVE_INFINITY : request_log === 'all' ? 0 : 400
    this.#stream = stream
  }

  override incomingRequest(_request: FastifyRequest, reply: FastifyReply): void {
    const response: Logged = reply.raw
    response[REPLY] = reply
  }

  /** Logs the request of a response that has closed, if that was not sent. */
  closed({ writableFinished, [REPLY]: reply }: Logged): void {
    if (writableFinished || reply === undefined) return
    reply.log.info({ req: reply.request, responseTime: reply.elapsedTime }, 'request aborted')
  }

  override requestCompleted(err: Error | null | undefined, req: FastifyRequest, reply: FastifyReply): void {
    if (err) {
      const facts = { req, responseTime: reply.elapsedTime, res: reply, err }
      reply.log.error(facts, 'request errored')
    } else if (reply.statusCode >= this.#least) this.#stream.write(lineOf(req, reply))
  }
}

// As pino writes it, at a third of the cost: most requests have no other line. Method, address and both ids have no
// character that JSON escapes.
function lineOf(request: FastifyRequest, reply: FastifyReply): string {
  const { method, id, trace_id } = request
  const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
  const path = jsonText(pathOf(request))
  const req = `{"method":"${method}","path":${path},"remoteAddress":"${clientAddress(request)}"}`
  const end = `"responseTime":${roundedMs(reply.elapsedTime)},"res":{"statusCode":${reply.statusCode}}`
  return `${HEAD}${Date.now()}${PROCESS}${id}"${trace},"req":${req},${end},"msg":"request completed"}\n`
}

// Milliseconds, to the microsecond: a number with all its digits takes long to write.
const roundedMs = (time: number) => Math.round(time * 1000) / 1000

/** What the other lines of the log tell of a request. */
export const SERIALIZERS = {
  req: (request: FastifyRequest) => ({
    method: request.method,
    path: pathOf(request),
    remoteAddress: clientAddress(request),
  }),
  responseTime: roundedMs,
}

/** Returns a path without query, fragment and the authority of an absolute URL (RFC 9112 §3.2.2). */
export function pathOf({ url }: { url: string }): string {
  // Most requests name the path alone.
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const end = path.search(/[?#]/)
  return end === -1 ? path : path.slice(0, end)
}
