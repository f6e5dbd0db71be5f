import { gzipSync } from 'node:zlib'
import { PATHS } from '../../../../src/core/paths.ts'
import {
  ENDPOINTS,
  encode,
  FORM,
  faults,
  lookups,
  REFUSED,
  unreadable,
} from '../../../support/hostile/endpoints.ts'
import { each, type Siege, siege, words } from '../../../support/hostile/siege.ts'
import { authorizationRequest, bearer, REDIRECT_URI } from '../../../support/service.ts'

const POSTS = ENDPOINTS.filter((endpoint) => endpoint.attack('').method === 'POST')

/** Where the longest JWT of the server, a request object or details may come in a form. */
const LONG: readonly string[] = [PATHS.authorize, PATHS.par, PATHS.token, PATHS.device_authorization]

const FORM_TYPES = [
  FORM,
  FORM.toUpperCase(),
  `${FORM};charset=utf-8`,
  `${FORM}; charset=UTF-8`,
  `${FORM};charset="utf-8"`,
  `${FORM};`,
]

const OTHER_TYPES = [
  ...words(`
    ; , / */* application application/ application/* form __proto__ constructor x-www-form-urlencoded
    application/json APPLICATION/JSON application/json;charset=utf-8 application/xml application/octet-stream
    text/plain text/html multipart/form-data multipart/form-data;boundary=x text/plain;${FORM} ${FORM}x
    x${FORM} ${FORM}/json ${FORM}+json application\\x-www-form-urlencoded`),
  ...['', ' ', `${FORM}, application/json`, `application/json, ${FORM}`, `application/json; ${FORM}`],
  ...[`${FORM} application/json`, `${FORM}\ta`, FORM.replace('x', '\u0445')],
]

const JSON_BODIES = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"grant_type":"client_credentials","client_id":"service","client_secret":{"$ne":null}}',
  ...['[]', 'null', '{'.repeat(10_000), '['.repeat(10_000)],
]

/** Bytes that a form must not contain unencoded, in hex: control characters and invalid UTF-8. */
const RAW = words(`
  00 09 0a 0d 0d0a 1b 7f 80 bf ff fffe feff c0af c080 e080af eda080 edbfbf eda0bdedb880 f08080af f4908080 f8
  e282 c328 efbfbd`)

for (const endpoint of POSTS) {
  const { name } = endpoint
  const { url } = endpoint.attack('')
  const send = (service: Siege, type: string | undefined, payload: string | Buffer) =>
    service.send({
      method: 'POST',
      url,
      headers: type === undefined ? {} : { 'content-type': type },
      payload,
    })

  siege(`${name}: only the form content type is accepted`, async (t, service) => {
    await each(t, 'spellings of the type', FORM_TYPES, async (type) =>
      faults(service, await send(service, type, encode(await endpoint.right(service))), 'served'),
    )
    const right = await endpoint.right(service)
    for (const body of [encode(right), JSON.stringify(right)]) {
      await each(t, `other types: ${body.slice(0, 13)}`, [...OTHER_TYPES, undefined], async (type) =>
        faults(service, await send(service, type, body), REFUSED),
      )
    }
    await each(t, 'JSON', JSON_BODIES, async (body) =>
      faults(service, await send(service, 'application/json', body), REFUSED),
    )
    t.strictSame(service.calls, [])
  })

  siege(`${name}: a JSON body sent as a form is one unknown parameter`, async (t, service) => {
    await each(t, 'JSON', JSON_BODIES, async (body) => {
      const { status } = await send(service, FORM, body)
      return status === 400 || status === 401 ? [] : [`status ${status}`]
    })
    t.notOk('polluted' in {})
  })

  siege(`${name}: unencoded bytes are refused in every known field`, async (t, service) => {
    const judge = (field: string) =>
      each(t, field, RAW, async (hex) => {
        const right = await endpoint.right(service)
        service.calls.length = 0
        const bytes = Buffer.from(hex, 'hex').toString('latin1')
        const form = encode(right, { [field]: encodeURIComponent(right[field] ?? '') + bytes })
        const reply = await send(service, FORM, Buffer.from(form, 'latin1'))
        const looked_up = field === 'unknown' ? [] : lookups(service)
        return [...faults(service, reply, unreadable(endpoint, field)), ...looked_up]
      })
    for (const field of endpoint.fields) await judge(field)
  })

  siege(`${name}: compressed and UTF-16 bodies are refused`, async (t, service) => {
    const right = encode(await endpoint.right(service))
    const bodies = [gzipSync(right), Buffer.from(`\ufeff${right}`, 'utf16le'), Buffer.alloc(1000, 0xff)]
    await each(t, 'bytes', bodies, async (body) => {
      // Nothing in them has a name that is known: they are as an empty form.
      const { status } = await send(service, FORM, body)
      return status === 400 || status === 401 ? [] : [`status ${status}`]
    })
  })

  siege(`${name}: a body that is too large is refused, one byte less is accepted`, async (t, service) => {
    const limit = LONG.includes(url) ? 64 * 1024 : 16 * 1024
    const right = await endpoint.right(service)
    const padded = (size: number) => encode({ ...right, padding: '' }).padEnd(size, 'x')
    await each(t, 'too large', [limit, limit + 4000, 1_000_000], async (size) =>
      faults(service, await send(service, FORM, padded(size)), { status: 413, error: 'invalid_request' }),
    )
    t.strictSame(service.calls, [])
    const accepted = await send(service, FORM, padded(limit - 1))
    t.strictSame(faults(service, accepted, 'served'), [], 'one byte less')
  })
}

siege('the body of a GET is ignored', async (t, service) => {
  const headers = { 'content-type': FORM }
  const url = `/oauth2/authorize?${new URLSearchParams(authorizationRequest())}`
  const payload = 'redirect_uri=https://evil.example/'
  const kept = await service.send({ url, headers, payload })
  t.ok(kept.location?.startsWith(`${REDIRECT_URI}?code=`))
  service.writes.length = 0
  const none = await service.send({ url: '/oauth2/authorize', headers, payload: url.split('?')[1] ?? '' })
  t.equal(none.error, 'invalid_request')
})

siege('an access token is read only from the header, and at /userinfo from a form', async (t, service) => {
  const { access_token } = await service.tokens()
  const headers = { 'content-type': FORM }
  const payload = `access_token=${access_token}`
  for (const path of ['/userinfo', '/api/resource']) {
    t.equal((await service.send({ url: path, headers, payload })).status, 401, `${path}: a body of GET`)
    t.equal((await service.send({ url: `${path}?${payload}` })).status, 401, `${path}: the address`)
    t.equal(
      (await service.send({ url: path, headers: { cookie: payload } })).status,
      401,
      `${path}: a cookie`,
    )
  }
  const api = await service.send({ method: 'POST', url: '/api/resource', headers, payload })
  t.equal(api.status, 401, 'the API takes no form')
  const both = { ...headers, ...bearer(access_token) }
  const twice = await service.send({ method: 'POST', url: '/userinfo', headers: both, payload })
  t.equal(twice.status, 400, 'header and form at once')
  const empty = await service.send({ method: 'POST', url: '/userinfo', headers: bearer(access_token) })
  t.equal(empty.status, 200, 'with the token in the header a POST needs no body')
})

siege('the query of a POST is ignored', async (t, service) => {
  await each(t, 'in the address', POSTS, async (endpoint) => {
    const right = encode(await endpoint.right(service))
    const attack = endpoint.attack('unknown=1')
    const { status } = await service.send({ ...attack, url: `${attack.url}?${right}` })
    return status === 400 || status === 401 ? [] : [`status ${status}`]
  })
})
