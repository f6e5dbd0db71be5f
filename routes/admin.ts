import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { answerProblem } from '../plugins/admin-problems.ts'
import { accessTokenOf, ownProtection } from '../plugins/bearer.ts'
import { atDoor, countedAtDoor } from '../plugins/door-context.ts'
import late from '../plugins/late.ts'
import protect from '../plugins/protect.ts'
import { answerOperation } from '../src/admin/door/answer-operation.ts'
import { describeApi } from '../src/admin/door/openapi.ts'
import { methodsAt } from '../src/admin/door/paths.ts'
import { describeAdmin } from '../src/admin/door/resource.ts'
import { BODY_LIMIT, type Operation } from '../src/admin/operation/operation.ts'
import { AdminError } from '../src/admin/operation/problem.ts'
import { OPERATIONS } from '../src/admin/operations.ts'
import { ADMIN_PATH, routePrefix } from '../src/core/paths.ts'
import { queryOf } from '../src/core/uri.ts'

/** The admin API: a route for each operation, and its description, which needs no token. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const resource = describeAdmin(redmint.settings)
  const refuse = answerProblem(resource.place)
  const prefix = routePrefix(redmint.settings) + ADMIN_PATH

  await fastify.register(
    async (open) => {
      open.setErrorHandler(refuse)
      await open.register(late)
      let description: string | undefined
      open.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
        description ??= JSON.stringify(describeApi(redmint.settings.issuer, Object.values(OPERATIONS)))
        return sendJson(reply, description)
      })
    },
    { prefix },
  )

  await fastify.register(
    async (guarded) => {
      guarded.setErrorHandler(refuse)
      await guarded.register(late)
      await guarded.register(protect, { ...ownProtection(redmint, resource), refuse })
      // Storage is asked each time: what an operator ends is over within a second.
      guarded.addHook('onRequest', guarded.protect({ check_grant: true }))
      readTexts(guarded)
      addOperations(guarded)
      addUnknown(guarded, prefix)
    },
    { prefix },
  )
}

/** Reads bodies as text: the door says what they may be. */
function readTexts(guarded: FastifyInstance): void {
  guarded.removeAllContentTypeParsers()
  guarded.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Buffer))
    } catch {
      done(new AdminError('invalid_request', 'The body is not valid UTF-8.'))
    }
  })
}

function addOperations(guarded: FastifyInstance): void {
  const counted = countedAtDoor(guarded.redmint.now)
  const answer = async (operation: Operation, request: FastifyRequest, reply: FastifyReply) => {
    const context = { ...request.server.redmint, ...atDoor(request, counted, 'api') }
    const { status, headers, body } = await answerOperation(context, {
      operation,
      token: accessTokenOf(request),
      params: request.params as Readonly<Record<string, string>>,
      query: queryOf(request.url),
      body: typeof request.body === 'string' ? request.body : '',
      header: (name) => request.headers[name]?.toString(),
    })
    return sendJson(reply.status(status).headers(headers), body)
  }
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    const { method, path: url, needs } = operation
    guarded.route({
      method,
      url,
      bodyLimit: needs?.body_limit ?? BODY_LIMIT,
      config: { operation },
      schema: { hide: true },
      handler: (request, reply) => answer(operation, request, reply),
    })
  }
}

/** Unknown paths are routed too, so that the guard answers first and does not reveal which paths exist. */
function addUnknown(guarded: FastifyInstance, prefix: string): void {
  const unknown = async ({ method, url }: FastifyRequest, reply: FastifyReply) => {
    const methods = methodsAt(Object.values(OPERATIONS), url, prefix)
    if (methods.length === 0)
      throw new AdminError('unknown_path', 'Nothing is at this path.', [], {
        expected: { paths_in: `${prefix}/openapi.json` },
      })
    reply.header('allow', methods.join(', '))
    throw new AdminError('method_not_allowed', `This path answers ${methods.join(', ')} only.`, [], {
      received: { method },
      expected: { methods },
    })
  }
  guarded.all('/', { schema: { hide: true } }, unknown)
  guarded.all('/*', { schema: { hide: true } }, unknown)
  guarded.setNotFoundHandler(unknown)
}

function sendJson(reply: FastifyReply, body: string): FastifyReply {
  reply.header('cache-control', 'no-store')
  return body === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
}

export default route
