// Demo mode is for this machine alone: no other name, no proxy, at no route.
import type { FastifyInstance, InjectOptions } from 'fastify'
import t from 'tap'
import redmint from '../../../app.ts'
import { createInstance } from '../../../instance.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { startService, useTestKeys } from '../../support/service.ts'

const issuer = 'http://localhost:3000'
const OUTSIDE: readonly Record<string, string>[] = [
  { host: 'rebound.evil.example:3000' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.evil.example' },
  { host: '192.0.2.7:3000' },
  { host: '0.0.0.0:3000' },
  { host: 'localhost@evil.example' },
  { host: 'localhost:3000, evil.example' },
  { host: 'evil.example#localhost' },
  { host: 'localhost:3000', 'x-forwarded-for': '192.0.2.7' },
  { host: 'localhost:3000', 'x-forwarded-host': 'abc.tunnel.example' },
  { host: 'localhost:3000', 'x-forwarded-proto': 'https' },
  { host: 'localhost:3000', forwarded: 'for=192.0.2.7' },
]
const OF_THIS_MACHINE = ['localhost:3000', 'localhost', '127.0.0.1:3000', '[::1]:3000', 'LocalHost:9000']

t.test('every route refuses a request that may come from outside, and says what to set', async (t) => {
  const storage = new MemoryStorage()
  await useTestKeys(storage, { demo: true })
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const [fastify, management] = [
    createInstance({ level: 'info', stream }),
    createInstance({ level: 'silent' }),
  ]
  t.teardown(() => Promise.all([fastify.close(), management.close()]))
  const routes: { at: FastifyInstance; method: NonNullable<InjectOptions['method']>; url: string }[] = []
  for (const at of [fastify, management])
    at.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) routes.push({ at, method: name as 'GET', url })
    })
  await fastify.register(redmint, {
    issuer,
    storage,
    management,
    demo: true,
    home: true,
    admin_api: 'on',
    console: 'on',
    console_origin: 'http://localhost:9000',
    client_registration: 'open',
    forward_auth_clients: ['wiki'],
    sign_up: 'open',
  })
  await fastify.ready()
  await management.ready()
  t.ok(routes.length > 100)
  const [rebound = {}, ...others] = OUTSIDE
  for (const { at, method, url } of routes) {
    const path = url.replace(/:[^/]+/g, 'x').replace('*', 'x')
    const { statusCode } = await at.inject({ method, url: path, headers: rebound })
    if (statusCode !== 421) t.fail(`${method} ${url}: ${statusCode}`)
  }
  for (const headers of others) {
    const answer = await fastify.inject({ url: '/demo/mail', headers })
    t.equal(answer.statusCode, 421, JSON.stringify(headers))
    t.match(answer.json().error_description, /Set DEMO=false, or DEMO=public/)
  }
  t.match(lines.join(''), '"reason":"demo_from_outside"')
  for (const host of OF_THIS_MACHINE) {
    t.equal((await fastify.inject({ url: '/demo/mail', headers: { host } })).statusCode, 200, host)
    t.equal((await management.inject({ url: '/console', headers: { host } })).statusCode, 302, host)
  }
})

t.test('a public demonstration answers everybody, and shows nobody the mails', async (t) => {
  const { get } = await startService(t, { demo: 'public' })
  for (const headers of OUTSIDE) t.equal((await get('/health', headers)).status, 200)
  t.equal((await get('/demo/mail')).status, 404)
  t.notMatch((await get('/demo')).text, '/demo/mail')
  t.equal((await get('/forgot-password')).status, 404, 'no mail would come')
})

t.test('without demo mode every name is answered', async (t) => {
  const { get } = await startService(t, { demo: false })
  for (const headers of OUTSIDE) t.equal((await get('/health', headers)).status, 200)
})
