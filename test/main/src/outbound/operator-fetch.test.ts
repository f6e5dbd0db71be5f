// Requests to addresses of the operator: nothing is decoded that was not asked for, nothing is followed, and no answer has no end.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import {
  fetchObject,
  fetchText,
  readText,
  send,
  UnexpectedStatus,
} from '../../../../src/outbound/operator-fetch.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

async function serve(t: Test, answer: Answer) {
  const requests: IncomingMessage[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    requests.push(request)
    answer(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server, requests, url: `http://127.0.0.1:${port}/x` }
}

t.test('a JSON object is read, and a form is posted', async (t) => {
  const bodies: string[] = []
  const { url, requests } = await serve(t, async (response, request) => {
    bodies.push((await request.setEncoding('utf8').toArray()).join(''))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')
  })
  t.strictSame(await fetchObject(url), { a: 1 })
  const request = {
    method: 'POST',
    headers: { 'x-y': 'z' },
    body: new URLSearchParams({ token: 'ä' }),
  } as const
  t.equal(await fetchText(url, request), '{"a":1}')
  t.strictSame(bodies, ['', 'token=%C3%A4'])
  t.match(requests[1]?.headers, {
    'x-y': 'z',
    'content-type': 'application/x-www-form-urlencoded',
    'accept-encoding': 'identity',
  })
})

t.test('a redirect and every other status are no answer, and are not followed', async (t) => {
  for (const status of [204, 301, 304, 307, 401, 500]) {
    const { url, requests } = await serve(t, (response) =>
      response.writeHead(status, { location: '/y' }).end(),
    )
    t.equal((await send(url)).status, status)
    await t.rejects(fetchObject(url), new UnexpectedStatus(url, status))
    t.equal(requests.length, 2, 'nothing is followed')
  }
})

// 1 kB that is 1 GB once it is decoded would do the same; the test makes what is quick to make.
const LARGE = Buffer.alloc(2 ** 24, ' ')
const CODED: Record<string, Buffer> = {
  br: brotliCompressSync(LARGE, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  'br, broken': Buffer.from('a1b2c3d4e5f6', 'hex'),
  gzip: gzipSync('{"a":1}'),
  'gzip, br': gzipSync('{"a":1}'),
  zstd: Buffer.from('{"a":1}'),
  unknown: Buffer.from('{"a":1}'),
}

t.test('an answer with a coding that nobody asked for is refused, and never decoded', async (t) => {
  for (const [name, body] of Object.entries(CODED)) {
    const coding = name.replace(', broken', '')
    const { url } = await serve(t, (response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(body),
    )
    await t.rejects(fetchObject(url), {
      message: `${url} answered with the coding ${coding}, which was not asked for`,
    })
    await t.rejects((await send(url)).text(), /not asked for/, `${name}: whoever reads it`)
    await t.resolves(Promise.resolve((await send(url)).body?.cancel()), `${name}: and nobody has to`)
  }
  const { url } = await serve(t, (response) =>
    response.writeHead(200, { 'content-encoding': 'Identity' }).end('{"a":1}'),
  )
  t.strictSame(await fetchObject(url), { a: 1 })
})

t.test('more octets than an answer may have, and one without end, are given up', async (t) => {
  const { url } = await serve(t, (response) => response.end(Buffer.alloc(300_000, ' ')))
  await t.rejects(fetchText(url), /answered with more than 262144 bytes/)
  const silent = await serve(t, () => {})
  await t.rejects(send(silent.url, {}, 50), /did not answer in 50 ms/)
  const slow = await serve(t, (response) => void response.write('{'))
  const begun = await send(slow.url, {}, 500)
  await t.rejects(readText(begun, slow.url), /did not answer completely in time/, 'whatever the time was')
  const { url: gone, server } = await serve(t, () => {})
  server.close()
  await once(server, 'close')
  await t.rejects(send(gone), { message: /did not answer \(.*ECONNREFUSED/, cause: { code: 'ECONNREFUSED' } })
})

t.test(
  'what is safe is sent again if a kept connection was closed meanwhile, and nothing else is',
  async (t) => {
    let is_over = false
    const { url, requests } = await serve(t, (response, request) => {
      if (is_over) request.socket.resetAndDestroy()
      else response.end('{}')
      is_over = false
    })
    await fetchObject(url)
    is_over = true
    t.strictSame(await fetchObject(url), {})
    t.equal(requests.length, 3)
    is_over = true
    await t.rejects(fetchObject(url, { method: 'POST' }), /did not answer/)
    t.equal(requests.length, 4)
  },
)
