// A redirect_uri matches by exact string, except for the port of a literal loopback address (RFC 9700 §2.1, RFC 8252
// §7.3). Redirects go to no other address.

import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn } from '../../support/matrix.ts'
import { createClient } from '../../support/records.ts'
import { authorizationRequest, CLIENTS, codeRequest, startService } from '../../support/service.ts'

const WEB = 'https://app.example.com/callback'
const QUERY = 'https://app.example.com/search?a=1&b=2'
const IPV4 = 'http://127.0.0.1/callback'
const IPV6 = 'http://[::1]/callback'
const NAMED = 'http://localhost:8080/callback'
const APP = 'com.example.app:/callback'
const REGISTERED = [WEB, QUERY, IPV4, IPV6, NAMED, APP]

const NEAR_MISSES = [
  // Similar addresses.
  'https://app.example.com.evil.net/callback',
  'https://app.example.comevil.net/callback',
  'https://evil.net/app.example.com/callback',
  'https://evil.net#@app.example.com/callback',
  'https://evil.net?@app.example.com/callback',
  'https://evil.net/?https://app.example.com/callback',
  'https://sub.app.example.com/callback',
  'https://example.com/callback',
  'https://аpp.example.com/callback',
  'https://app。example.com/callback',
  'https://app.example.com%2eevil.net/callback',
  'https://app.example.com\\@evil.net/callback',
  'https://evil.net\\@app.example.com/callback',
  'https:\\\\app.example.com\\callback',
  'https://app.example.com%00.evil.net/callback',
  'https://app.example.com%252F@evil.net/callback',
  // The same host with a prefix or suffix.
  'https://user@app.example.com/callback',
  'https://user:password@app.example.com/callback',
  'https://@app.example.com/callback',
  'https://app.example.com:443/callback',
  'https://app.example.com:/callback',
  'https://app.example.com:8443/callback',
  'https://app.example.com./callback',
  'https://APP.example.com/callback',
  'HTTPS://app.example.com/callback',
  'http://app.example.com/callback',
  '//app.example.com/callback',
  'app.example.com/callback',
  ' https://app.example.com/callback',
  'https://app.example.com/callback ',
  'https:// app.example.com/callback',
  // Other paths.
  'https://app.example.com/callback/',
  'https://app.example.com//callback',
  'https://app.example.com/Callback',
  'https://app.example.com/callbac',
  'https://app.example.com/callback2',
  'https://app.example.com/callback/../admin',
  'https://app.example.com/callback/..',
  'https://app.example.com/./callback',
  'https://app.example.com/x/../callback',
  'https://app.example.com/callback/%2e%2e/admin',
  'https://app.example.com/callback%2F..%2Fadmin',
  'https://app.example.com%2Fcallback',
  'https://app.example.com/%63allback',
  'https://app.example.com/callback;x=y',
  'https://app.example.com/callback\\',
  'https://app.example.com/callback\u200b',
  'https://app.example.com/callbacK',
  'https://app.example.com/cаllback',
  'https://app.example.com',
  'https://app.example.com/',
  // Query and fragment.
  'https://app.example.com/callback?',
  'https://app.example.com/callback?x=y',
  'https://app.example.com/callback#',
  'https://app.example.com/callback#fragment',
  'https://app.example.com/callback%23',
  'https://app.example.com/search',
  'https://app.example.com/search?b=2&a=1',
  'https://app.example.com/search?a=1&b=2&c=3',
  'https://app.example.com/search?a=1&amp;b=2',
  // Two registered addresses together, and patterns.
  `${WEB} ${QUERY}`,
  `${WEB},${QUERY}`,
  'https://*/callback',
  '*',
  // Loopback: literal addresses only, and only the port may differ.
  'http://localhost/callback',
  'http://localhost:8081/callback',
  'http://127.0.0.1:/callback',
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:99999/callback',
  'http://127.0.0.1:080/callback',
  'http://127.0.0.1:+80/callback',
  'http://127.0.0.1:8o/callback',
  'http://127.0.0.1:80:80/callback',
  'http://127.0.0.1:80@evil.net/callback',
  'http://127.0.0.1:80/callback/',
  'http://127.0.0.1:80/callback?x=y',
  'http://127.0.0.1:80/callback#x',
  'http://127.0.0.1:80callback',
  'http://127.0.0.1.evil.net/callback',
  'http://user@127.0.0.1:80/callback',
  'https://127.0.0.1/callback',
  'HTTP://127.0.0.1/callback',
  'http://127.0.0.2/callback',
  'http://127.1/callback',
  'http://2130706433/callback',
  'http://0x7f.0.0.1/callback',
  'http://0177.0.0.1/callback',
  'http://0.0.0.0/callback',
  'http://[::]/callback',
  'http://::1/callback',
  'http://[::1/callback',
  'http://[::1]]/callback',
  'http://[0:0:0:0:0:0:0:1]/callback',
  'http://[::0001]/callback',
  'http://[::ffff:127.0.0.1]/callback',
  'http://[::1%25lo]/callback',
  'http://[::1]:0/callback',
  // Other schemes.
  'com.example.app:/callback/',
  'com.example.app://callback',
  'com.example.App:/callback',
  'com.example.app2:/callback',
  'javascript:alert(1)',
  'data:text/html,x',
  'urn:ietf:wg:oauth:2.0:oob',
]

