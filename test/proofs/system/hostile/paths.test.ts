import { METHODS } from 'node:http'
import { MAX_UNANSWERED } from '../../../../plugins/turns.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { bearer } from '../../../support/service.ts'

/** Equivalent spellings of the resource (RFC 3986 §6.2.2.2, RFC 9112 §3.2.2). */
const TRUE = words(`
  /api/resource /%61pi/resource /%61%70%69/%72esource /api/resource? /api/resource?x=/health /api/resource#
  /api/resource#/health http://localhost/api/resource https://evil/api/resource HTTP://evil:1/api/resource
  http://a:b@evil/api/resource`)

/** Paths below /api/ that do not exist. */
const INSIDE = words(`
  /api /api/ /api?/resource /api#/resource /api/resource/ /api/resource// /api//resource /api/./resource
  /api/../api/resource /api/x/../resource /api/%2e%2e/api/resource /api/..;/resource /api/resource.
  /api/resource/. /api/resource/.. /api/resource; /api/resource;x=1 /api/;/resource /api/resource%00
  /api/resource%0a /api/resource%20 /api/resource%09 /api/resource%2f /api/resource%23 /api/resource%3f
  /api/RESOURCE /api/resource.json /api/resource, /api/resource~ /api/* /api/:x /api/re%C5%BFource
  /api/%EF%BD%92esource /api/%72%65%73%6f%75%72%63%65%2e /api/__proto__ /api/constructor /api/health
  /api/../health /api/resource/../../health /api/${'x'.repeat(5000)} /api/${'x/'.repeat(2000)}`)

/** Paths outside /api/, even if a proxy in front normalises them. */
const OUTSIDE = words(String.raw`
  //api/resource ///api/resource /./api/resource /x/../api/resource /health/../api/resource /%2e/api/resource
  /x/%2e%2e/api/resource /..;/api/resource /;/api/resource /api;x/resource /api%2fresource /api%2Fresource
  /%2fapi/resource /api%5cresource /api\resource /API/resource /Api/Resource /%41pi/resource /api%00/resource
  /api%20/resource /api./resource /%2561pi/resource /api%252fresource /%EF%BD%81pi/resource
  /%C3%A0pi/resource /%D0%B0pi/resource /apiresource /api.resource /*
  http://evil/x/../api/resource ftp://evil/api/resource /docs/static/..%2f..%2fapi/resource
  /docs/../api/resource /docs/static/%2e%2e/api`)

/** Spellings of `/`. */
const HOME = ['*', 'http://evil?/api/resource']

/** Invalid request targets. */
const BROKEN = [
  ...words(
    '/api/resource% /api/%zz /%zz/api/resource /api/resource%ff /api/%c0%afresource /%u0061pi/resource',
  ),
  ...words('api/resource ? # \\api\\resource http:///api/resource http:// /api/%e0%80%af /api/%ed%a0%80'),
  ...['', '/api /resource', '/api\t/resource', '/\xefpi/resource', '/api\x00/resource', '/api/resource\x7f'],
]

const ANSWERED = METHODS.filter((method) => method !== 'CONNECT')
const last = request('GET /health')

/**
 * Sends one request with each method, as many on one connection as may be unanswered, and a last one on each that shows
 * that the connection is still open.
 * @returns the statuses without those of the last requests, and whether those were answered
 */
