import type { ServerResponse } from 'node:http'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { clientAddress } from './address.ts'

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
    const facts = { req, responseTime: reply.elapsedTime, res: reply }
    if (err) reply.log.error({ ...facts, err }, 'request errored')
    else reply.log.info(facts, 'request completed')
  }
}

/** What the log tells of a request. */
export const SERIALIZERS = {
  req: (request: FastifyRequest) => ({
    method: request.method,
    path: pathOf(request),
    remoteAddress: clientAddress(request),
  }),
  // In milliseconds, to the microsecond.
  responseTime: (time: number) => Math.round(time * 1000) / 1000,
}

/** Returns a path without query, fragment and the authority of an absolute URL (RFC 9112 §3.2.2). */
export function pathOf({ url }: { url: string }): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}
