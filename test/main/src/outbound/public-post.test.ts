// postPublicly: which addresses it connects to, and what counts as an answer.
import { once } from 'node:events'
import {
  type AddressInfo,
  type connect,
  createServer as createTcpServer,
  type LookupFunction,
} from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { postPublicly } from '../../../../src/outbound/public-post.ts'
import { startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { lookupOf } from '../../../support/outbound/document-host.ts'
import { CERTIFICATE, KEY } from '../../../support/outbound/self-signed.ts'
import { until } from '../../../support/until.ts'

const FORM = 'logout_token=x.y.z'
const open = { allow_private: true }

t.test('a form is posted, and the status of the answer is returned', async (t) => {
  const party = await startRelyingParty(t, status(200), status(204), status(400), status(501))
  const answers = []
  for (let i = 0; i < 4; i++) answers.push(await postPublicly(party.uri, FORM, open))
  t.strictSame(answers, [200, 204, 400, 501])
  t.equal(party.posted.length, 4)
  const { method, url, headers, body } = party.posted[0] ?? {}
  t.equal(method, 'POST')
  t.equal(url, '/backchannel?tenant=x')
  t.equal(body, FORM)
  t.match(headers, {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(FORM.length),
    'cache-control': 'no-store',
    host: `127.0.0.1:${party.port}`,
  })
  t.notOk(headers && ('cookie' in headers || 'authorization' in headers || 'referer' in headers))
})

t.test('redirects are not followed', async (t) => {
  const elsewhere = await startRelyingParty(t)
  for (const code of [301, 302, 303, 307, 308]) {
    const party = await startRelyingParty(t, status(code, { location: elsewhere.uri }))
    t.equal(await postPublicly(party.uri, FORM, open), code)
  }
  t.equal(elsewhere.posted.length, 0)
})

t.test('a private address is refused in any notation', async (t) => {
  const party = await startRelyingParty(t)
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]
  for (const host of [...hosts, '0', '10.0.0.1', '169.254.169.254', '[fd00::1]']) {
    const uri = `http://${host}:${party.port}/`
    t.equal(await postPublicly(uri, FORM, { allow_private: false }), 'ENOTPUBLIC', host)
  }
  t.equal(party.posted.length, 0)
  t.equal(
    await postPublicly(`http://0x7f.1:${party.port}/`, FORM, open),
    200,
    'accepted if the operator allows private addresses',
  )
})

t.test('a host name is refused if any of its addresses is private', async (t) => {
  const party = await startRelyingParty(t)
  const uri = `http://rp.example.com:${party.port}/`
  const answers = [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['::1'],
    ['2606:4700::1', 'fe80::1%lo'],
    ['::ffff:127.0.0.1'],
    ['not an address'],
  ]
  for (const addresses of answers) {
    const { lookup, asked } = lookupOf(...addresses)
    t.equal(await postPublicly(uri, FORM, { allow_private: false, lookup }), 'ENOTPUBLIC', addresses.join())
    t.strictSame(asked, ['rp.example.com'])
  }
  t.equal(party.posted.length, 0)
})

t.test('the connection goes to the address that was checked (no DNS rebinding)', async (t) => {
  const party = await startRelyingParty(t)
  const { lookup, asked } = lookupOf('127.0.0.1')
  const uri = `http://no-such-host.invalid:${party.port}/`
  t.equal(await postPublicly(uri, FORM, { allow_private: true, lookup }), 200)
  t.strictSame(asked, ['no-such-host.invalid'], 'looked up only once')
  t.equal(party.posted[0]?.headers.host, `no-such-host.invalid:${party.port}`)
})

t.test('a server that does not answer in time is ETIMEDOUT', async (t) => {
  const sockets = new Set<ReturnType<typeof connect>>()
  const drip = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nX-Slow: '))
  })
  const silent = createTcpServer((socket) => void sockets.add(socket.on('error', () => {})))
  for (const server of [silent, drip]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    t.equal(await postPublicly(uri, FORM, { ...open, timeout: 50 }), 'ETIMEDOUT')
  }
  await until('both were connected', () => sockets.size === 2)
  for (const socket of sockets) socket.destroy()
  for (const server of [silent, drip]) server.close()
  const never: LookupFunction = () => {}
  t.equal(await postPublicly('http://x.example/', FORM, { ...open, lookup: never, timeout: 50 }), 'ETIMEDOUT')
})

t.test('an endless body does not delay the result', async (t) => {
  let ended = false
  const party = await startRelyingParty(t, (response) => {
    response.on('close', () => {
      ended = true
    })
    response.writeHead(200)
    response.write('x'.repeat(100_000))
  })
  t.equal(await postPublicly(party.uri, FORM, open), 200)
  await until('the connection is closed', () => ended)
})

t.test('a missing or broken answer returns an error code', async (t) => {
  const party = await startRelyingParty(t, (response) => void response.socket?.destroy())
  t.equal(await postPublicly(party.uri, FORM, open), 'ECONNRESET')
  const upgrading = await startRelyingParty(t, (response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  })
  t.equal(await postPublicly(upgrading.uri, FORM, open), 'unknown')
  const garbled = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .resume()
      .end('no HTTP\r\n\r\n')
  })
  garbled.listen(0, '127.0.0.1')
  await once(garbled, 'listening')
  const { port } = garbled.address() as AddressInfo
  t.match(String(await postPublicly(`http://127.0.0.1:${port}/`, FORM, open)), /^HPE_/)
  garbled.close()
  await once(garbled, 'close')
  t.equal(await postPublicly(`http://127.0.0.1:${port}/`, FORM, open), 'ECONNREFUSED')
  const lookup: LookupFunction = (_hostname, _options, callback) => {
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
  }
  for (const allow_private of [true, false]) {
    t.equal(await postPublicly('https://x.example/', FORM, { allow_private, lookup }), 'ENOTFOUND')
  }
})

t.test('an untrusted certificate is refused', async (t) => {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) => {
    socket.on('error', () => {}).on('data', () => t.fail('the token was sent'))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    server.close()
  })
  const { lookup } = lookupOf('127.0.0.1')
  const answer = await postPublicly(`https://rp.example.com:${port}/`, FORM, { allow_private: true, lookup })
  t.equal(answer, 'DEPTH_ZERO_SELF_SIGNED_CERT')
})
