// The client address comes from X-Forwarded-For of trusted proxies only; nothing else is read from such headers.

import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import redmint from '../../../../app.ts'
import { createInstance } from '../../../../instance.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { createClient } from '../../../support/records.ts'
import { authorizationRequest, CLIENTS, ISSUER, useTestKeys } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

async function start(t: Test, trusted_proxies: readonly string[]) {
  const addresses: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      const { req } = JSON.parse(String(line))
      if (req !== undefined) addresses.push(req.remoteAddress)
      done()
    },
  })
  const fastify = createInstance({ level: 'info', stream, trusted_proxies })
  t.teardown(() => fastify.close())
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await createClient(storage, 'app', formatClient(CLIENTS.app))
  await fastify.register(redmint, { issuer: ISSUER, storage, demo: 'public' })
  const from = async (remoteAddress: string, headers: Record<string, string | string[]>, url = '/health') =>
    fastify.inject({ url, headers, remoteAddress })
  /** The client address that is logged for a request. */
  const seen = async (...request: Parameters<typeof from>) => {
    await from(...request)
    await until('the request is logged', () => addresses.length > 0)
    return addresses.pop()
  }
  return { from, seen }
}

const PROXY = '10.1.2.3'
const CLIENT = '198.51.100.7'
const SPOOFED = '203.0.113.66'

/** Every header in which an intermediary may name the client. */
const claim = (address: string) => ({
  'x-forwarded-for': address,
  'x-real-ip': address,
  'x-client-ip': address,
  'true-client-ip': address,
  'cf-connecting-ip': address,
  forwarded: `for=${address}`,
})

t.test('X-Forwarded-For is ignored without trusted proxies', async (t) => {
  const { seen } = await start(t, [])
  for (const address of ['127.0.0.1', '::1', PROXY, CLIENT])
    t.equal(await seen(address, claim(SPOOFED)), address)
})

t.test('with trusted proxies, the last untrusted address in X-Forwarded-For is used', async (t) => {
  const { seen } = await start(t, ['10.0.0.0/8', '::1', '192.0.2.1'])
  const rows: [peer: string, forwarded: string | string[], expected: string][] = [
    [PROXY, CLIENT, CLIENT],
    [PROXY, `${SPOOFED}, ${CLIENT}`, CLIENT],
    [PROXY, `${SPOOFED},${CLIENT},10.9.9.9`, CLIENT],
    [PROXY, [SPOOFED, CLIENT], CLIENT],
    [PROXY, `10.9.9.9, ${CLIENT}`, CLIENT],
    [PROXY, `192.0.2.1, ${SPOOFED}, nonsense, ${CLIENT}, 192.0.2.1`, CLIENT],
    [PROXY, '2001:db8::7', '2001:db8::7'],
    [PROXY, '10.9.9.9', '10.9.9.9'],
    [`::ffff:${PROXY}`, CLIENT, CLIENT],
    ['::1', CLIENT, CLIENT],
    [CLIENT, SPOOFED, CLIENT],
    [CLIENT, `${SPOOFED}, ${PROXY}`, CLIENT],
    ['11.1.2.3', SPOOFED, '11.1.2.3'],
    ['192.0.2.2', SPOOFED, '192.0.2.2'],
    ['127.0.0.1', SPOOFED, '127.0.0.1'],
    // With ports, as some gateways write them.
    [PROXY, `${CLIENT}:5000`, CLIENT],
    [PROXY, '[2001:db8::7]:443', '2001:db8::7'],
    [PROXY, `${SPOOFED}:1, ${CLIENT}:2, 10.9.9.9:3`, CLIENT],
    ['::1', `${SPOOFED}, [::1]:443`, SPOOFED],
    // No address: the address of the proxy that wrote it.
    [PROXY, 'unknown', PROXY],
    [PROXY, `${SPOOFED}, unknown`, PROXY],
    [PROXY, `${SPOOFED}, ${CLIENT}:port, 10.9.9.9:3`, '10.9.9.9'],
    [PROXY, '', PROXY],
  ]
  for (const [peer, forwarded, expected] of rows) {
    t.equal(await seen(peer, { 'x-forwarded-for': forwarded }), expected, `${peer}: ${forwarded}`)
  }
  t.equal(
    await seen(PROXY, { ...claim(SPOOFED), 'x-forwarded-for': CLIENT }),
    CLIENT,
    'and by one header only',
  )
  t.equal(await seen(PROXY, {}), PROXY)
})

t.test('no URL in a response is derived from a request header', async (t) => {
  const { from } = await start(t, ['10.0.0.0/8'])
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '6666',
    'x-forwarded-prefix': '/evil',
    forwarded: 'host=evil.example;proto=http',
    host: 'evil.example',
  }
  const authorize = `/oauth2/authorize?${new URLSearchParams(authorizationRequest())}`
  for (const url of [
    '/.well-known/openid-configuration',
    '/openapi.json',
    '/api/resource',
    authorize,
    '/no',
  ]) {
    const answers = [await from(PROXY, forged, url), await from(CLIENT, {}, url)]
    const [one, other] = answers.map(({ statusCode, headers, body }) => {
      const location = String(headers.location).replace(/code=[^&]+/, '')
      return { statusCode, location, challenge: headers['www-authenticate'], body }
    })
    t.same(one, other, url)
    t.notMatch(JSON.stringify(one), /evil[."]/)
  }
})
