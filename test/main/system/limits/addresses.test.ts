// Failures are counted by the address of the connection; headers do not change it.
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import redmint from '../../../../app.ts'
import { forEachStorage, MAX } from '../../../support/limits/service.ts'
import { basic, ISSUER } from '../../../support/service.ts'

const NAMES = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-originating-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'x-cluster-client-ip',
]

forEachStorage('a header cannot change the address', async (t, start) => {
  const { guess, ask, exhaust } = await start()
  await exhaust()
  for (const name of NAMES) {
    for (const address of ['203.0.113.7', '127.0.0.1', '2001:db8::7', '203.0.113.7, 203.0.113.8']) {
      const value = name === 'forwarded' ? `for="${address}"` : address
      t.equal((await ask({ headers: { [name]: value } })).status, 429, `${name}: ${value}`)
    }
  }
  let refused = 0
  for (let i = 0; i < 2 * MAX; i += 1) {
    const headers = Object.fromEntries(NAMES.map((name) => [name, `203.0.113.${i}`]))
    if ((await guess({ client_id: 'web', headers })) === 429) refused += 1
  }
  t.equal(refused, MAX, 'nor do all of them together, from the first guess on')
})

forEachStorage(
  'all spellings of an address, and all addresses of an IPv6 /64 network, are one',
  async (t, start) => {
    const { ask, exhaust } = await start()
    await exhaust({ from: '2001:db8:1:2::1' })
    for (const from of ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:0:0:1', '2001:0db8:0001:0002::9']) {
      t.equal((await ask({ from })).status, 429, from)
    }
    t.equal((await ask({ from: '2001:db8:1:3::1' })).status, 200, 'another network')
    await exhaust({ from: '198.51.100.1' })
    t.equal((await ask({ from: '::ffff:198.51.100.1' })).status, 429, 'IPv4 by way of IPv6')
    t.equal((await ask({ from: '::ffff:198.51.100.2' })).status, 200, 'has addresses of its own')
  },
)

forEachStorage('behind a trusted proxy, its clients are counted separately', async (t, start) => {
  const { storage } = await start()
  const fastify = Fastify({ trustProxy: '192.0.2.10' })
  t.teardown(() => fastify.close())
  await fastify.register(redmint, { issuer: ISSUER, storage, client_auth_failures: MAX })
  const ask = async (remoteAddress: string, forwarded: string, secret?: string) => {
    const { statusCode } = await fastify.inject({
      method: 'POST',
      url: '/oauth2/token',
      remoteAddress,
      headers: {
        ...basic('service', secret),
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': forwarded,
      },
      payload: 'grant_type=client_credentials',
    })
    return statusCode
  }
  for (let i = 0; i < MAX; i += 1) t.equal(await ask('192.0.2.10', `10.0.0.${i}, 203.0.113.7`, 'wrong'), 401)
  t.equal(await ask('192.0.2.10', '203.0.113.7'), 429, 'the last address is what the proxy saw')
  t.equal(await ask('192.0.2.10', '203.0.113.8'), 200)
  for (let i = 0; i < MAX; i += 1) t.equal(await ask('192.0.2.10', `203.0.113.20:${5000 + i}`, 'wrong'), 401)
  t.equal(await ask('192.0.2.10', '203.0.113.20:6000'), 429, 'a port is no part of an address')
  for (let i = 0; i < MAX; i += 1) t.equal(await ask('192.0.2.10', `unknown-${i}`, 'wrong'), 401)
  t.equal(await ask('192.0.2.10', 'unknown'), 429, 'what is no address is the proxy')
  for (let i = 0; i < MAX; i += 1) t.equal(await ask('192.0.2.11', `203.0.113.${i}`, 'wrong'), 401)
  t.equal(await ask('192.0.2.11', '203.0.113.9'), 429, 'another proxy is not believed')
})

forEachStorage('the limit applies over real connections', async (t, start) => {
  const { fastify } = await start()
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = fastify.server.address() as AddressInfo
  const ask = async (localAddress: string, secret?: string) => {
    const request: ClientRequest = openRequest({
      host: '127.0.0.1',
      port,
      localAddress,
      path: '/oauth2/token',
      method: 'POST',
      agent: false,
      headers: { ...basic('service', secret), 'content-type': 'application/x-www-form-urlencoded' },
    })
    request.end('grant_type=client_credentials')
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  for (let i = 0; i < MAX; i += 1) t.equal(await ask('127.0.0.2', 'wrong'), 401)
  t.equal(await ask('127.0.0.2'), 429)
  t.equal(await ask('127.0.0.3'), 200)
})
