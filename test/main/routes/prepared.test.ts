import Fastify from 'fastify'
import t from 'tap'
import { preparedFrom, sendPrepared } from '../../../routes/prepared.ts'

t.test('an answer is prepared once, and again when its source has changed', async (t) => {
  let prepared = 0
  const answer = preparedFrom((names: readonly string[]) => {
    prepared += 1
    return { names }
  })
  let source = ['a']
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  fastify.get('/', async (_request, reply) => sendPrepared(reply, answer(source)))

  const [first, second] = [await fastify.inject('/'), await fastify.inject('/')]
  t.equal(prepared, 1)
  t.same(first.json(), { names: ['a'] })
  t.equal(first.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(second.headers.etag, first.headers.etag)
  t.match(first.headers.etag, /^"[\w-]{43}"$/)

  source = ['b']
  const third = await fastify.inject('/')
  t.equal(prepared, 2)
  t.same(third.json(), { names: ['b'] })
  t.not(third.headers.etag, first.headers.etag)
  source = ['b']
  t.equal((await fastify.inject('/')).headers.etag, third.headers.etag, 'the same bytes, the same tag')
})
