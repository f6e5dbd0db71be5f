// Serves the auth.ts of Next.js on plain Node: what next-auth does with its configuration, with the same core.
import { createServer } from 'node:http'
import { Auth } from '@auth/core'

/** Stands for next-auth, which is this core with the types of Next.js. */
export default function NextAuth(config) {
  const complete = { ...config, basePath: '/api/auth', secret: process.env.AUTH_SECRET, trustHost: true }
  const handler = (request) => Auth(request, complete)
  return { handlers: { GET: handler, POST: handler } }
}

/** Serves these handlers; `/` is the session. */
export function serve({ GET, POST }) {
  const address = process.env.AUTH_URL
  createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming
    const url = new URL(incoming.url === '/' ? '/api/auth/session' : incoming.url, address)
    const body = method === 'POST' ? { body: incoming, duplex: 'half' } : {}
    const answer = await (method === 'POST' ? POST : GET)(new Request(url, { method, headers, ...body }))
    for (const [name, value] of answer.headers) outgoing.appendHeader(name, value)
    outgoing.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
  }).listen(Number(new URL(address).port), '127.0.0.1')
}
