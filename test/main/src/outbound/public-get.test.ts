// getPublicly: which addresses it asks, and what counts as a document.
import t from 'tap'
import { getPublicly, type PublicGetOptions } from '../../../../src/outbound/public-get.ts'
import { HOST, json, lookupOf, startDocumentHost } from '../../../support/outbound/document-host.ts'
import { CERTIFICATE } from '../../../support/outbound/self-signed.ts'
import { until } from '../../../support/until.ts'

const codeOf = async (url: string, options: PublicGetOptions) => {
  const fetched = await getPublicly(url, options)
  return fetched.ok ? 'ok' : fetched.code
}

t.test('a document is fetched, and nothing that identifies anyone is sent', async (t) => {
  const document = { client_id: 'x', nested: { list: [1, 'ä'] } }
  const headers = { 'cache-control': 'max-age=60', age: '5', etag: '"x"' }
  const { origin, requests, options } = await startDocumentHost(t, { '*': json(document, headers) })
  const fetched = await getPublicly(`${origin}/client.json?v=1`, options)
  t.match(fetched, { ok: true, document, headers: { 'cache-control': 'max-age=60', age: '5' } })
  t.notOk(fetched.ok && 'etag' in fetched.headers)
  const [request] = requests
  t.equal(request?.method, 'GET')
  t.equal(request?.url, '/client.json?v=1')
  t.strictSame(Object.keys(request?.headers ?? {}).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
  ])
  t.equal(request?.headers.accept, 'application/json')
})

t.test('only https without user name and password is asked', async (t) => {
  const { lookup, asked } = lookupOf('127.0.0.1')
  const urls = [
    'http://x.example/a',
    'ftp://x.example/a',
    'file:///etc/passwd',
    'data:application/json,{}',
    'a',
    '',
  ]
  for (const url of [...urls, 'https://user@x.example/a', 'https://:pw@x.example/a', 'javascript:alert(1)']) {
    t.equal(await codeOf(url, { allow_private: true, lookup }), 'address', url)
  }
  t.strictSame(asked, [])
})

t.test('a host with a NUL is refused before it is looked up', async (t) => {
  const { lookup, asked } = lookupOf('127.0.0.1')
  for (const nul of ['\0', '%00', '%2500'])
    for (const host of [`x.example${nul}.evil.example`, `x.example${nul}`, `${nul}x.example`])
      for (const allow_private of [true, false])
        t.equal(await codeOf(`https://${host}/a`, { allow_private, lookup }), 'address', JSON.stringify(host))
  t.strictSame(asked, [])
})

t.test('a private address is refused in any notation', async (t) => {
  const { port, requests, options } = await startDocumentHost(t, { '*': json({}) })
  const refused = { ...options, allow_private: false }
  const hosts = `127.0.0.1 127.1 0x7f.1 2130706433 0177.0.0.1 017700000001 127.0.0.1. 127.000.000.001 0 0x0
    10.0.0.1 10.1 169.254.169.254 0xA9FEA9FE 172.16.0.1 192.168.0.1 100.64.0.1 192.0.2.1 198.18.0.1 224.0.0.1
    １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
    [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [fe80::1] [fd00::1] [2002:7f00:1::] [ff02::1] [2001:db8::1]`
  for (const host of hosts.trim().split(/\s+/)) {
    t.equal(await codeOf(`https://${host}:${port}/`, refused), 'address', host)
  }
  t.equal(requests.length, 0)
})

t.test('a name is refused if any of its addresses is private', async (t) => {
  const { origin, requests, options } = await startDocumentHost(t, { '*': json({}) })
  const answers = [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['::1'],
    ['2606:4700::1', 'fe80::1%lo'],
    ['::ffff:10.0.0.1'],
  ]
  for (const addresses of answers) {
    const { lookup } = lookupOf(...addresses)
    t.equal(
      await codeOf(`${origin}/`, { ...options, allow_private: false, lookup }),
      'address',
      addresses.join(),
    )
  }
  t.equal(requests.length, 0)
})

t.test('loopback alone may be allowed', async (t) => {
  const { origin, options } = await startDocumentHost(t, { '*': json({}) })
  const loopback = { ...options, allow_private: 'loopback' } as const
  t.equal(await codeOf(`${origin}/`, loopback), 'ok')
  for (const address of ['10.0.0.1', '169.254.169.254', '::ffff:10.0.0.1', '0.0.0.0', '::']) {
    t.equal(await codeOf(`${origin}/`, { ...loopback, lookup: lookupOf(address).lookup }), 'address', address)
  }
})

t.test('the connection goes to the address that was checked (no DNS rebinding)', async (t) => {
  const { port, requests, options } = await startDocumentHost(t, { '*': json({}) })
  // The first answer is public, the second one, which nobody asks for, is private.
  const { lookup, asked } = lookupOf('127.0.0.1')
  t.equal(await codeOf(`https://${HOST}:${port}/`, { ...options, lookup }), 'ok')
  t.strictSame(asked, [HOST], 'looked up only once')
  t.equal(requests[0]?.headers.host, `${HOST}:${port}`)
})