const HITS = [
  ...REGISTERED,
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:8080/callback',
  'http://127.0.0.1:65535/callback',
  'http://[::1]:49152/callback',
]

t.test('a redirect_uri must be the same string; only a loopback port may differ', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { storage } = spy
  const { authorize, token } = await startService(t, { storage })
  const client_id = 'exact'
  await createClient(
    storage,
    client_id,
    formatClient({ ...CLIENTS.app, client_id, redirect_uris: REGISTERED }),
  )

  spy.calls.length = 0
  for (const redirect_uri of NEAR_MISSES) {
    // One request that is valid except for the redirect_uri, and one with more errors.
    for (const overrides of [{}, { response_type: 'token', code_challenge: undefined }]) {
      const { status, headers } = await authorize({ ...overrides, client_id, redirect_uri })
      t.equal(status, 400, redirect_uri)
      t.equal(headers.location, undefined)
      t.equal(headers.refresh, undefined)
    }
  }
  t.notOk(spy.calls.includes('put code'))

  for (const redirect_uri of HITS) {
    const { headers, redirect } = await authorize({ client_id, redirect_uri })
    t.ok(String(headers.location).startsWith(redirect_uri), redirect_uri)
    const code = String(redirect.get('code'))
    const form = codeRequest(code, { client_id, redirect_uri })
    t.equal((await token(form)).status, 200, 'the token endpoint accepts the same')
  }
})

t.test('a code is redeemed with the loopback port of its authorization request', async (t) => {
  const { code, token } = await startService(t)
  const redirect_uri = 'http://127.0.0.1:8080/callback'
  const value = await code({ redirect_uri })
  for (const other of [
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8081/callback',
    'http://[::1]:8080/callback',
  ]) {
    t.equal((await token(codeRequest(value, { redirect_uri: other }))).json.error, 'invalid_grant', other)
  }
  t.equal((await token(codeRequest(value, { redirect_uri }))).status, 200)
})

t.test('the port of a registered loopback address does not matter', async (t) => {
  const { authorize, storage } = await startService(t)
  const client_id = 'ported'
  const redirect_uris = ['http://127.0.0.1:3000/cb?x=y', 'http://[::1]:3000']
  await createClient(storage, client_id, formatClient({ ...CLIENTS.app, client_id, redirect_uris }))
  const table: [redirect_uri: string, accepted: boolean][] = [
    ['http://127.0.0.1:3000/cb?x=y', true],
    ['http://127.0.0.1:4000/cb?x=y', true],
    ['http://127.0.0.1/cb?x=y', true],
    ['http://127.0.0.1:4000/cb', false],
    ['http://[::1]', true],
    ['http://[::1]:4000', true],
    ['http://[::1]:4000/', false],
  ]
  for (const [redirect_uri, accepted] of table) {
    t.equal((await authorize({ client_id, redirect_uri })).redirect.has('code'), accepted, redirect_uri)
  }
})

