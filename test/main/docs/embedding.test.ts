// The room in docs/embedding.md, run as it stands there.
import { transform } from 'esbuild'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import redmint, { html } from '../../../exports/index.ts'
import { blocks, readText, section } from '../../support/markdown.ts'

t.test('the room of an application', async (t) => {
  const [example = ''] = blocks(section(await readText('docs/embedding.md'), 'A room of your own'), 'ts')
  const { code } = await transform(example, { loader: 'ts' })
  const body = code.replaceAll(/^import .*$/gm, '')
  const run = new Function('Fastify', 'redmint', 'html', `return (async () => { ${body}; return fastify })()`)
  const fastify: FastifyInstance = await run(Fastify, redmint, html)
  t.teardown(() => fastify.close())
  await fastify.ready()
  const counted = async () => (await fastify.inject('/failed-sign-ins')).json()
  t.same(await counted(), { this_minute: 0, last_minute: 0 })
  const event = { event: 'sign_in_failed', reason: 'unknown_user', method: 'pwd' } as const
  fastify.redmint.report(event as Parameters<typeof fastify.redmint.report>[0])
  t.same(await counted(), { this_minute: 1, last_minute: 0 })
})
