// guardedFetch: a host that hangs, redirects or answers without end holds nobody up.
import t from 'tap'
import { guardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { HOST, json, startDocumentHost } from '../../../support/outbound/document-host.ts'

const GET = { method: 'GET', headers: {} } as const

t.test('an answer is read as it is, and a form is posted', async (t) => {
  const posted: string[] = []
  const { port, origin, options } = await startDocumentHost(t, {
    '*': json({ a: 1 }, { 'set-cookie': 'a=b' }),
    '/token': (response, request) => {
      request.setEncoding('utf8').on('data', (text) => posted.push(String(text)))
      request.on('end', () => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('no'))
    },
    '/moved': (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    '/none': (response) => response.writeHead(204).end(),
  })
  const { allow_private: _, ...trusted } = options
  const fetch = guardedFetch({ issuer_private_hosts: [`${HOST}:${port}`] }, trusted)
  const answer = await fetch(origin, GET)
  t.strictSame([answer.status, await answer.json(), answer.headers.get('set-cookie')], [200, { a: 1 }, null])
  const form = { method: 'POST', headers: {}, body: new URLSearchParams({ code: 'ä' }) }
  const refused = await fetch(`${origin}/token`, form)
  t.strictSame([refused.status, refused.headers.get('www-authenticate')], [401, 'Basic realm="x"'])
  t.strictSame(posted, ['code=%C3%A4'])
  t.equal((await fetch(`${origin}/moved`, GET)).status, 302, 'not followed')
  t.equal((await fetch(`${origin}/none`, GET)).status, 204)
  await t.rejects(guardedFetch({ issuer_private_hosts: [] }, trusted)(origin, GET), { code: 'ENOTPUBLIC' })
})

t.test('an answer of 10 MB and one that never comes are given up', async (t) => {
  const { port, origin, options } = await startDocumentHost(t, {
    '/large': (response) => response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024)),
    '/never': () => {},
  })
  const { allow_private: _, ...trusted } = options
  const of = { issuer_private_hosts: [`${HOST}:${port}`] }
  await t.rejects(guardedFetch(of, trusted)(`${origin}/large`, GET), { code: 'ETOOLONG' })
  await t.rejects(guardedFetch(of, { ...trusted, timeout: 50 })(`${origin}/never`, GET), {
    code: 'ETIMEDOUT',
  })
})

t.test('an answer with a coding that nobody asked for is refused, and never decoded', async (t) => {
  const { port, origin, options, requests } = await startDocumentHost(t, {
    '/br': (response) => response.writeHead(200, { 'content-encoding': 'br' }).end(Buffer.alloc(9)),
    '/error': (response) => response.writeHead(400, { 'content-encoding': 'gzip' }).end('{}'),
    '*': json({}, { 'content-encoding': 'identity' }),
  })
  const { allow_private: _, ...trusted } = options
  const fetch = guardedFetch({ issuer_private_hosts: [`${HOST}:${port}`] }, trusted)
  for (const path of ['/br', '/error']) await t.rejects(fetch(origin + path, GET), { code: 'ECODED' }, path)
  t.equal((await fetch(origin, GET)).status, 200)
  for (const { headers } of requests) t.equal(headers['accept-encoding'], 'identity')
})

// CVE-2026-105481 (Node): a connection was used again for another host, or with another certificate.
t.test('each request has a connection of its own', async (t) => {
  const { port, origin, options, requests } = await startDocumentHost(t, { '*': json({}) })
  const { allow_private: _, ...trusted } = options
  const fetch = guardedFetch({ issuer_private_hosts: [`${HOST}:${port}`] }, trusted)
  for (let count = 0; count < 3; count += 1) await fetch(origin, GET)
  t.equal(new Set(requests.map(({ socket }) => socket)).size, 3)
})
