import { METHODS } from 'node:http'
import { LOGOUT_PARAMETERS } from '../../../../src/logout/logout-request.ts'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { forge, keyFor, rightClaims, rightHeader, stolenKeys } from '../../../support/hostile/forge.ts'
import { each, siege } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { authorizationRequest, basic, bearer, CLIENTS, SECRET } from '../../../support/service.ts'

const FORGED = '{"level":60,"msg":"forged"}'
const TEXTS = [
  ...[
    FORGED,
    `x","level":60,"msg":"forged`,
    `\\n${FORGED}`,
    `\n${FORGED}`,
    `\r\n${FORGED}\r\n`,
    '\\u000a',
    'x"}',
    '%s%d%j%O',
  ],
  ...['\x1b[2J', '\u009b2J', '\u0085', '\u2028', '\u2029', '\u202e', '\0', '\x7f'].map(
    (character) => `x${character}${FORGED}`,
  ),
]
/** Characters that a terminal or a line-based reader interprets. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e]/u

const KNOWN = new Set(
  'level time pid hostname reqId req res responseTime msg code status cause event remoteAddress client_id redirect_uri reason endpoint received expected'.split(
    ' ',
  ),
)

/** The errors in a log line: an unknown level, message, field or client, or control characters. */
async function lineFaults(line: string): Promise<string[]> {
  const entry = JSON.parse(line) as { level: number; msg: string; client_id?: string }
  const control = CONTROL.exec(line.slice(0, -1))?.[0]
  return [
    ...Object.keys(entry).filter((name) => !KNOWN.has(name)),
    ...(entry.client_id === undefined || entry.client_id in CLIENTS ? [] : [entry.client_id]),
    ...(entry.level > 30 || entry.msg === 'forged' ? [`level ${entry.level}: ${entry.msg}`] : []),
    ...(control === undefined ? [] : [`U+${control.charCodeAt(0).toString(16)}`]),
  ]
}

siege('request targets, headers and parameters cannot forge log lines', async (t, service) => {
  const { length: before } = service.log
  const send = await listen(service.fastify)
  for (const text of TEXTS) {
    const encoded = encodeURIComponent(text)
    // As bytes on the wire, except for the control characters that the parser refuses.
    const bytes = Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1')
    for (const path of [
      `/${encoded}`,
      `/${bytes}?${encoded}`,
      `http://${encoded}/health`,
      `/health?${encoded}`,
    ]) {
      await send(request(`GET ${path.replaceAll(' ', '+')}`))
    }
    const names = [
      'User-Agent',
      'X-Request-Id',
      'Request-Id',
      'Traceparent',
      'X-Forwarded-For',
      'Referer',
      'Host',
    ]
    await send(
      request(
        'GET /health',
        names.map((name) => `${name}: ${bytes}`),
      ),
    )
    await send(request('GET /api/resource', [`Authorization: Bearer ${bytes}`]))
    await send(
      request('POST /oauth2/token', [`Authorization: Basic ${bytes}`, `Content-Type: ${bytes}`], bytes),
    )
    for (const name of Object.keys(authorizationRequest())) {
      const query = new URLSearchParams({ ...authorizationRequest({ [name]: text }), [text]: text })
      await service.send({ url: `/oauth2/authorize?${query}` })
    }
    for (const name of LOGOUT_PARAMETERS) {
      const query = new URLSearchParams({ id_token_hint: 'a.b.c', client_id: 'app', [name]: text })
      await service.send({ url: `/oauth2/logout?${query}` })
    }
    const form = { grant_type: 'client_credentials', client_id: 'service', client_secret: SECRET }
    for (const name of [...Object.keys(form), 'scope']) await service.token({ ...form, [name]: text })
    await service.token({ grant_type: 'client_credentials' }, basic(text, text))
    service.writes.length = 0
  }
  await each(t, 'lines', service.log.slice(before), lineFaults)
})

siege('the contents of a token cannot forge log lines', async (t, service) => {
  const { length: before } = service.log
  const key = keyFor(await stolenKeys(t, service), 'ES256')
  for (const text of TEXTS) {
    const header = [
      { crit: [text] },
      { crit: [text], [text]: 1 },
      { alg: text },
      { kid: text },
      { typ: text },
    ]
    const claims = ['iss', 'aud', 'exp', 'nbf', 'sub', 'jti', 'scope', text].map((name) => ({
      [name]: [text],
    }))
    const tokens = [
      ...header.map((part) => forge(key, { header: rightHeader(key, part), signature: () => '' })),
      ...claims.map((part) => forge(key, { payload: rightClaims(part) })),
    ]
    for (const token of tokens) await service.send({ url: '/api/resource', headers: bearer(token) })
  }
  await each(t, 'lines', service.log.slice(before), lineFaults)
})

siege('request targets do not become metric labels', async (t, service) => {
  const send = await listen(service.fastify)
  const paths = Array.from({ length: 100 }, (_, index) => `/nowhere${index}"} 1\\nforged{x="`)
  for (const path of [...paths, '/api/x{y="z"}', '/oauth2/token/../x', 'http://evil.example/x']) {
    await send(request(`GET ${encodeURI(path)}`))
    await service.send({
      method: 'POST',
      url: encodeURI(path),
      headers: { 'content-type': FORM },
      payload: 'a=b',
    })
  }
  for (const method of METHODS.filter((name) => name !== 'CONNECT'))
    await send(request(`${method} /api/resource`))
  const { text } = await service.get('/actuator/prometheus')
  const places = [...text.matchAll(/^http_server_requests_seconds_count\{(.*)\} \d+$/gm)].map(
    (match) => match[1],
  )
  const known = /^method="[A-Z-]+",uri="(\/api\/resource|\/api\/\*|\*|\/health|unknown)",status="\d{3}"$/
  t.strictSame(
    places.filter((place) => !known.test(place ?? '')),
    [],
  )
  t.notMatch(text, /nowhere|forged|evil/)
})
