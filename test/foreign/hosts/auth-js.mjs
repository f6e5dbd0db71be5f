// Auth.js as docs/connect/nextjs.md configures it, without Next.js: its core takes and gives the requests of the web.
import { createServer } from 'node:http'
import { Auth } from '@auth/core'

const { PORT, AUTH_SECRET, AUTH_URL, AUTH_REDMINT_ISSUER, AUTH_REDMINT_ID, AUTH_REDMINT_SECRET } = process.env

const config = {
  secret: AUTH_SECRET,
  basePath: '/api/auth',
  trustHost: true,
  logger: { error: () => {} },
  providers: [
    {
      id: 'redmint',
      name: 'redmint',
      type: 'oidc',
      issuer: AUTH_REDMINT_ISSUER,
      clientId: AUTH_REDMINT_ID,
      clientSecret: AUTH_REDMINT_SECRET,
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope: 'openid profile email' } },
    },
  ],
}

/** Returns the answer of Auth.js. */
async function ask(request, path, body) {
  const { method } = request
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return Auth(new Request(`${AUTH_URL}${path}`, { method, headers, ...(body && { body }) }), config)
}

async function serve(request, response) {
  const { url = '/' } = request
  if (url.startsWith('/api/auth/')) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = await ask(request, url, chunks.length > 0 ? Buffer.concat(chunks) : undefined)
    response.statusCode = answer.status
    for (const [name, value] of answer.headers) response.appendHeader(name, value)
    response.end(await answer.text())
    return
  }
  const session = await (await ask(request, '/api/auth/session')).json()
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(session?.user ? `${session.user.name} ${session.user.email}: Sign out` : 'Sign in')
}

createServer((request, response) => {
  serve(request, response).catch((error) => response.writeHead(500).end(String(error)))
}).listen(Number(PORT), 'localhost')
