import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const form = `grant_type=client_credentials&client_id=service&client_secret=${SECRET}`
const size = form.length.toString(16)
const chunked = `${size}\r\n${form}\r\n0\r\n\r\n`
/** Sent after the attack: a response to it means that a part of a body was parsed as a request, or vice versa. */
const smuggled = request('GET /actuator/info')

const post = (headers: string, body: string) =>
  `POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\n${headers}\r\n\r\n${body}`
const get = (headers: string, line = 'GET /actuator/info HTTP/1.1') =>
  `${line}\r\n${headers}\r\nConnection: close\r\n\r\n`

const FRAMING = [
  post(`Content-Length: ${form.length}\r\nTransfer-Encoding: chunked`, chunked),
  post(`Transfer-Encoding: chunked\r\nContent-Length: ${form.length}`, chunked),
  post(`Content-Length: ${form.length}\r\nContent-Length: ${form.length}`, form),
  post(`Content-Length: ${form.length}\r\nContent-Length: 5`, form),
  post(`Content-Length: ${form.length}, ${form.length}`, form),
  ...words('+90 -1 0x40 10.5 99999999999999999999999 many 1e2').map((length) =>
    post(`Content-Length: ${length}`, form),
  ),
  ...['Content-Length:', 'Content-Length: 1 0', 'Content-Length : 90'].map((header) => post(header, form)),
  ...[
    'xchunked',
    'chunked, identity',
    'identity',
    '"chunked"',
    '\x0bchunked',
    'chunked\r\nTransfer-Encoding: identity',
  ].map((coding) => post(`Transfer-Encoding: ${coding}`, chunked)),
  post('Transfer-Encoding : chunked', chunked),
  post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunked),
  ...['zz', '-1', `0x${size}`, `+${size}`, 'ffffffffffffffffff', '5', ` ${size}`, `${size};a\nb`].map(
    (line) => post('Transfer-Encoding: chunked', `${line}\r\n${form}\r\n0\r\n\r\n`),
  ),
  post('Transfer-Encoding: chunked', `${size}\n${form}\r\n0\r\n\r\n`),
]

const HEADERS = [
  ...[
    'Host: x\nX: y',
    'Host: x\r\nX: a\r\n b',
    ' Host: x\r\nHost: x',
    'Host: x\r\nnonsense',
    'Host: x\r\n: v',
  ],
  ...[
    'Host: x\r\nX: a\x00b',
    'Host: x\r\nX: a\x01b',
    'Host: x\r\nX: a\x7fb',
    'Host: x\r\nX: a\rb',
    'Host: x\r\nX\x00: a',
  ],
  ...['Host: x\r\nX Y: a', 'Host: x\r\nX\t: a', 'Host: x\r\n\xff: a', 'X: no host'],
].map((headers) => get(headers))

const LINES = [
  ...words('HTTP/1.2 HTTP/3.0 HTTP/11 http/1.1 HTTP/1.1x HTTP HTTP/ HTTP/-1.1').map(
    (version) => `GET /actuator/info ${version}`,
  ),
  ...words('get FOO GET: G\x00ET \xff').map((method) => `${method} /actuator/info HTTP/1.1`),
  ...[
    ' GET /actuator/info HTTP/1.1',
    'GET\t/actuator/info HTTP/1.1',
    'GET /actuator/info HTTP/1.1 x',
    'PRI * HTTP/2.0',
  ],
  ...['', '\x16\x03\x01\x00\xa5', '\x00', '{"json":1}', '<xml/>', '*1\r\n$4\r\nPING'],
].map((line) => get('Host: x', line))

siege('ambiguous requests are refused, and nothing after them is read', async (t, service) => {
  const send = await listen(service.fastify)
  await each(t, 'framing, headers, request lines', [...FRAMING, ...HEADERS, ...LINES], async (bytes) => {
    const { statuses, text } = await send(bytes + smuggled)
    const refused = statuses.length > 0 && statuses.every((status) => status === 400)
    return refused && !text.includes('redmint') ? [] : [`statuses ${statuses}`, text]
  })
  t.strictSame(service.calls, [])
})

