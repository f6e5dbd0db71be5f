import { FORM } from '../../../support/hostile/endpoints.ts'
import { each, siege } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { ISSUER, REDIRECT_URI } from '../../../support/service.ts'

siege('Host and forwarding headers do not change any URL in a response', async (t, service) => {
  const send = await listen(service.fastify)
  const lies = [
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-For',
    'Forwarded',
    'X-Host',
    'Origin',
    'Referer',
  ]
  const headers = lies.map((name) => `${name}: https://evil.example`)
  const hosts = [
    'evil.example',
    'evil.example:443',
    'a@evil.example',
    'evil.example/x',
    '"><evil.example>',
    '',
  ]
  const query = new URLSearchParams({ client_id: 'app', redirect_uri: REDIRECT_URI, state: 's' })
  const paths = [
    '/.well-known/openid-configuration',
    '/openapi.json',
    `/oauth2/authorize?${query}`,
    '/oauth2/authorize',
  ]
  await each(t, 'Host', hosts, async (host) => {
    const found = []
    for (const path of [...paths, ...paths.map((path) => `http://evil.example${path}`)]) {
      const bytes = request(`GET ${path}`, headers).replace('Host: localhost', `Host: ${host}`)
      const { status, text } = await send(bytes)
      if (status >= 500 || text.includes('evil.example')) found.push(`${path}: ${text}`)
    }
    return found
  })
  const discovery = await send(request('GET /.well-known/openid-configuration'))
  t.equal(JSON.parse(discovery.body).issuer, ISSUER)
  const old = await send('GET /api/resource HTTP/1.0\r\n\r\n')
  t.equal(old.status, 401, 'HTTP/1.0 without Host')
})

/** The form of every error response (docs/errors.md). */
const isErrorBody = (body: string) => /^\{"error":"[a-z_]+","error_description":"[^"]+"\}$/.test(body)

siege('an unknown path or method gets 404 or 405, whatever the body', async (t, service) => {
  const bodies: [type: string, body: string][] = [
    ['application/json', '{"client_secret":'],
    ['application/json', '{"__proto__":{"polluted":1}}'],
    ['application/json', '1'.repeat(1_100_000)],
    ['no/such-type', 'x'],
    ['nonsense', 'x'],
    [FORM, '%zz'],
    ['text/plain', 'x'],
  ]
  const places: [line: string, status: number][] = [
    ['POST /nowhere', 404],
    ['PUT /nowhere', 404],
    ['POST //api/resource', 404],
    ['PUT /oauth2/token', 405],
    ['DELETE /health', 405],
  ]
  const send = await listen(service.fastify)
  for (const [line, status] of places) {
    await each(t, line, bodies, async ([type, body]) => {
      const answer = await send(request(line, [`Content-Type: ${type}`], body))
      return answer.status === status && isErrorBody(answer.body) ? [] : [`${answer.status} ${answer.body}`]
    })
  }
})

siege('a malformed request target gets an error in the usual form', async (t, service) => {
  const send = await listen(service.fastify)
  await each(t, 'addresses', ['/oauth2/%zz', '/%ff<script>', '/api/%'], async (path) => {
    const { status, body } = await send(request(`GET ${path}`))
    return status === 400 && isErrorBody(body) && !body.includes(path) ? [] : [`${status} ${body}`]
  })
})

siege('OPTIONS is answered only at endpoints with CORS', async (t, service) => {
  const send = await listen(service.fastify)
  const preflight = ['Origin: https://app.example', 'Access-Control-Request-Method: POST']
  t.equal((await send(request('OPTIONS /oauth2/token', preflight))).status, 204, 'a preflight')
  const places: [path: string, status: number][] = [
    ['/oauth2/authorize', 405],
    ['/health', 405],
    ['/actuator/prometheus', 405],
    ['/nowhere', 404],
  ]
  await each(t, 'elsewhere', places, async ([path, expected]) => {
    const answers = [
      await send(request(`OPTIONS ${path}`)),
      await send(request(`OPTIONS ${path}`, preflight)),
    ]
    return answers.flatMap(({ status, head, body }) => {
      const open = head.some((line) => /^access-control-allow/i.test(line))
      return status === expected && isErrorBody(body) && !open ? [] : [`${status} ${body}`, ...head]
    })
  })
})
