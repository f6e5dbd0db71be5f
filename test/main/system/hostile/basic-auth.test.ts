import { FORM, faults } from '../../../support/hostile/endpoints.ts'
import { each, type Siege, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { basic, bearer, CLIENTS, SECRET } from '../../../support/service.ts'

const INVALID_CLIENT = { status: 401, error: 'invalid_client' }
const grant_type = 'grant_type=client_credentials'
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const good = base64(`service:${SECRET}`)
const bare = good.replace(/=+$/, '')

/** Rows of a table: `_` is a space, `$` the valid credentials, `&` the same in base64. */
const rows = (table: string) =>
  words(table).map((row) =>
    row.replaceAll('_', ' ').replaceAll('$', `service:${SECRET}`).replaceAll('&', good),
  )

/** Headers of another scheme than Basic: no client authentication. */
const FOREIGN = [
  ...rows('_ Basic& ,Basic_& & $ Bearer_$ Digest_username="&" Basi_& Basics_& Base64_& Bearer_& Digest_&'),
  ...rows('Negotiate_& NTLM_& DPoP_& Token_& null_&'),
  ...['', `__proto__ ${good}`],
]

/** Headers of the scheme Basic without valid credentials: broken base64. */
const BROKEN = [
  ...rows('Basic Basic_ Basic__ basic Basic:& Basic=& Basic_&, Basic_&,_Basic_& Basic_&_&'),
  ...rows('Basic_"&" Basic_&; Basic_realm=x Basic_&= Basic_&== Basic_=& Basic_&! Basic_&%3D Basic_-&'),
  ...rows('Basic_==== Basic_= Basic_* Basic_$ Basic_&.& Basic_&-& Basic_&=& Basic_&_&_&'),
  ...[`Basic\t${good}`, `Basic ${good}\u00a0`, `Basic ${encodeURIComponent(good)}`],
  // Other encodings that a lenient decoder accepts for the same bytes.
  ...[bare, `${bare}=`, `${bare.slice(0, -1)}x==`, `${bare.slice(0, 8)} ${bare.slice(8)}==`].map(
    (text) => `Basic ${text}`,
  ),
  ...[`${bare.slice(0, 8)}\n${bare.slice(8)}==`, `${bare.slice(0, 8)}=${bare.slice(8)}==`].map(
    (text) => `Basic ${text}`,
  ),
]

/** Decoded contents that are not the name and secret of a client. */
const CONTENTS = [
  ...rows(
    ': :: service service: service:: :service :$ $: $:x x:$ $_ _$ service_:x SERVICE:x $x $%0a $%c0%af $+',
  ),
  ...rows('service%00:x service%:x service%zz:x service%ed%a0%80:x service%ef%bf%bd:x service:% service:%20'),
  ...[
    '',
    SECRET,
    `service;${SECRET}`,
    `service :${SECRET}`,
    `SERVICE:${SECRET}`,
    `service::${SECRET}`,
    `${SECRET}:service`,
  ],
  ...[
    `service:${SECRET}\0`,
    `service\0:${SECRET}`,
    `service:${SECRET}\n`,
    `service\r\n:${SECRET}`,
    `\tservice:${SECRET}`,
  ],
  ...[
    `service%00:${SECRET}`,
    `service:${SECRET}%0a`,
    `service%:${SECRET}`,
    `service:${SECRET}\x7f`,
    `\ufeffservice:${SECRET}`,
  ],
  ...[
    `service\u200b:${SECRET}`,
    `ѕervice:${SECRET}`,
    `service:${SECRET}\u0301`,
    `*:${SECRET}`,
    `nobody:${SECRET}`,
    `app:${SECRET}`,
  ],
  ...words('__proto__:__proto__ constructor:prototype toString: undefined:undefined null:null nobody:x app'),
  ...[
    `service:${SECRET.toUpperCase()}`,
    `service:${SECRET.slice(0, -1)}`,
    `service:${CLIENTS.service.client_secret_hash}`,
  ],
  `${'x'.repeat(8000)}:${'y'.repeat(3000)}`,
]

const BYTES = [
  'ff',
  'fffe3a61',
  'c0af3a61',
  'eda0803a61',
  'f09f3a61',
  '803a80',
  '73657276696365ff3a61',
  '00',
  '3a00',
]

const ask = (service: Siege, authorization: string, payload = grant_type) =>
  service.send({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': FORM, authorization },
    payload,
  })

siege('malformed Basic credentials all get the same 401', async (t, service) => {
  const unknown = await ask(service, basic('nobody').authorization)
  const judge = async (authorization: string) => {
    const reply = await ask(service, authorization)
    const found = faults(service, reply, INVALID_CLIENT)
    if (reply.body !== unknown.body) found.push(`another body: ${reply.body}`)
    const challenge = reply.headers['www-authenticate']
    return challenge === unknown.headers['www-authenticate'] ? found : [...found, `challenge ${challenge}`]
  }
  t.match(unknown.headers['www-authenticate'], /^Basic realm="redmint"/)
  await each(t, 'the header', [...BROKEN, ...FOREIGN], judge)
  await each(t, 'its contents', CONTENTS, (contents) => judge(`Basic ${base64(contents)}`))
  await each(t, 'its bytes', BYTES, (hex) => judge(`Basic ${base64(Buffer.from(hex, 'hex'))}`))
})

siege('malformed Basic credentials get the same 401 over a real connection', async (t, service) => {
  const send = await listen(service.fastify)
  const schemes = [...BROKEN, ...FOREIGN].filter((authorization) => /^[\x20-\x7e]*$/.test(authorization))
  await each(t, 'the header', schemes, async (authorization) => {
    const headers = [`Content-Type: ${FORM}`, `Authorization: ${authorization}`]
    const { status } = await send(request('POST /oauth2/token', headers, grant_type))
    return status === 401 ? [] : [`status ${status}`]
  })
})

siege('two client authentication methods in one request are refused', async (t, service) => {
  const right = basic('service').authorization
  const both: [form: string, status: number, error: string][] = [
    [`client_secret=${SECRET}`, 400, 'invalid_request'],
    [`client_id=service&client_secret=${SECRET}`, 400, 'invalid_request'],
    ['client_secret=wrong', 400, 'invalid_request'],
    ['client_id=web', 400, 'invalid_request'],
    ['client_id=SERVICE', 400, 'invalid_request'],
    ['client_id=__proto__', 400, 'invalid_request'],
  ]
  await each(t, 'Basic and the body', both, async ([form, status, error]) =>
    faults(service, await ask(service, right, `${grant_type}&${form}`), { status, error }),
  )
  t.strictSame(service.calls, [], 'refused before any lookup')
  const byBody = `${grant_type}&client_id=service&client_secret=${SECRET}`
  await each(t, 'a broken header is not made good by the body', BROKEN, async (authorization) =>
    faults(service, await ask(service, authorization, byBody), INVALID_CLIENT),
  )
  await each(t, 'another scheme is no method', FOREIGN, async (authorization) =>
    faults(service, await ask(service, authorization, byBody), 'served'),
  )
  await each(t, 'nothing is wrong with it', ['', '&client_id=service', '&client_secret='], async (form) =>
    faults(service, await ask(service, right, grant_type + form), 'served'),
  )
})

siege('Basic credentials are form-decoded exactly once', async (t, service) => {
  const percent = (text: string) =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const once = `Basic ${base64(`${percent('service')}:${percent(SECRET)}`)}`
  t.strictSame(faults(service, await ask(service, once), 'served'), [])
  const twice = `Basic ${base64(`service:${encodeURIComponent(percent(SECRET))}`)}`
  t.strictSame(faults(service, await ask(service, twice), INVALID_CLIENT), [])
})

siege('repeated Authorization headers are refused at every endpoint', async (t, service) => {
  const send = await listen(service.fastify)
  const { access_token } = await service.tokens()
  const right = `Authorization: ${basic('service').authorization}`
  const wrong = `Authorization: ${basic('service', 'wrong').authorization}`
  const token = `Authorization: ${bearer(access_token).authorization}`
  const other = 'authorization: Bearer x'
  const pairs = [
    [right, right],
    [right, wrong],
    [wrong, right],
    [right, token],
    [right, 'AUTHORIZATION:'],
  ]
  await each(t, 'the token endpoint', pairs, async (headers) => {
    const { status } = await send(
      request('POST /oauth2/token', [`Content-Type: ${FORM}`, ...headers], grant_type),
    )
    const wrote = service.writes.splice(0)
    return status === 400 || status === 401 ? wrote : [`status ${status}`, ...wrote]
  })
  for (const path of ['/api/resource', '/userinfo']) {
    await each(
      t,
      path,
      [
        [token, other],
        [other, token],
        [token, token],
        [token, right],
      ],
      async (headers) => {
        const { status } = await send(request(`GET ${path}`, headers))
        return status === 400 || status === 401 ? [] : [`status ${status}`]
      },
    )
  }
})
