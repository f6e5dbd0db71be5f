// What `redmint doctor` finds out about the proxy before the servers: its request goes by TLS and a proxy to a real server.
import { once } from 'node:events'
import { request as ask, type IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import redmint from '../../../../app.ts'
import { createInstance } from '../../../../instance.ts'
import { arrivalFinding } from '../../../../src/admin/doctor/arrival.ts'
import { ARRIVAL_HEADER, expectArrival, takeArrival } from '../../../../src/service/arrivals.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { startService, useTestKeys } from '../../../support/service.ts'
import { CERTIFICATE, KEY } from '../../outbound/self-signed.ts'

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

const CLIENT = '198.51.100.7'
type Change = (headers: IncomingHttpHeaders) => IncomingHttpHeaders

/** What a proxy does that is set up as docs/operations.md says. */
const replacing: Change = ({ traceparent: _, ...headers }) => ({ ...headers, 'x-forwarded-for': CLIENT })

interface Scene {
  readonly trusted?: readonly string[]
  readonly change?: Change
  readonly trace_context?: 'proxy' | 'all' | 'off'
  /** The answer of a cache. */
  readonly cached?: true
}

/** Returns the finding about a server behind a proxy. */
async function findingOf(t: Test, { trusted = ['127.0.0.1'], change = replacing, ...more }: Scene) {
  const { trace_context = 'proxy', cached } = more
  let to = 0
  const proxy = createServer({ cert: CERTIFICATE, key: KEY }, ({ url, headers }, response) => {
    if (cached) return void response.end('{}')
    ask({ host: '127.0.0.1', port: to, path: url, headers: change(headers) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  }).listen(0, '127.0.0.2')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  const issuer = `https://127.0.0.2:${(proxy.address() as AddressInfo).port}`
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  const fastify = createInstance({ level: 'silent', trusted_proxies: trusted })
  t.teardown(() => fastify.close())
  await fastify.register(redmint, { issuer, storage, trace_context })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  to = (fastify.server.address() as AddressInfo).port
  return await arrivalFinding(storage, { issuer, trace_context })
}

const appending: Change = (headers) => ({
  ...replacing(headers),
  'x-forwarded-for': `${headers['x-forwarded-for']}, ${CLIENT}`,
})

const CASES: readonly [title: string, scene: Scene, level: string, finding: RegExp, advice?: RegExp][] = [
  [
    'a proxy that replaces X-Forwarded-For',
    {},
    'ok',
    /^X-Forwarded-For of 127\.0\.0\.1 counts, and says 198\.51\.100\.7; Host 127\.0\.0\.2:\d+, X-Forwarded-Proto is missing: redmint needs neither/,
  ],
  ['a proxy that adds to X-Forwarded-For', { change: appending }, 'ok', /says 198\.51\.100\.7/],
  [
    'what else it says is shown',
    { change: (headers) => ({ ...replacing(headers), host: 'inside', 'x-forwarded-proto': 'https' }) },
    'ok',
    /Host inside, X-Forwarded-Proto https/,
  ],
  [
    'a proxy that passes on what clients send',
    { change: ({ traceparent: _, ...headers }) => headers },
    'problem',
    /127\.0\.0\.1 passes on X-Forwarded-For as a client sends it: everybody passes for any address/,
    /replace X-Forwarded-For/,
  ],
  [
    'a proxy without X-Forwarded-For',
    { change: ({ 'x-forwarded-for': _, ...headers }) => headers },
    'problem',
    /does not arrive: all people have the address of the proxy, 127\.0\.0\.1/,
    /set TRUSTED_PROXIES=127\.0\.0\.1/,
  ],
  [
    'a proxy that is not trusted',
    { trusted: ['10.0.0.5'] },
    'problem',
    /of 127\.0\.0\.1 does not count/,
    /^Set TRUSTED_PROXIES=127\.0\.0\.1/,
  ],
  ['no proxy is trusted', { trusted: [] }, 'problem', /does not count/, /TRUSTED_PROXIES/],
  [
    'whoever asks is trusted',
    { trusted: ['127.0.0.1', CLIENT], change: appending },
    'warning',
    /came from 198\.51\.100\.7, which TRUSTED_PROXIES names, too/,
    /proxies alone/,
  ],
  [
    'a proxy that passes on traces of clients',
    { change: (headers) => ({ ...headers, 'x-forwarded-for': CLIENT }) },
    'warning',
    /passes on traceparent as a client sends it/,
    /TRACE_CONTEXT=all/,
  ],
  [
    'everybody may continue a trace',
    { change: (headers) => ({ ...headers, 'x-forwarded-for': CLIENT }), trace_context: 'all' },
    'ok',
    /counts/,
  ],
  ['a cache answers', { cached: true }, 'warning', /^not known: a cache answered/, /no-cache/],
  [
    'the header does not get through',
    { change: ({ [ARRIVAL_HEADER]: _, ...headers }) => headers },
    'warning',
    /^not known/,
    /./,
  ],
]

for (const [title, scene, level, finding, advice] of CASES) {
  t.test(title, async (t) => {
    const found = await findingOf(t, scene)
    t.match(found, { id: 'forwarded_headers', level, finding })
    if (advice === undefined) t.notOk(found.advice)
    else t.match(found.advice, advice)
  })
}

t.test('strangers learn nothing by the header, and make nothing grow', async (t) => {
  const storage = new MemoryStorage()
  const { get } = await startService(t, { storage })
  const path = '/.well-known/openid-configuration'
  const shown = ({ status, headers, text }: Awaited<ReturnType<typeof get>>) => {
    const { 'x-request-id': _, date: _d, ...same } = headers
    return { status, headers: same, text }
  }
  const plain = shown(await get(path))
  const value = await expectArrival(storage)
  let calls = 0
  const { change } = storage.records
  storage.records.change = (...args) => {
    calls += 1
    return change.apply(storage.records, args)
  }
  for (const given of ['', 'x', `${value}x`, value.slice(1), '\u00e9'.repeat(43)])
    t.strictSame(shown(await get(path, { [ARRIVAL_HEADER]: given })), plain, JSON.stringify(given))
  t.equal(calls, 0, 'what cannot be a value asks storage nothing')
  const unknown = Buffer.alloc(32, 1).toString('base64url')
  t.strictSame(shown(await get(path, { [ARRIVAL_HEADER]: unknown })), plain)
  t.equal(await takeArrival(storage, unknown), undefined)
  t.strictSame(shown(await get(path, { [ARRIVAL_HEADER]: value, 'x-forwarded-proto': 'first' })), plain)
  t.strictSame(shown(await get(path, { [ARRIVAL_HEADER]: value, 'x-forwarded-proto': 'second' })), plain)
  const long = await expectArrival(storage)
  await get(path, { [ARRIVAL_HEADER]: long, 'x-forwarded-proto': 'x'.repeat(5000) })
  t.match(await takeArrival(storage, value), { forwarded_proto: 'first', is_forwarded: false })
  t.equal(await takeArrival(storage, value), undefined, 'it was read')
  t.equal((await takeArrival(storage, long))?.forwarded_proto.length, 200)
  t.equal(await takeArrival(storage, await expectArrival(storage)), undefined, 'it did not arrive')
  storage.records.change = () => Promise.reject(new StorageUnavailable('away'))
  t.strictSame(shown(await get(path, { [ARRIVAL_HEADER]: value })), plain, 'storage does not answer')
})
