import { ENDPOINTS, encode, FORM } from '../../../support/hostile/endpoints.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { REDIRECT_URI } from '../../../support/service.ts'

/** Line breaks, and characters that may be converted to line breaks. */
const BREAKS = words(String.raw`
  %0d%0a %0a %0d %0d%0a%0d%0a %c0%8a %e5%98%8a%e5%98%8d %c2%85 %e2%80%a8 %00 %0b %250d%250a %5cr%5cn \r\n`)
const INJECTED = BREAKS.map(
  (end) =>
    `x${end}X-Injected:%20yes${end}Set-Cookie:%20a=b${end}Location:%20https://evil.example${end}${end}<p>`,
)

siege('parameters cannot inject response headers', async (t, service) => {
  const send = await listen(service.fastify)
  for (const endpoint of ENDPOINTS) {
    const known = new Set<string>()
    const right = await endpoint.right(service)
    for (const field of endpoint.fields) {
      await each(t, `${endpoint.name}: ${field}`, INJECTED, async (text) => {
        const { method = 'GET', url, payload = '' } = endpoint.attack(encode(right, { [field]: text }))
        const headers = payload === '' ? [] : [`Content-Type: ${FORM}`]
        const { head, statuses } = await send(request(`${method} ${url}`, headers, String(payload)))
        service.writes.length = 0
        for (const line of head.slice(1)) known.add(line.split(':', 1)[0]?.toLowerCase() ?? '')
        const wrong = head
          .slice(1)
          .filter((line) => !/^[\w-]+: [\x20-\x7e]+$/.test(line) || /^x-injected/i.test(line))
        const locations = head.filter((line) => /^location:/i.test(line))
        const evil = locations.filter((line) => !line.startsWith(`location: ${REDIRECT_URI}?`))
        const found = [...wrong, ...evil, ...locations.slice(1)]
        return statuses.length === 1 ? found : [...found, `statuses ${statuses}`]
      })
    }
    t.notOk(known.has('x-injected') || known.has('set-cookie'), [...known].join())
  }
})

siege('Access-Control-Request-Headers cannot inject response headers', async (t, service) => {
  const send = await listen(service.fastify)
  const asked = [
    '*',
    '',
    ',,,',
    'x'.repeat(2000),
    'a\xff\xa0b',
    'a\tb',
    '<script>',
    'a: b',
    '%0d%0aX-Injected: 1',
    '\\r\\n',
  ]
  await each(t, 'Access-Control-Request-Headers', asked, async (text) => {
    const names = ['Access-Control-Request-Headers', 'Access-Control-Request-Method', 'Origin']
    const headers = names.flatMap((name) => [`${name}: ${text}`, `${name}: second`])
    const { statuses, head, body } = await send(request('OPTIONS /oauth2/token', headers))
    const wrong = head.slice(1).filter((line) => !/^[\w-]+:(?! X-)/.test(line) || /^x-injected/i.test(line))
    return statuses.join() === '204' && body === '' ? wrong : [...wrong, `statuses ${statuses}`]
  })
})