t.test('a redirect or another status is no document', async (t) => {
  const statuses = [201, 203, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 429, 500, 503]
  const elsewhere = await startDocumentHost(t, { '*': json({}) })
  for (const status of statuses) {
    const { origin, options } = await startDocumentHost(t, {
      '*': (response) =>
        response
          .writeHead(status, { location: `${elsewhere.origin}/`, 'content-type': 'application/json' })
          .end('{}'),
    })
    const is_gone = status === 404 || status === 410
    const code = status === 429 || status >= 500 ? 'unavailable' : 'status'
    t.match(await getPublicly(`${origin}/`, options), { ok: false, code, is_gone }, String(status))
  }
  t.equal(elsewhere.requests.length, 0)
})

t.test('the media type must be one that is asked for', async (t) => {
  const answers = {
    '/charset': json({}, { 'content-type': 'Application/JSON; charset=utf-8' }),
    '/html': json({}, { 'content-type': 'text/html' }),
    '/plain': json({}, { 'content-type': 'text/plain; application/json' }),
    '/jwks': json({}, { 'content-type': 'application/jwk-set+json' }),
    '/none': (response) => response.writeHead(200).end('{}'),
    '/gzip': json({}, { 'content-encoding': 'gzip' }),
    '/br': json('', { 'content-encoding': 'br' }),
  } satisfies Parameters<typeof startDocumentHost>[1]
  const { origin, options } = await startDocumentHost(t, answers)
  t.equal(await codeOf(`${origin}/charset`, options), 'ok')
  for (const path of ['/html', '/plain', '/jwks', '/none', '/gzip', '/br']) {
    t.equal(await codeOf(`${origin}${path}`, options), 'media_type', path)
  }
  const media_types = ['application/json', 'application/jwk-set+json']
  t.equal(await codeOf(`${origin}/jwks`, { ...options, media_types }), 'ok')
})

t.test('a document is a JSON object in UTF-8, and not deep', async (t) => {
  const nested = (depth: number) => `${`{"a":`.repeat(depth)}1${'}'.repeat(depth)}`
  const bodies = [
    '',
    '[]',
    '"x"',
    '1',
    'null',
    '{',
    '{}{}',
    "{'a':1}",
    nested(17),
    `{"a":${'['.repeat(2000)}`,
  ]
  for (const body of bodies) {
    const { origin, options } = await startDocumentHost(t, { '*': json(body) })
    t.equal(await codeOf(`${origin}/`, options), 'json', body.slice(0, 20))
  }
  const { origin, options } = await startDocumentHost(t, {
    '/deep': json(nested(16)),
    '/latin1': (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(Buffer.from('{"a":"\xe4"}', 'latin1')),
  })
  t.equal(await codeOf(`${origin}/deep`, options), 'ok')
  t.equal(await codeOf(`${origin}/latin1`, options), 'json')
})

t.test('a document that is too long is not read to its end', async (t) => {
  const sized = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
  let closed = false
  const { origin, options } = await startDocumentHost(t, {
    '/fits': json(sized(5120)),
    '/long': json(sized(5121)),
    '/endless': (response) => {
      response.on('close', () => {
        closed = true
      })
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!closed && response.write('x'.repeat(1000))) {}
      }
      response.on('drain', more)
      more()
    },
  })
  t.equal(await codeOf(`${origin}/fits`, options), 'ok')
  t.equal(await codeOf(`${origin}/long`, options), 'size')
  t.equal(await codeOf(`${origin}/long`, { ...options, max_bytes: 6000 }), 'ok')
  t.equal(await codeOf(`${origin}/endless`, options), 'size')
  await until('the connection is closed', () => closed)
})

t.test('the time bounds name, answer and body together', async (t) => {
  const { origin, options } = await startDocumentHost(t, {
    '/silent': () => {},
    '/slow': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    },
  })
  const short = { ...options, timeout: 100 }
  t.equal(await codeOf(`${origin}/silent`, short), 'time')
  t.equal(await codeOf(`${origin}/slow`, short), 'time')
  t.equal(await codeOf(`${origin}/`, { ...short, lookup: () => {} }), 'time')
})

t.test('a broken answer, an unknown name and an untrusted certificate are failures', async (t) => {
  const { origin, port, requests, options } = await startDocumentHost(t, {
    '/cut': (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{}', () => response.destroy())
    },
    '/reset': (response) => response.destroy(),
  })
  t.equal(await codeOf(`${origin}/cut`, options), 'network')
  t.equal(await codeOf(`${origin}/reset`, options), 'network')
  const { ca: _, ...untrusting } = options
  const before = requests.length
  t.match(await getPublicly(`${origin}/`, untrusting), {
    code: 'network',
    detail: /DEPTH_ZERO_SELF_SIGNED_CERT/,
  })
  t.match(
    await getPublicly(`https://other.example:${port}/`, { ...options, ca: CERTIFICATE }),
    { code: 'network', detail: /ERR_TLS_CERT_ALTNAME_INVALID/ },
    'a certificate for another host',
  )
  t.equal(requests.length, before)
})
