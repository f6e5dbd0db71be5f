import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** An answer that is the same for everybody: its bytes, shared by all responses, and their entity tag (RFC 9110 §8.8.3). */
interface Prepared {
  readonly body: Buffer
  readonly etag: string
}

/**
 * Returns a function that prepares JSON from a source, and does so again only when it gets another source.
 * @param describe returns the value of the JSON
 */
export function preparedFrom<T>(describe: (source: T) => object): (source: T) => Prepared {
  let last: { source: T; prepared: Prepared } | undefined
  return (source) => {
    if (last === undefined || last.source !== source) last = { source, prepared: prepare(describe(source)) }
    return last.prepared
  }
}

/** Sends a prepared answer. @fastify/etag answers a request that has it already (RFC 9110 §13.1.2). */
export function sendPrepared(reply: FastifyReply, { body, etag }: Prepared): FastifyReply {
  return reply.type('application/json; charset=utf-8').header('etag', etag).send(body)
}

function prepare(value: object): Prepared {
  const body = Buffer.from(JSON.stringify(value))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
