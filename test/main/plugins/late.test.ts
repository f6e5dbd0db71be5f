// A request that waited too long is refused at every endpoint but those that say whether the process is well.
import type { AddressInfo } from 'node:net'
import t from 'tap'
import redmint from '../../../app.ts'
import { createInstance } from '../../../instance.ts'
import { MAX_WAIT_MS } from '../../../plugins/turns.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { ISSUER, useTestKeys } from '../../support/service.ts'

/** Each of them answers whatever else waits. */
const EXCEPT = /^\/(health|actuator|openapi\.json|docs)/

t.test('who waited too long gets 503 at every endpoint, and nothing is done', async (t) => {
  let clock = 0
  // It is read when a request arrives, and when it has its turn.
  const now = () => {
    clock += MAX_WAIT_MS + 1
    return clock
  }
  const fastify = createInstance({ level: 'silent', now })
  t.teardown(() => fastify.close())
  const routes = new Set<string>()
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.add(`${name} ${url}`)
  })
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await fastify.register(redmint, { issuer: ISSUER, storage, home: true, client_registration: 'open' })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = fastify.server.address() as AddressInfo
  const tried = [...routes].filter((route) => /^(GET|POST) [^*:]+$/.test(route))
  t.ok(tried.length > 20, `${tried.length} routes`)
  for (const route of tried) {
    const [method = '', path = ''] = route.split(' ')
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual' })
    if (EXCEPT.test(path)) t.not(status, 503, route)
    else {
      t.equal(status, 503, route)
      t.match(headers.get('retry-after'), /^[1-5]$/, route)
    }
  }
  const accept = { accept: 'text/html' }
  const page = await fetch(`http://127.0.0.1:${port}/oauth2/authorize`, { headers: accept })
  t.match(page.headers.get('content-type'), 'text/html', 'people get a page')
})
