import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { clientAddress } from './address.ts'

/**
 * Logs one line for each request: when its response was sent, or when its connection has closed before that. Paths are
 * logged without query strings, which may contain secrets.
 */
export class RequestLog extends LogController {
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) request.log.info(factsOf(request, reply), 'request aborted')
    })
  }

  override requestCompleted(
    err: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const facts = { ...factsOf(request, reply), res: { statusCode: reply.statusCode } }
    if (err) request.log.error({ ...facts, err }, 'request errored')
    else request.log.info(facts, 'request completed')
  }
}

/** Returns a path without query, fragment and the authority of an absolute URL (RFC 9112 §3.2.2). */
export function pathOf({ url }: { url: string }): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}

/** Returns what the log tells of a request. */
export function describeRequest(request: FastifyRequest) {
  return { method: request.method, path: pathOf(request), remoteAddress: clientAddress(request) }
}

const factsOf = (request: FastifyRequest, reply: FastifyReply) => ({
  req: request,
  responseTime: reply.elapsedTime,
})
