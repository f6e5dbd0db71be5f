// No request asks for a content coding, none decodes one, and every place that sends requests does it by a door that holds this.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { guardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { fetchObject, fetchText, readText, send } from '../../../../src/outbound/operator-fetch.ts'
import { getPublicly } from '../../../../src/outbound/public-get.ts'
import { postPublicly } from '../../../../src/outbound/public-post.ts'
import { HOST, startDocumentHost } from '../../../support/outbound/document-host.ts'

/** Each file that sends requests to others, and its doors. A new one joins here, and is then held to them. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'cli/mcp/authorization-server.ts': ['send'],
  'cli/mcp/document.ts': ['readObject', 'send'],
  'cli/mcp/protected-resource.ts': ['send'],
  'cli/remote/access.ts': ['send'],
  'cli/remote/call.ts': ['readText', 'send'],
  'cli/remote/places.ts': ['fetchObject', 'send'],
  'cli/remote/token-request.ts': ['readText', 'send'],
  'rooms/logout.ts': ['postPublicly'],
  'rooms/providers.ts': ['guardedFetch'],
  'src/admin/doctor/arrival.ts': ['send'],
  'src/admin/doctor/issuer.ts': ['readObject', 'send'],
  'src/admin/providers/operations.ts': ['guardedFetch'],
  'src/asks/push/sender.ts': ['postBody'],
  'src/asks/post-ping.ts': ['postBody'],
  'src/audit/webhook.ts': ['send'],
  'src/clients/documents/metadata-documents.ts': ['getPublicly'],
  'src/keys/published-keys.ts': ['getPublicly'],
  'src/own-login/checks.ts': ['send'],
  'src/resource-server/introspection-client.ts': ['fetchObject', 'fetchText'],
  'src/resource-server/issuer.ts': ['fetchObject'],
  'src/resource-server/status-lists.ts': ['fetchText'],
}
const DOORS = [
  'fetchObject',
  'fetchText',
  'getPublicly',
  'guardedFetch',
  'postBody',
  'postPublicly',
  'readObject',
  'readText',
  'send',
]

const SOURCES = ['cli', 'exports', 'plugins', 'rooms', 'routes', 'src', 'workers'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

/** What begins a request, and is no type. */
const BEGINS_REQUESTS = /^import (?!type).*\b(?:request|get|Agent)\b.* from '(?:node:)?https?2?'$/m

