// What `redmint doctor` finds out about the proxy before the servers: its request goes by TLS and a proxy to a real server.
import { once } from 'node:events'
import { request as ask, type IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import redmint from '../../../../../app.ts'
import { createInstance } from '../../../../../instance.ts'
import { arrivalFinding } from '../../../../../src/admin/doctor/arrival.ts'
import { CLOCK_SKEW } from '../../../../../src/core/clock-skew.ts'
import type { SealPurpose } from '../../../../../src/keys/sealer.ts'
import { maintainSealingKeys } from '../../../../../src/keys/sealing-keys.ts'
import { ARRIVAL_HEADER, expectArrival, takeArrival } from '../../../../../src/service/arrivals.ts'
import type { Finding } from '../../../../../src/service/finding.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { onRedis, spyOn } from '../../../../support/matrix.ts'
import { operatorOn } from '../../../../support/operator.ts'
import { withOtherCharacter } from '../../../../support/other-character.ts'
import { CERTIFICATE, KEY } from '../../../../support/outbound/self-signed.ts'
import { KEPT, passOn } from '../../../../support/pass-on.ts'
import { startService, useTestKeys } from '../../../../support/service.ts'

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
// Other files share the process.
t.teardown(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)

const CLIENT = '198.51.100.7'
type Change = (headers: IncomingHttpHeaders) => IncomingHttpHeaders

/** What a proxy does that is set up as docs/operations.md says. */
const replacing: Change = ({ traceparent: _, ...headers }) => ({ ...headers, 'x-forwarded-for': CLIENT })

interface Scene {
  readonly trusted?: readonly string[]
  readonly change?: Change
  readonly trace_context?: 'proxy' | 'all' | 'off'
  readonly trust_request_id?: boolean
  /** The answer of a cache. */
  readonly cached?: true
}

interface Stored {
  readonly storage: Storage
  readonly key_encryption_key?: Uint8Array
}

/** Starts a server behind a proxy, and returns its issuer. */
async function behindProxy(
  t: Test,
  { storage, key_encryption_key, trace_context = 'proxy', ...more }: Scene & Stored,
): Promise<string> {
  const { trusted = ['127.0.0.1'], change = replacing, cached, trust_request_id = false } = more
  let to = 0
  const proxy = createServer(
    { cert: CERTIFICATE, key: KEY, keepAliveTimeout: KEPT },
    ({ url, headers }, response) => {
      if (cached) return void response.end('{}')
      ask({ host: '127.0.0.1', port: to, path: url, headers: change(headers) }, (answer) =>
        passOn(answer, response),
      ).end()
    },
  ).listen(0, '127.0.0.2')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  const issuer = `https://127.0.0.2:${(proxy.address() as AddressInfo).port}`
  await useTestKeys(storage)
  const fastify = createInstance({ level: 'silent', trusted_proxies: trusted, trust_request_id })
  t.teardown(() => fastify.close())
  const wrapping = key_encryption_key && { key_encryption_key }
  await fastify.register(redmint, { issuer, storage, trace_context, ...wrapping })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  to = (fastify.server.address() as AddressInfo).port
  return issuer
}

/** Returns the finding about a server behind a proxy. */
async function findingOf(t: Test, scene: Scene) {
  const storage = new MemoryStorage()
  const issuer = await behindProxy(t, { ...scene, storage })
  return await arrivalFinding(storage, { issuer, trace_context: scene.trace_context ?? 'proxy' })
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
    'a proxy that passes on ids of clients',
    { trust_request_id: true },
    'problem',
    /127\.0\.0\.1 passes on X-Request-Id as a client sends it/,
    /remove TRUST_REQUEST_ID/,
  ],
  [
    'a proxy that sets the id',
    {
      trust_request_id: true,
      change: (headers) => ({ ...replacing(headers), 'x-request-id': 'of-the-proxy' }),
    },
    'ok',
    /counts/,
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

const PATH = '/.well-known/openid-configuration'

/** A server, the calls of its storage, and a function that returns what a stranger sees of its answer. */
async function stranger(t: Test, now = Date.now) {
  const storage = new MemoryStorage()
  const spy = spyOn(storage)
  const { fastify, get } = await startService(t, { storage: spy.storage, now })
  const ask = async (headers: Record<string, string> = {}) => {
    const { status, headers: shown, text } = await get(PATH, headers)
    const { 'x-request-id': _, date: _d, ...same } = shown
    return { status, headers: same, text }
  }
  const plain = await ask()
  const expect = async () => {
    const value = await expectArrival(storage, {})
    if (value === undefined) throw new Error('no sealing key')
    return value
  }
  const seal = (text: string, purpose: SealPurpose = 'arrival') => fastify.redmint.sealer.seal(purpose, text)
  spy.calls.length = 0
  return { storage, spy, ask, plain, expect, seal }
}

t.test('what doctor did not make asks storage nothing', async (t) => {
  const clock = { now: Date.now() }
  const { spy, ask, plain, expect, seal } = await stranger(t, () => clock.now)
  const value = await expect()
  const [kid, data = ''] = value.split('.')
  const soon = String(clock.now + 60_000)
  const refused = {
    nothing: '',
    'a text': 'x',
    'a longer one': `${value}x`,
    'a shorter one': value.slice(1),
    'no ASCII': '\u00e9'.repeat(80),
    'made up, with a kid that there is': `${kid}.${'A'.repeat(data.length)}`,
    'made up, with another kid': `${'A'.repeat(8)}.${data}`,
    changed: withOtherCharacter(value, 40),
    'sealed for something else': seal(soon, 'page'),
    'over for longer than clocks may differ': seal(String(clock.now - CLOCK_SKEW * 1000)),
    'too long': seal(`${soon}${' '.repeat(100)}`),
  }
  for (const [name, given] of Object.entries(refused))
    t.strictSame(await ask({ [ARRIVAL_HEADER]: given }), plain, name)
  t.strictSame(spy.calls, [])
  t.strictSame(await ask({ [ARRIVAL_HEADER]: seal(soon) }), plain, 'sealed, and not expected')
  clock.now += (60 + CLOCK_SKEW) * 1000 - 1000
  t.strictSame(await ask({ [ARRIVAL_HEADER]: value }), plain, 'the clock of the server is ahead')
  t.strictSame(spy.calls, ['change arrival', 'change arrival'])
})

t.test('strangers learn nothing by the header, and make nothing grow', async (t) => {
  const { storage, spy, ask, plain, expect, seal } = await stranger(t)
  const value = await expect()
  const unknown = seal(String(Date.now() + 60_000))
  t.strictSame(await ask({ [ARRIVAL_HEADER]: unknown }), plain)
  t.equal(await takeArrival(storage, unknown), undefined)
  t.strictSame(await ask({ [ARRIVAL_HEADER]: value, 'x-forwarded-proto': 'first' }), plain)
  t.strictSame(await ask({ [ARRIVAL_HEADER]: value, 'x-forwarded-proto': 'second' }), plain)
  const long = await expect()
  await ask({ [ARRIVAL_HEADER]: long, 'x-forwarded-proto': 'x'.repeat(5000) })
  t.match(await takeArrival(storage, value), { forwarded_proto: 'first', is_forwarded: false })
  t.equal(await takeArrival(storage, value), undefined, 'it was read')
  t.equal((await takeArrival(storage, long))?.forwarded_proto.length, 200)
  t.equal(await takeArrival(storage, await expect()), undefined, 'it did not arrive')
  spy.fault = new StorageUnavailable('away')
  t.strictSame(await ask({ [ARRIVAL_HEADER]: await expect() }), plain, 'storage does not answer')
})

t.test('before a server made keys, and where they cannot be read, nothing is known', async (t) => {
  const storage = new MemoryStorage()
  const issuer = 'https://127.0.0.2:1'
  t.match(await arrivalFinding(storage, { issuer, trace_context: 'off' }), {
    level: 'warning',
    finding: /^not known/,
  })
  await maintainSealingKeys(storage.sealing_keys, { key_encryption_key: Buffer.alloc(32, 1) }, Date.now())
  t.match(await arrivalFinding(storage, { issuer, trace_context: 'off' }), {
    level: 'warning',
    finding: /^not known: The key .* is wrapped: set KEY_ENCRYPTION_KEY/,
  })
})

onRedis(t, 'the command and the admin API know it by Redis', async (t, { storage }) => {
  const key_encryption_key = Buffer.alloc(32, 1)
  const issuer = await behindProxy(t, { storage, key_encryption_key })
  const settings = { issuer, trace_context: 'proxy', key_encryption_key } as const
  t.match(await arrivalFinding(storage, settings), { level: 'ok', finding: /counts/ })
  const { body } = await operatorOn(storage, { settings }).run('doctor')
  const findings = body.findings as Finding[]
  t.match(
    findings.find(({ id }) => id === 'forwarded_headers'),
    { level: 'ok', finding: /counts/ },
  )
})