async function byEveryMethod(send: Awaited<ReturnType<typeof listen>>, path: string, header = '') {
  const result = { statuses: [] as number[], open: true, text: '' }
  for (let first = 0; first < ANSWERED.length; first += MAX_UNANSWERED - 1) {
    const methods = ANSWERED.slice(first, first + MAX_UNANSWERED - 1)
    const requests = methods.map((method) => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`)
    const { statuses, text } = await send(requests.join('') + last)
    result.statuses.push(...statuses.slice(0, methods.length))
    if (statuses.length !== methods.length + 1) result.open = false
    result.text += text
  }
  return result
}

siege('without a token, every method and spelling below /api/ gets 401', async (t, service) => {
  const send = await listen(service.fastify)
  const statusesOf = async (path: string, expected: readonly number[]) => {
    const { statuses, open, text } = await byEveryMethod(send, path)
    const others = statuses.filter((status) => !expected.includes(status))
    const faults = others.map((status) => `status ${status}`)
    if (!open) faults.push(`${statuses.length} answers`)
    return text.includes('protected resource') ? [...faults, 'the resource'] : faults
  }
  await each(t, 'the resource', TRUE, (path) => statusesOf(path, [401]))
  await each(t, 'below /api/', INSIDE, (path) => statusesOf(path, [401]))
  await each(t, 'elsewhere', OUTSIDE, (path) => statusesOf(path, [400, 404, 405]))
  await each(t, 'home', HOME, (path) => statusesOf(path, [200, 404, 405]))
  await each(t, 'nowhere', BROKEN, async (path) => {
    const { statuses } = await byEveryMethod(send, path)
    const refused = statuses.length > 0 && statuses.every((status) => status === 400)
    return refused ? [] : [`statuses ${statuses}`]
  })
  for (const path of TRUE) t.equal((await send(request(`CONNECT ${path}`))).text, '', `CONNECT ${path}`)
  t.strictSame(service.calls, [], 'no storage was asked')
})

siege('with an invalid token, every method and spelling below /api/ gets 401', async (t, service) => {
  const send = await listen(service.fastify)
  const header = 'Authorization: Bearer bad\r\n'
  await each(t, 'below /api/', [...TRUE, ...INSIDE], async (path) => {
    const { statuses, open } = await byEveryMethod(send, path, header)
    return open && statuses.every((status) => status === 401) ? [] : [`statuses ${statuses}`]
  })
})

siege('with a valid token, only equivalent spellings reach the resource', async (t, service) => {
  const send = await listen(service.fastify)
  const { access_token } = await service.tokens()
  const headers = [`Authorization: ${bearer(access_token).authorization}`]
  const get = async (path: string) => send(request(`GET ${path}`, headers))
  await each(t, 'the resource', TRUE, async (path) => {
    const { status, body } = await get(path)
    return status === 200 && body.includes('alice') ? [] : [`${status} ${body}`]
  })
  await each(t, 'anything else', [...INSIDE, ...OUTSIDE, ...BROKEN], async (path) => {
    const { status, body } = await get(path)
    return [400, 404, 405].includes(status) && !body.includes('alice') ? [] : [`${status} ${body}`]
  })
  await each(t, 'home', HOME, async (path) => {
    const { status, body } = await get(path)
    return status === 200 && body.startsWith('{"issuer":') ? [] : [`${status} ${body}`]
  })
  const { statuses } = await byEveryMethod(send, '/api/resource', `${headers[0]}\r\n`)
  const served = ANSWERED.filter((_, index) => statuses[index] === 200)
  t.strictSame(served, ['GET', 'HEAD'], 'nor has it other methods')
})

siege('headers cannot override the path, the method or the user', async (t, service) => {
  const send = await listen(service.fastify)
  const { access_token } = await service.tokens()
  const names = words(
    'X-Original-URL X-Rewrite-URL X-Forwarded-Path X-Forwarded-Uri X-Forwarded-Prefix Referer',
  )
  await each(t, 'the address', names, async (name) => {
    const open = await send(request('GET /health', [`${name}: /api/resource`]))
    const guarded = await send(request('GET /api/resource', [`${name}: /health`]))
    return open.body === '{"status":"UP"}' && guarded.status === 401 ? [] : [open.body, guarded.body]
  })
  const methods = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']
  await each(t, 'the method', methods, async (name) => {
    const token = [`${name}: GET`, `Authorization: Bearer ${access_token}`]
    const { status } = await send(request('DELETE /api/resource', token))
    return status === 405 ? [] : [`status ${status}`]
  })
  await each(t, 'the user', ['X-User', 'X-Remote-User', 'X-Forwarded-User', 'Cookie'], async (name) => {
    const { status } = await send(request('GET /api/resource', [`${name}: access_token=${access_token}`]))
    return status === 401 ? [] : [`status ${status}`]
  })
})