t.test('whoever sends a request does it by one of the doors', async (t) => {
  const found: Record<string, string[]> = {}
  const others: string[] = []
  // Templates are other people's applications, and the script of the console runs in a browser.
  const not_here = /^src\/admin\/connect\/templates\/|\/script\.ts$/
  const own = SOURCES.filter((file) => !not_here.test(file))
  t.ok(own.length > 500)
  for (const file of own) {
    const text = readFileSync(file, 'utf8')
    const is_door = file.startsWith('src/outbound/')
    const imported = [...text.matchAll(/^import (?!type)\{([^}]*)\} from '[^']*\/outbound\/[^']*'$/gm)]
      .flatMap(([, names = '']) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => DOORS.includes(name))
    if (imported.length > 0) found[file] = imported.sort()
    const other = [
      /\bglobalThis\.fetch\b|from '(?:undici|axios|got|node-fetch)'|createRemoteJWKSet\(/,
      ...(is_door ? [/node:zlib|DecompressionStream/] : [BEGINS_REQUESTS]),
      // A fetch that nobody handed over is that of Node, which decodes.
      ...(/\bGuardedFetch\b/.test(text) ? [] : [/(?<![\w.#])fetch\(/]),
    ]
    if (other.some((one) => one.test(text))) others.push(file)
  }
  t.strictSame(found, PLACES)
  t.strictSame(others, [])
})

/** A kilobyte that would be a gigabyte takes seconds to make; this one is 64 MB. */
const LARGE = Buffer.alloc(2 ** 26, ' ')
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const OBJECT = '{"a":1}'

/** What a host may say of its answer, and what it sends. */
const ANSWERS: readonly (readonly [name: string, coding: string | readonly string[], body: Buffer])[] = [
  ['64 MB in a few kB', 'br', brotliCompressSync(LARGE, QUICK)],
  ['broken', 'br', Buffer.from('a1b2c3d4e5f6', 'hex')],
  ['cut', 'gzip', gzipSync(OBJECT).subarray(0, 12)],
  ['in upper case', 'GZIP', gzipSync(OBJECT)],
  ['by its old name', 'x-gzip', gzipSync(OBJECT)],
  ['after a tab', '\tbr ', brotliCompressSync(OBJECT)],
  ['double', 'gzip, br', brotliCompressSync(gzipSync(OBJECT))],
  ['in two lines', ['identity', 'deflate'], deflateSync(OBJECT)],
  ['only named', 'zstd', Buffer.from(OBJECT)],
  ['unknown', 'rot13', Buffer.from(OBJECT)],
]

/** How a door ends with an answer: `ok`, or why not. `read` is what it gave to its caller. */
type Knock = (origin: string) => Promise<unknown>

/** Starts a host for operators' requests, which need no https. */
async function startPlain(t: Test, answer: (response: ServerResponse) => void) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

t.test('an answer in a coding is refused by every door, and nobody asked for one', async (t) => {
  let answer = (response: ServerResponse): unknown => response.writeHead(204).end()
  const secret = await startDocumentHost(t, { '*': (response) => void answer(response) })
  const plain = await startPlain(t, (response) => answer(response))
  const { allow_private: _, ...trusted } = secret.options
  const guarded = guardedFetch({ issuer_private_hosts: [`${HOST}:${secret.port}`] }, trusted)
  const doors: Readonly<Record<string, { readonly knock: Knock; readonly origin: string }>> = {
    getPublicly: {
      origin: secret.origin,
      knock: async (url) => {
        const fetched = await getPublicly(url, secret.options)
        if (!fetched.ok) throw new Error(fetched.code)
      },
    },
    guardedFetch: {
      origin: secret.origin,
      knock: async (url) => (await guarded(url, { method: 'GET', headers: {} })).json(),
    },
    fetchObject: { origin: plain.origin, knock: (url) => fetchObject(url) },
    fetchText: { origin: plain.origin, knock: (url) => fetchText(url) },
    readText: { origin: plain.origin, knock: async (url) => readText(await send(url), url) },
    send: { origin: plain.origin, knock: async (url) => (await send(url)).json() },
  }
  for (const [name, coding, body] of ANSWERS) {
    const lines = [coding].flat().flatMap((one) => ['content-encoding', one])
    answer = (response) => response.writeHead(200, ['content-type', 'application/json', ...lines]).end(body)
    for (const [door, { origin, knock }] of Object.entries(doors))
      await t.rejects(knock(`${origin}/x`), { name: /^(?!.*Syntax)/ }, `${door}: ${name}`)
    const told = await postPublicly(`${secret.origin}/x`, 'a=b', secret.options)
    t.equal(told, 200, `postPublicly: ${name}: a status, and its body is not read`)
  }
  // RFC 9112 §7: a transfer coding that the sender alone chose is not undone either.
  answer = (response) => {
    response.socket?.end(
      Buffer.concat([
        Buffer.from(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\n',
        ),
        gzipSync(OBJECT),
      ]),
    )
  }
  for (const [door, { origin, knock }] of Object.entries(doors))
    if (!['fetchText', 'readText'].includes(door))
      await t.rejects(knock(`${origin}/x`), `${door}: a transfer coding`)
  answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'Identity' })
      .end(OBJECT)
  for (const [door, { origin, knock }] of Object.entries(doors)) await t.resolves(knock(`${origin}/x`), door)
  const asked = [...secret.requests, ...plain.requests]
  t.ok(asked.length > 50)
  for (const { headers } of asked) t.equal(headers['accept-encoding'], 'identity')
})
