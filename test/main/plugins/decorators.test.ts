// Request decorators cannot be used if their plugin is not registered.
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import t from 'tap'
import { basicCredentialsOf } from '../../../plugins/basic-auth.ts'
import { accessTokenOf } from '../../../plugins/bearer.ts'
import { browserOf, keepBrowser } from '../../../plugins/browser.ts'
import { callerOf } from '../../../plugins/caller.ts'

const USES: Record<string, (request: FastifyRequest, reply: FastifyReply) => unknown> = {
  browserOf,
  keepBrowser: (_request, reply) => keepBrowser(reply, { session: 'x' }),
  callerOf,
  basicCredentialsOf,
  accessTokenOf,
}

t.test('using a decorator that is not registered throws', async (t) => {
  for (const [name, use] of Object.entries(USES)) {
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    fastify.get('/', async (request, reply) => ({ used: String(use(request, reply)) }))
    const { statusCode, body } = await fastify.inject('/')
    t.equal(statusCode, 500, name)
    t.equal(JSON.parse(body).code, 'FST_ERR_DEC_UNDECLARED')
  }
})
