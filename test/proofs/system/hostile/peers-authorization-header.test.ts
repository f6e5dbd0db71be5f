// A hole of another project: malformed percent-encoding in an Authorization header made its token reader throw, and the
// request, or the process, failed (GHSA-xmf8-cvqr-rfgj). Here it is a wrong token like any other, at every endpoint.

import { FORM } from '../../../support/hostile/endpoints.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'

const ENCODED = words('% %E0%A4%A %zz %c0%af %ff %00 %u0041 %ed%a0%80 a%2 %%% %0d%0a')
const HEADERS = [
  ...['Bearer', 'Basic', ''].flatMap((scheme) => ENCODED.map((text) => `${scheme} ${text}`)),
  ...[
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'Bearer\t',
    'Bearer ,',
    'Bearer a b',
    'Bearer {}',
    'Bearer []',
    'Bearer null',
  ],
  ...[
    'Bearer ..',
    'Bearer e30.e30.',
    'Bearer e30.e30.e30',
    'Bearer .e30.',
    'Bearer bnVsbA.bnVsbA.bnVsbA',
    'Bearer "a"',
  ],
  ...['Bearer \xff\xfe', 'Bearer \x80', 'Basic Og==', 'Basic //8=', 'Basic \xff', '\xff', '='.repeat(4000)],
]
const GETS = words(
  '/api/resource /userinfo /oauth2/authorize /oauth2/interaction /oauth2/logout /health /.well-known/jwks.json /nowhere',
)
const POSTS = words(
  '/oauth2/token /oauth2/revoke /oauth2/introspect /userinfo /oauth2/authorize /oauth2/logout',
)

siege('a malformed Authorization header or cookie is no fault, at any endpoint', async (t, service) => {
  const send = await listen(service.fastify)
  const names = ['Authorization', 'Proxy-Authorization', 'Cookie']
  const lines = HEADERS.flatMap((value) =>
    names.map((name) => `${name}: ${name === 'Cookie' ? 'x=' : ''}${value.trim()}`),
  )
  const judge = async (bytes: string) => {
    const { status, text } = await send(bytes)
    // The connection is answered, and by the endpoint's own rules.
    return status > 0 && status < 500 && !text.includes('URIError')
      ? []
      : [`status ${status}: ${text.slice(0, 200)}`]
  }
  for (const path of GETS)
    await each(t, `GET ${path}`, lines, (line) => judge(request(`GET ${path}`, [line])))
  for (const path of POSTS) {
    const form = `Content-Type: ${FORM}`
    await each(t, `POST ${path}`, lines, (line) => judge(request(`POST ${path}`, [form, line], 'token=x')))
  }
  await each(t, 'a guarded path', HEADERS, async (value) => {
    const { status, head } = await send(request('GET /api/resource', [`Authorization: ${value.trim()}`]))
    const isChallenged = head.some((line) => /^www-authenticate: Bearer/i.test(line))
    return status === 401 && isChallenged ? [] : [`status ${status}`]
  })
})