t.test('a storage fault is shown as an error page, never redirected', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { authorize } = await startService(t, { storage: spy.storage })
  for (const redirect_uri of ['https://evil.example.net/', WEB]) {
    for (const fault of [new StorageUnavailable('away'), new Error('unexpected')]) {
      spy.fault = fault
      const { status, headers } = await authorize({ redirect_uri, client_id: 'app' })
      spy.fault = undefined
      t.equal(status, fault instanceof StorageUnavailable ? 503 : 500, `${fault.message}, ${redirect_uri}`)
      t.equal(headers.location, undefined)
    }
  }
  t.equal((await authorize()).status, 302, 'the client is cached now')
  spy.fault = new StorageUnavailable('away')
  const { status, headers } = await authorize()
  t.equal(status, 503, 'a code that cannot be saved')
  t.equal(headers.location, undefined)
})

t.test(
  'a redirect_uri that is not registered is in the log, with the nearest one and the client',
  async (t) => {
    const { authorize, storage, log } = await startService(t, { demo: false })
    const client_id = 'exact'
    await createClient(
      storage,
      client_id,
      formatClient({ ...CLIENTS.app, client_id, redirect_uris: [WEB, APP] }),
    )
    for (const [redirect_uri, cause] of [
      [`${WEB}/`, `the nearest one is ${WEB}`],
      ['http://app.example.com/callback', `the nearest one is ${WEB}`],
      ['https://evil.net/', 'none of the registered ones is similar'],
    ] as const) {
      log.length = 0
      const { status, text } = await authorize({ client_id, redirect_uri: `${redirect_uri}?x=739154` })
      t.equal(status, 400)
      t.notMatch(text, WEB, redirect_uri)
      const line = log.map((text) => JSON.parse(text)).find((line) => line.code === 'invalid_request')
      t.match(line, { client_id, redirect_uri, cause })
      t.notMatch(log.join(''), '739154')
    }
    log.length = 0
    await authorize({ client_id: 'typed-wrong', redirect_uri: WEB })
    t.notMatch(log.join(''), 'typed-wrong', 'a client that is not registered is not named')
  },
)

t.test(
  'in demo mode on loopback the page shows the address that was sent beside those that are registered',
  async (t) => {
    const [sent, registered] = ['https://app.example.com/<b>', 'https://app.example.com/callback']
    const public_demo = await startService(t)
    t.notMatch((await public_demo.authorize({ redirect_uri: sent })).text, '&lt;b&gt;')
    const { authorize, get } = await startService(t, { issuer: 'http://localhost:3000', demo: true })
    const { text, status } = await authorize({ redirect_uri: sent })
    t.equal(status, 400)
    t.match(text, '<dd><code>https://app.example.com/&lt;b&gt;</code></dd>')
    t.match(text, `<dd><code>${registered}</code></dd>`)
    const query = new URLSearchParams(authorizationRequest({ redirect_uri: sent }))
    const json = await get(`/oauth2/authorize?${query}`, { accept: 'application/json' })
    t.same(Object.keys(json.json), ['error', 'error_description'])
    t.notMatch(json.text, registered)
  },
)

t.test('the page of an unknown client gives the advice that fits the settings', async (t) => {
  const unknown = { client_id: 'nobody' }
  const off = await (await startService(t)).authorize(unknown)
  t.match(off.text, 'they need to fix the link or register the application')
  t.notMatch(off.text, /register again|has lapsed/)
  for (const client_registration of ['open', 'invitation'] as const) {
    const on = await (await startService(t, { client_registration })).authorize(unknown)
    t.match(on.text, 'set it up again. It will then register again.')
  }
})

t.test('a native client may use any port of localhost, and a scheme without a dot', async (t) => {
  const storage = new MemoryStorage()
  const redirect_uris = [
    'http://localhost/callback',
    'vscode://a.b/callback',
    'http://old.example.com/callback',
  ]
  const native = { ...CLIENTS.app, client_id: 'native', application_type: 'native', redirect_uris } as const
  await createClient(storage, 'native', formatClient(native))
  const { authorize } = await startService(t, { storage })
  for (const redirect_uri of ['http://localhost:49152/callback', ...redirect_uris]) {
    const { headers, redirect } = await authorize({ client_id: 'native', redirect_uri })
    t.ok(String(headers.location).startsWith(`${redirect_uri}?`), redirect_uri)
    t.ok(redirect.get('code'))
  }
  for (const redirect_uri of [
    'http://localhost:49152/other',
    'vscode://a.b:1/callback',
    'http://old.example.com:1/callback',
  ]) {
    t.equal((await authorize({ client_id: 'native', redirect_uri })).status, 400, redirect_uri)
  }
})
