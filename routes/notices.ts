import type { FastifyPluginAsync } from 'fastify'
import { PUSH_SCRIPT, PUSH_SCRIPT_PATH, PUSH_WORKER, PUSH_WORKER_PATH } from '../src/asks/push/script.ts'

/** Seconds that a browser keeps the script: a year, because another one has another path. */
const MAX_AGE = 31_536_000

const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The script of the page on which a person allows notices, and what shows them. */
const route: FastifyPluginAsync = async (fastify) => {
  fastify.get(PUSH_SCRIPT_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.type(JAVASCRIPT).header('cache-control', `public, max-age=${MAX_AGE}, immutable`).send(PUSH_SCRIPT),
  )
  fastify.get(PUSH_WORKER_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.type(JAVASCRIPT).header('cache-control', 'no-cache').send(PUSH_WORKER),
  )
}

export default route