siege('a body ends at its Content-Length, and is not parsed as a request', async (t, service) => {
  const send = await listen(service.fastify)
  const hidden = smuggled.length
  const byLength = `GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden}\r\n\r\n${smuggled}`
  t.strictSame((await send(byLength + smuggled)).statuses, [200, 200], 'a body of GET')
  const byChunk = `${hidden.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
  const inChunk = `GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${byChunk}`
  t.strictSame((await send(inChunk + smuggled)).statuses, [200, 200], 'a chunked body of GET')
  const short = await send(post('Content-Length: 10', form + smuggled))
  t.strictSame(short.statuses.includes(200), false, 'a length that is too small')
  for (const body of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    const { statuses } = await send(post(body, body.startsWith('C') ? form : `ff\r\n${form}`), {
      hangUp: true,
    })
    t.notOk(statuses.includes(200), `a body that ends before its end: ${body}`)
  }
  for (const headers of ['Content-Length: 70000', 'Transfer-Encoding: chunked']) {
    const body = headers.startsWith('C') ? 'x'.repeat(70_000) : `11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`
    t.strictSame((await send(post(headers, body + smuggled))).statuses, [413], `too large: ${headers}`)
  }
})

siege('chunked bodies are read; unknown expectations and content codings are refused', async (t, service) => {
  const send = await listen(service.fastify)
  const served = async (name: string, bytes: string) => {
    const { status, body } = await send(bytes)
    t.ok(status === 200 && body.includes('access_token'), name)
    t.strictSame(service.writes.splice(0), ['saveClientToken'], `${name}: once`)
  }
  const close = 'Connection: close\r\n'
  await served('chunked', post(`${close}Transfer-Encoding: chunked`, chunked))
  const single = [...form].map((character) => `1\r\n${character}\r\n`).join('')
  await served('a byte per chunk', post(`${close}Transfer-Encoding: chunked`, `${single}0\r\n\r\n`))
  await served('100-continue', post(`${close}Expect: 100-continue\r\nContent-Length: ${form.length}`, form))
  const trailer = `${size}\r\n${form}\r\n0\r\nAuthorization: Basic eDp5\r\nContent-Type: text/plain\r\n\r\n`
  await served('trailers are no headers', post(`${close}Transfer-Encoding: chunked`, trailer))

  const other = post(`${close}Expect: a-miracle\r\nContent-Length: ${form.length}`, form)
  t.equal((await send(other)).status, 417, 'another expectation')
  const zipped = gzipSync(form).toString('latin1')
  const headers = `${close}Content-Encoding: gzip\r\nContent-Length: ${zipped.length}`
  t.equal((await send(post(headers, zipped))).status, 400, 'an unsupported content coding')
})

siege('headers and request targets over the limit are refused', async (t, service) => {
  const send = await listen(service.fastify)
  const long = 'x'.repeat(20_000)
  const tooLong = [
    request('GET /health', [`X: ${long}`]),
    request('GET /health', [`${long}: x`]),
    request('GET /api/resource', [`Authorization: Bearer ${long}`]),
    request('POST /oauth2/token', [`Authorization: Basic ${long}`, `Content-Type: ${FORM}`], form),
    request(
      'GET /health',
      Array.from({ length: 2000 }, (_, index) => `X-${index}: xxxx`),
    ),
    request(`GET /oauth2/authorize?state=${long}`),
    request(`GET /${long}`),
  ]
  await each(t, '20 kB', tooLong, async (bytes) => {
    const { statuses } = await send(bytes)
    return statuses.join() === '431' ? [] : [`statuses ${statuses}`]
  })
  const token = (await send(request('GET /api/resource', [`Authorization: Bearer ${'x'.repeat(15_000)}`])))
    .status
  t.equal(token, 401, 'a token of 15 kB is read and refused')
  const many = request(
    'GET /api/resource',
    Array.from({ length: 3000 }, () => 'a: b'),
  )
  // Node 20 drops headers beyond 2,000; later versions refuse the request.
  t.ok([401, 431].includes((await send(many)).status), '3,000 headers')
})

siege('a connection with a refused request is closed by the server', async (t, service) => {
  await listen(service.fastify)
  const { server } = service.fastify
  const { port } = server.address() as AddressInfo
  const open = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  for (const bytes of ['\0garbage\r\n\r\n', request('GET /', [`X: ${'x'.repeat(20_000)}`])]) {
    const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    peer.on('error', () => undefined).resume()
    t.teardown(() => peer.destroy())
    peer.write(bytes)
    await new Promise((resolve) => peer.once('end', resolve).once('close', resolve))
    await until('the server has closed its side too', async () => (await open()) === 0)
  }
})
