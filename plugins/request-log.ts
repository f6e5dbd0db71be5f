import type { ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type DestinationStream, levels } from 'pino'
import { clientAddress } from './address.ts'

const BASE = `,"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"reqId":"`
const INFO = levels.values.info ?? 0
const REPLY = Symbol('reply')

/** A response, with its reply as soon as its request is handled. */
interface Logged extends ServerResponse {
  [REPLY]?: FastifyReply
}

/**
 * Logs one line for each request: when its response was sent, or when its connection has closed before that. Paths are
 * logged without query strings, which may contain secrets.
 */
export class RequestLog extends LogController {
  readonly #stream: DestinationStream
  readonly #logsInfo: boolean

  /** `level` and `stream` are those of the logger. */
  constructor(level: string, stream: DestinationStream) {
    super()
    this.#stream = stream
    this.#logsInfo = (levels.values[level] ?? Number.POSITIVE_INFINITY) <= INFO
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

  override requestCompleted(
    err: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (err)
      request.log.error({ req: request, responseTime: reply.elapsedTime, res: reply, err }, 'request errored')
    else if (this.#logsInfo) this.#stream.write(lineOf(request, reply))
  }
}

/** Returns what the log tells of a request. */
export function describeRequest(request: FastifyRequest) {
  return { method: request.method, path: pathOf(request), remoteAddress: clientAddress(request) }
}

/** Returns a path without query, fragment and the authority of an absolute URL (RFC 9112 §3.2.2). */
export function pathOf({ url }: { url: string }): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}

// As pino would write it, at a third of the cost: this is the only line of most requests. Method, address and id have
// no character that JSON escapes. Microseconds suffice: a number with all its digits takes long to write.
function lineOf(request: FastifyRequest, reply: FastifyReply): string {
  const { method, path, remoteAddress } = describeRequest(request)
  const req = `{"method":"${method}","path":${JSON.stringify(path)},"remoteAddress":"${remoteAddress}"}`
  const responseTime = Math.round(reply.elapsedTime * 1000) / 1000
  const facts = `"req":${req},"responseTime":${responseTime},"res":{"statusCode":${reply.statusCode}}`
  return `{"level":${INFO},"time":${Date.now()}${BASE}${request.id}",${facts},"msg":"request completed"}\n`
}
