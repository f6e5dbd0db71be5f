// Every answer has the id of its request in a header: the id that the log, the error page and a problem have.

import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createInstance } from '../../../instance.ts'
import { openPeer } from '../../support/peer.ts'
import { REDIRECT_URI, startService } from '../../support/service.ts'

const ID = /^[\w-]{16}$/
const HEADER = 'x-request-id'

t.test(
  'every answer of the service has an id of its own, which its lines in the log have (I5)',
  async (t) => {
    const { request, log, fastify } = await startService(t, { admin_api: 'on' })
    const html = { accept: 'text/html' }
    const seen = new Set<string>()
    for (const [status, url, options] of [
      [200, '/health', {}],
      [200, '/.well-known/jwks.json', {}],
      [404, '/unknown', {}],
      [400, '/%zz', {}],
      [405, '/oauth2/token', {}],
      [400, '/oauth2/token', { method: 'POST', payload: 'a', headers: { 'content-type': 'text/plain' } }],
      [
        413,
        '/oauth2/token',
        {
          method: 'POST',
          payload: 'a'.repeat(2e6),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ],
      [400, '/oauth2/authorize', { headers: html }],
      [302, `/oauth2/authorize?client_id=app&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`, {}],
      [401, '/api/resource', {}],
      [401, '/userinfo', {}],
      [401, '/admin/v1/users', {}],
      [200, '/actuator/info', {}],
      [
        204,
        '/userinfo',
        {
          method: 'OPTIONS',
          headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
        },
      ],
    ] as const) {
      log.length = 0
      const answer = await request({ url, ...options })
      const id = String(answer.headers[HEADER])
      t.equal(answer.status, status, url)
      t.match(id, ID, url)
      t.notOk(seen.has(id))
      seen.add(id)
      t.ok(
        log.every((line) => JSON.parse(line).reqId === id),
        `${url}: the log has it`,
      )
      if (String(answer.headers['content-type']).startsWith('text/html')) t.match(answer.text, id)
      if (url.startsWith('/admin')) t.equal(answer.json.request_id, id)
    }
    t.ok(fastify)
  },
)

t.test('so has an unknown path of a service without a home page', async (t) => {
  const { get, post } = await startService(t, { home: false })
  t.match((await get('/unknown')).headers[HEADER], ID)
  t.match((await post('/oauth2/authorize/more', {})).headers[HEADER], ID)
})

t.test('what is not HTTP is answered with an id, too', async (t) => {
  const fastify = createInstance({ level: 'silent' })
  t.teardown(() => fastify.close())
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  const peer = await openPeer(t, port)
  const text = await new Promise<string>((resolve) => {
    let all = ''
    peer.socket.on('data', (data) => {
      all += data
    })
    peer.socket.on('close', () => resolve(all))
    peer.socket.write('nonsense\r\n\r\n')
  })
  t.match(text, /^HTTP\/1\.1 400 [\s\S]*\r\nX-Request-Id: [\w-]{16}\r\n/)
})

t.test(
  'an id is taken over from a trusted proxy that sets it alone, and only a short plain one',
  async (t) => {
    const given = async (
      trusted_proxies: string[],
      remoteAddress: string,
      id: string | string[],
      trust_request_id = true,
    ) => {
      const fastify = createInstance({ level: 'silent', trusted_proxies, trust_request_id })
      t.teardown(() => fastify.close())
      fastify.get('/id', async (request) => request.id)
      const { body } = await fastify.inject({ url: '/id', remoteAddress, headers: { [HEADER]: id } })
      return body
    }
    const proxy = '10.1.2.3'
    for (const id of ['a1B2c3D4', 'x'.repeat(64), 'with._-all'])
      t.equal(await given(['10.0.0.0/8'], proxy, id), id)
    for (const id of [
      'short12',
      'x'.repeat(65),
      'with a space',
      'ümlaut-12',
      '12345678\t9',
      '',
      ['12345678', 'abcdefgh'],
    ])
      t.match(await given(['10.0.0.0/8'], proxy, id), ID, JSON.stringify(id))
    t.match(await given(['10.0.0.0/8'], proxy, 'a1B2c3D4', false), ID, 'a proxy that may pass on what it got')
    t.match(await given(['10.0.0.0/8'], '198.51.100.7', 'a1B2c3D4'), ID, 'others name no request')
    t.match(await given([], '127.0.0.1', 'a1B2c3D4'), ID, 'without trusted proxies nobody does')
  },
)
