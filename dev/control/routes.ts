import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { parseJson } from '../../src/core/json.ts'
import { sameText } from '../../src/sessions/browser.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'
import { DEV_PATH } from './endpoints.ts'
import { type DevOperation, runOperation } from './operation.ts'
import { OPERATIONS } from './operations.ts'

const BODY_LIMIT = 64 * 1024
const TABLE: readonly DevOperation[] = Object.values(OPERATIONS) as readonly DevOperation[]
const KNOWN = TABLE.map(({ method, path }) => `${method} ${DEV_PATH}${path}`).join(', ')

/** Registers what controls a server for development, below `/dev`. */
export async function registerControl(fastify: FastifyInstance, parts: DevParts): Promise<void> {
  await fastify.register(control(parts), { prefix: DEV_PATH })
}

const control =
  (parts: DevParts): FastifyPluginAsync =>
  async (fastify) => {
    fastify.removeAllContentTypeParsers()
    fastify.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      async (_request: FastifyRequest, text: string) => text,
    )
    fastify.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      assertAllowed(request, parts.control_token)
    })
    fastify.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      const status = error instanceof ControlError ? error.status : (error.statusCode ?? 500)
      return reply.status(status).send({ error: 'refused', error_description: error.message })
    })
    fastify.get('/', async () => ({
      operations: TABLE.map(({ run: _, ...described }) => ({
        ...described,
        path: `${DEV_PATH}${described.path}`,
      })),
    }))
    fastify.all('/*', async () => {
      throw new ControlError(`Nothing is here, but ${KNOWN}.`, 404)
    })
    for (const operation of TABLE) {
      const { method, path } = operation
      fastify.route({
        method,
        url: path,
        async handler(request, reply) {
          const answer = await runOperation(operation, parts, inputOf(request))
          return answer === undefined ? reply.status(204).send() : answer
        },
      })
    }
  }

/** @throws ControlError if a page of a browser sends it, or whoever sends it does not have the token */
function assertAllowed({ headers }: FastifyRequest, token: string): void {
  // A page that somebody opened on this machine reaches this port, too.
  if (headers.origin !== undefined)
    throw new ControlError('This is for tests, and not for pages of a browser: send it without Origin.', 403)
  if (sameText(headers.authorization ?? '', `Bearer ${token}`)) return
  throw new ControlError(
    'Send Authorization: Bearer with the token that was printed at the start (control_token of the server).',
    401,
  )
}

/** @throws ControlError if the body is no JSON */
function inputOf({ body }: FastifyRequest): unknown {
  if (body === undefined || body === null || body === '') return {}
  const input = parseJson(String(body))
  if (input === undefined) throw new ControlError('The body is no JSON.')
  return input
}
