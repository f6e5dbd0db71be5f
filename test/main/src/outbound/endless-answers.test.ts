// Whatever a host sends without end, a request reads a bounded part of it, and the connection ends.
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t, { type Test } from 'tap'
import { getPublicly } from '../../../../src/outbound/public-get.ts'
import { postPublicly } from '../../../../src/outbound/public-post.ts'
import { MAX_ENVELOPE } from '../../../../src/outbound/public-request.ts'
import { HOST, lookupOf } from '../../../support/outbound/document-host.ts'
import { CERTIFICATE, KEY } from '../../../support/outbound/self-signed.ts'
import { until } from '../../../support/until.ts'

/** What arrives of a connection at once, at most. */
const CHUNK = 64 * 1024
const KEY_SET = 64 * 1024

type Reach = { readonly origin: string; readonly timeout?: number }

const where = { allow_private: true, lookup: lookupOf('127.0.0.1').lookup, ca: CERTIFICATE }
const get = async ({ origin, ...options }: Reach, max_bytes?: number) => {
  const fetched = await getPublicly(`${origin}/x`, { ...where, ...options, ...(max_bytes && { max_bytes }) })
  return fetched.ok ? 'ok' : fetched.code
}

/** Who sends requests to hosts of strangers, and how long an answer may be. */
const USERS = [
  { name: 'a metadata document', secure: true, max: 5 * 1024, ask: (reach: Reach) => get(reach) },
  { name: 'a key set', secure: true, max: KEY_SET, ask: (reach: Reach) => get(reach, KEY_SET) },
  { name: 'discovery of an issuer', secure: true, max: KEY_SET, ask: (reach: Reach) => get(reach, KEY_SET) },
  ...[true, false].map((secure) => ({
    name: `a logout notice, ${secure ? 'https' : 'http'}`,
    secure,
    max: 0,
    ask: ({ origin, ...options }: Reach) =>
      postPublicly(`${origin}/x`, 'logout_token=x', { ...where, ...options }),
  })),
]

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const LINE = 'x'.repeat(100)

/** What a host sends: once, and then again and again; what a fetch results in, and what a notice. */
const ANSWERS: readonly [name: string, first: string, again: string, got: RegExp, posted: RegExp][] = [
  ['100', '', 'HTTP/1.1 100 Continue\r\n\r\n', /^status$/, /^EINTERIM$/],
  ['102', '', 'HTTP/1.1 102 Processing\r\n\r\n', /^status$/, /^EINTERIM$/],
  ['103', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', /^status$/, /^EINTERIM$/],
  ['103 with fields', '', `HTTP/1.1 103 x\r\nLink: ${LINE}\r\n\r\n`, /^status$/, /^EINTERIM$/],
  ['199', '', 'HTTP/1.1 199 x\r\n\r\n', /^status$/, /^EINTERIM$/],
  ['empty lines', '', '\r\n', /^size$/, /^ETOOLONG$/],
  ['empty lines of LF', '', '\n', /^size$/, /^ETOOLONG$/],
  ['a reason', 'HTTP/1.1 200 ', LINE, /^network$|^size$/, /^HPE_|^ETOOLONG$/],
  ['a field', `${OK}X: `, LINE, /^network$/, /^HPE_/],
  ['fields', OK, 'a: b\r\n', /^network$/, /^HPE_/],
  ['a chunk extension', `${CHUNKED}1;`, LINE, /^network$|^size$/, /^200$/],
  ['small chunks with extensions', CHUNKED, `1;${LINE}\r\nx\r\n`, /^network$|^size$/, /^200$/],
  ['small chunks', CHUNKED, '1\r\n \r\n', /^size$/, /^200$/],
  ['a trailer', `${CHUNKED}0\r\nX: `, LINE, /^network$|^size$/, /^200$/],
  ['trailers', `${CHUNKED}0\r\n`, 'a: b\r\n', /^network$|^size$/, /^200$/],
  ['a body', `${OK}\r\n`, LINE, /^size$/, /^200$/],
  ['more answers', `${OK}Content-Length: 2\r\n\r\n{}`, `${OK}Content-Length: 2\r\n\r\n{}`, /^ok$/, /^200$/],
]

t.test('whatever a host sends without end, a bounded part of it is read', async (t) => {
  for (const { name: user, secure, max, ask } of USERS) {
    for (const [name, first, again, got, posted] of ANSWERS) {
      const what = `${user}: ${name}`
      const host = await startEndless(t, secure, first, again)
      t.match(String(await ask(host)), user.startsWith('a logout') ? posted : got, what)
      await until(`${what}: the connection is closed`, () => host.open() === 0)
      const [read = 0, ...others] = host.bytesRead()
      t.strictSame(others, [], `${what}: one connection`)
      t.ok(read <= MAX_ENVELOPE + max + CHUNK, `${what}: ${read} octets`)
      await host.close()
    }
  }
})

t.test('a host that waits after an interim response ends the request at once', async (t) => {
  for (const { name, secure, ask } of USERS) {
    const host = await startEndless(t, secure, 'HTTP/1.1 103 Early Hints\r\n\r\n', '')
    // It would be the time otherwise.
    t.match(String(await ask({ ...host, timeout: 60_000 })), /^status$|^EINTERIM$/, name)
    await until(`${name}: the connection is closed`, () => host.open() === 0)
    await host.close()
  }
})

t.test('a host cannot make a request repeat its TLS handshake', async (t) => {
  const problems: unknown[] = []
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', ({ code }: NodeJS.ErrnoException) => problems.push(code))
    socket.once('data', () => socket.renegotiate({ rejectUnauthorized: false }, () => {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  t.equal(await get({ origin: `https://${HOST}:${port}`, timeout: 60_000 }), 'network')
  t.strictSame(problems, ['ERR_SSL_NO_RENEGOTIATION'])
})

/** Starts a host that answers each connection with `first`, and then with `again` until the other side closes. */
async function startEndless(t: Test, secure: boolean, first: string, again: string) {
  const sockets = new Set<Socket>()
  const answer = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    const block = again.repeat(Math.ceil(10_000 / (again.length || 10_000)))
    const more = () => {
      while (again !== '' && !socket.destroyed && socket.write(block)) {}
    }
    socket.on('drain', more)
    socket.once('data', () => {
      if (first !== '') socket.write(first)
      more()
    })
    socket.resume()
  }
  const server = secure ? createTlsServer({ key: KEY, cert: CERTIFICATE }, answer) : createTcpServer(answer)
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const made: Socket[] = []
  const note = (message: unknown) => void made.push((message as { socket: Socket }).socket)
  const connections = channel('net.client.socket')
  connections.subscribe(note)
  const close = async () => {
    connections.unsubscribe(note)
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((done) => server.close(done))
  }
  t.teardown(close)
  return {
    origin: `${secure ? 'https' : 'http'}://${HOST}:${port}`,
    open: () => sockets.size,
    bytesRead: () => made.map(({ bytesRead }) => bytesRead),
    close,
  }
}
