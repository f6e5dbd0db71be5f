import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { DestinationStream } from 'pino'

/** Where the log goes: standard output, as JSON, unless there is a stream; `level` is one of pino's. */
export interface Logging {
  level: string
  stream?: DestinationStream
}

/**
 * The Fastify instance as redmint runs it: request ids of its own, logs without query strings (they carry
 * what people typed), and clear answers for unknown paths and methods.
 */
export function createInstance(logging: Logging): FastifyInstance {
  const fastify = Fastify({
    logger: { ...logging, serializers: { req: describeRequest } },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // Milliseconds; the first keys of all take a while on a slow machine.
    pluginTimeout: 60_000,
  })
  const methods = new Map<string, Set<string>>()
  fastify.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    methods.set(url, known)
    for (const name of [method].flat()) known.add(name)
  })
  fastify.setNotFoundHandler(async (request, reply) => {
    const allowed = methods.get(pathOf(request))
    if (allowed === undefined) {
      return reply.status(404).send({ error: 'not_found', error_description: 'Nothing is at this path.' })
    }
    const allow = [...allowed].join(', ')
    const error_description = `This path answers ${allow} only.`
    return reply.status(405).header('allow', allow).send({ error: 'method_not_allowed', error_description })
  })
  return fastify
}

function pathOf(request: { url: string }): string {
  return request.url.split('?', 1)[0] ?? ''
}

function describeRequest(request: FastifyRequest) {
  return { method: request.method, path: pathOf(request), remoteAddress: request.ip }
}
