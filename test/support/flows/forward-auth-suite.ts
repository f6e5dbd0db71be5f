// What must hold for the headers of an application behind a proxy, whatever its user sends.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { type FrontProxy, type Got, startApplication, startProxy, variable } from '../application-proxy.ts'
import { behindProxy } from '../forward-auth.ts'
import { freePort } from '../process.ts'
import { changeClient, changeUser, createClient } from '../records.ts'
import { signInOn } from '../scene/requests.ts'
import { scene } from '../scene.ts'
import { asDeparture, asPage, type Response, Visitor } from '../visitor.ts'
import { visitorAt } from './visitor-at.ts'

/** A browser without a screen. The fetch of Node says of itself that it opens no page (Sec-Fetch-Mode). */
function browserAt(origin: string): Visitor {
  return new Visitor(
    ({ method, url, headers, body = '' }) =>
      new Promise<Response>((resolve, reject) => {
        const sent = request(origin + url, { method, headers }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part) => {
            text += part
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        })
        sent.on('error', reject).end(body)
      }),
    origin,
  )
}

/** Sends a request as it is written, and returns its status, its head and what the application got, if it was reached. */
function sendRaw(port: number, line: string, headers: readonly string[]) {
  return new Promise<{ status: number; head: string; got?: Got }>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const [head = ''] = text.split('\r\n\r\n')
      const [found] = /\{"app":.*\}/s.exec(text) ?? []
      resolve({ status: Number(text.slice(9, 12)), head, ...(found && { got: JSON.parse(found) as Got }) })
    })
    socket.write(Buffer.from([line, ...headers, '', ''].join('\r\n'), 'latin1'))
  })
}

/** redmint, two applications and a proxy before them: `wiki` at localhost for all, `pay` at 127.0.0.1 for a group. */
async function start(t: Test, proxy: FrontProxy) {
  const [port, redmint_port] = [await freePort(), await freePort()]
  const issuer = `http://localhost:${redmint_port}`
  const { fastify, storage } = await scene(t, {
    issuer,
    forward_auth_clients: ['intranet', 'payroll'],
    client_certificate_proxies: ['127.0.0.1'],
    scope_claims: new Map([['groups', 'groups']]),
  })
  await fastify.listen({ port: redmint_port, host: '127.0.0.1' })
  const places = [
    { name: 'localhost', address: await startApplication(t, 'wiki') },
    { name: '127.0.0.1', address: await startApplication(t, 'pay') },
  ]
  await startProxy(t, proxy, { port, redmint: `127.0.0.1:${redmint_port}`, places })
  const [wiki, pay] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  await createClient(storage, 'intranet', formatClient(behindProxy(wiki)))
  await createClient(
    storage,
    'payroll',
    formatClient({ ...behindProxy(pay, 'payroll'), allowed_groups: ['staff'] }),
  )
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["staff"]' } })
  /** A browser that is signed in at an application. */
  const signedIn = async (
    username: string,
    origin = wiki,
    headers: Record<string, string> = {},
    opens = '/page?a=1&b=%20',
  ) => {
    const browser = browserAt(origin)
    Object.assign(browser.headers, headers)
    const { location } = asDeparture(await browser.open(opens))
    const at_issuer = visitorAt(issuer)
    const login = asPage(await at_issuer.open(location.pathname + location.search))
    const back = asDeparture(await signInOn(at_issuer, login, username))
    const page = await browser.page(back.location.pathname + back.location.search)
    return { browser, page, back: back.location, location }
  }
  /** Another proxy, with the second application alone. */
  const alone = async () => {
    const other = await freePort()
    await startProxy(t, proxy, {
      port: other,
      redmint: `127.0.0.1:${redmint_port}`,
      places: places.slice(1),
    })
    return other
  }
  return { fastify, storage, issuer, port, wiki, pay, signedIn, alone }
}

/** What each application must be told of people. */
const TOLD = {
  alice: { NAME: 'Alice Example', EMAIL: 'alice@example.com', GROUPS: 'staff' },
  bob: { NAME: 'Bob', EMAIL: '', GROUPS: '' },
}

/** Checks that an application sees what redmint says of somebody, and nothing else. */
function isTold(t: Test, got: Got | undefined, username: keyof typeof TOLD, what: string): void {
  if (got === undefined) return void t.fail(`${what}: the application was not reached`)
  t.same(variable(got, 'HTTP_REMOTE_USER'), [username], what)
  for (const [part, value] of Object.entries(TOLD[username])) {
    const values = variable(got, `HTTP_REMOTE_${part}`)
    // Some proxies leave out an empty one.
    t.same(values, values.length === 0 && value === '' ? [] : [value], `${what}: ${part}`)
  }
}

const PARTS = ['User', 'Name', 'Email', 'Groups']

/** How a sender may write a name that applications could take for one of redmint's. */
const SPELLINGS: Readonly<Record<string, (part: string) => readonly string[]>> = {
  plain: (part) => [`Remote-${part}: root`],
  capitals: (part) => [`REMOTE-${part.toUpperCase()}: root`],
  twice: (part) => [`Remote-${part}: root`, `remote-${part.toLowerCase()}: admin`],
  'with an underscore': (part) => [`Remote_${part}: root`],
  'with a dot': (part) => [`Remote.${part}: root`],
  'with another sign': (part) => [`Remote!${part}: root`, `Remote~${part}: root`],
  'with a tab': (part) => [`Remote-${part}:\troot\t`],
  'with a tab before the colon': (part) => [`Remote-${part}\t: root`],
  empty: (part) => [`Remote-${part}:`, `Remote_${part}: root`],
  'with a space in front': (part) => [`X-Mine: a`, ` Remote-${part}: root`],
}

/** What a sender may say of the connection, so that the proxy drops what it was told. */
const CONNECTIONS = [
  ['Connection: close, Remote-User, Remote-Name, Remote-Email, Remote-Groups'],
  ['Connection: close', 'Connection: remote-user,remote-name,remote-email,remote-groups'],
  ['connection:\tclose ,\tREMOTE-USER , REMOTE-GROUPS, Remote-Name, Remote-Email'],
  ['Connection: close', 'FrontProxy-Connection: Remote-User', 'Keep-Alive: Remote-User', 'TE: Remote-User'],
]

/** Tests a proxy. */
export function testProxy(t: Test, name: string, proxy: FrontProxy): void {
  t.test(`the headers of an application behind ${name} are its own`, async (t) => {
    const { fastify, storage, issuer, wiki, port, signedIn } = await start(t, proxy)
    const made_up = {
      'remote-user': 'root',
      remote_user: 'root',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-uri': '/evil',
      'x-forwarded-method': 'GET',
    }
    const stranger = browserAt(wiki)
    Object.assign(stranger.headers, made_up)
    t.equal((await stranger.request('POST', '/page', 'a=1')).status, 401, 'a form of nobody')
    stranger.headers.accept = 'application/json'
    t.equal((await stranger.request('GET', '/page')).status, 401, 'a script of nobody')

    for (const username of ['alice', 'bob'] as const) {
      const { browser, page, back, location } = await signedIn(username, wiki, made_up)
      t.equal(location.origin + location.pathname, `${issuer}/oauth2/authorize`)
      t.equal(back.origin, wiki)
      t.equal(page.url, '/page?a=1&b=%20')
      const got = JSON.parse((await browser.request('POST', '/page', 'a=1')).text) as Got
      isTold(t, got, username, 'a form')
      const always = [`Host: localhost:${port}`, `Cookie: ${browser.cookiesFor('/')}`, 'Accept: text/html']
      for (const [how, spell] of Object.entries(SPELLINGS)) {
        const { status, got } = await sendRaw(port, 'GET /page HTTP/1.1', [
          ...always,
          ...PARTS.flatMap(spell),
          'Connection: close',
        ])
        // Some refuse what is no header.
        if (status !== 400) isTold(t, got, username, `${username}, ${how}`)
      }
      for (const headers of CONNECTIONS) {
        const { status, got } = await sendRaw(port, 'GET /page HTTP/1.1', [...always, ...headers])
        if (status !== 400) isTold(t, got, username, `${username}, ${headers.join(' | ')}`)
      }
    }

    const { browser } = await signedIn('bob')
    const fresh = browserAt(wiki)
    await fresh.open('/')
    t.same([...fresh.cookies.keys()], ['redmint-forward-start'], 'one cookie at the application')
    await changeClient(storage, 'intranet', { set: { disabled: 'true' } })
    t.equal((await browserAt(wiki).request('GET', '/page')).status, 403)
    await changeClient(storage, 'intranet', { set: { disabled: 'false' } })
    t.equal((await browser.request('GET', '/page')).status, 200)
    await fastify.close()
    const without = await browser.request('GET', '/page')
    t.ok(without.status >= 500, `redmint is away: ${without.status}`)
    t.notMatch(without.text, /remote-user/i, 'the application was not reached')
  })

  t.test(`behind ${name}, long addresses, preflights and tokens arrive`, async (t) => {
    const { port, wiki, storage, signedIn } = await start(t, proxy)
    const long = `/a?b=${randomBytes(5000).toString('base64url')}`
    const { page, browser } = await signedIn('bob', wiki, {}, long)
    t.equal(page.url, long)
    t.same([...browser.cookies.keys()].sort(), ['redmint-forward', 'redmint-forward-start'])

    const preflight = [
      `Host: localhost:${port}`,
      'Origin: https://page.example',
      'Access-Control-Request-Method: PUT',
      'Remote-User: root',
      'Connection: close',
    ]
    const asked = () => sendRaw(port, 'OPTIONS /api HTTP/1.1', preflight)
    t.equal((await asked()).status, 401)
    const set = { forward_auth_preflights: 'true', forward_auth_bearer: 'true' }
    await changeClient(storage, 'intranet', { set })
    const { got } = await asked()
    t.match(got, { app: 'wiki', method: 'OPTIONS', url: '/api' })
    t.same(
      (got === undefined ? ['none'] : variable(got, 'HTTP_REMOTE_USER')).join(''),
      '',
      'as that of nobody',
    )
    const token = [`Host: localhost:${port}`, 'Authorization: Bearer x', 'Connection: close']
    const refused = await sendRaw(port, 'POST /api HTTP/1.1', ['Content-Length: 0', ...token])
    t.equal(refused.status, 401)
    t.match(refused.head, /www-authenticate: Bearer realm="redmint", error="invalid_token"/i)
  })

  t.test(`whoever may use one application behind ${name} gets into no other`, async (t) => {
    const { port, pay, signedIn, alone } = await start(t, proxy)
    const alice = await signedIn('alice', pay)
    const page = JSON.parse((await alice.browser.request('GET', '/secret')).text) as Got
    t.equal(page.app, 'pay', 'who may is let in')
    const bob = await signedIn('bob')
    const cookie = `Cookie: ${bob.browser.cookiesFor('/')}`
    const [own, other] = [`localhost:${port}`, `127.0.0.1:${port}`]
    const forged = ['X-Forwarded-Host', 'X-Original-Host', 'X-Host'].map((name) => `${name}: ${own}`)
    const rows: [line: string, ...headers: string[]][] = [
      [`GET http://${other}/secret HTTP/1.1`, `Host: ${own}`],
      [`GET https://${other}/secret HTTP/1.1`, `Host: ${own}`],
      [`GET HTTP://${other}/secret HTTP/1.1`, `Host: ${own}`],
      [`GET http://${other}/secret HTTP/1.0`, `Host: ${own}`],
      [`GET http://${other}/secret HTTP/1.0`],
      [`GET http://x@${other}/secret HTTP/1.1`, `Host: ${own}`],
      [`GET http://${own}/secret HTTP/1.1`, `Host: ${other}`],
      ['GET /secret HTTP/1.1', `Host: ${other}`],
      ['GET /secret HTTP/1.1', `Host: ${other}`, `Host: ${own}`],
      ['GET /secret HTTP/1.1', `Host: ${own}`, `Host: ${other}`],
      ['GET /secret HTTP/1.1', `Host: ${other}, ${own}`],
      ['GET /secret HTTP/1.1', `Host: ${own}, ${other}`],
      ['GET /secret HTTP/1.1', 'Host: 127.0.0.1'],
      ['GET /secret HTTP/1.1', `Host: ${other}`, ...forged],
      ['GET /secret HTTP/1.1', `Host: ${other}`, `Forwarded: host=${own}`],
      [`GET //${other}/secret HTTP/1.1`, `Host: ${own}`],
    ]
    for (const [line, ...headers] of rows) {
      const { got } = await sendRaw(port, line, [...headers, cookie, 'Connection: close'])
      t.not(got?.app, 'pay', [line, ...headers].join(' | '))
    }
    const headers = [`Host: ${own}`, cookie, 'Connection: close']
    const elsewhere = await sendRaw(await alone(), 'GET /secret HTTP/1.1', headers)
    t.equal(elsewhere.got, undefined, 'a proxy that has the other application alone')
    const { got } = await sendRaw(port, 'GET /secret HTTP/1.1', headers)
    isTold(t, got, 'bob', 'at the application that he may use')
  })

  t.test(`behind ${name}, no page of redmint but the callback is reached`, async (t) => {
    const { port } = await start(t, proxy)
    for (const path of [
      '/admin/v1/clients/../../../.redmint/callback',
      '/admin/v1/clients/%2e%2e/%2e%2e/%2e%2e/.redmint/callback',
      '/oauth2/authorize/../../.redmint/callback',
      '/auth/forward/../../.redmint/callback',
      '/auth/forward/..%2f..%2f.redmint/callback',
      '//.redmint/callback',
      '/.redmint/./callback',
      '/%2eredmint/callback',
      '/.redmint/callback/',
      '/.redmint/callback/../../oauth2/token',
      '/.redmint/callback;/../../oauth2/token',
      '/.redmint/callback?code=x',
    ]) {
      const headers = [`Host: localhost:${port}`, 'Accept: text/html', 'Connection: close']
      const { status, head, got } = await sendRaw(port, `GET ${path} HTTP/1.1`, headers)
      t.equal(got, undefined, `${path}: the application was not reached`)
      // The check of a stranger, the callback without a sign-in, or what is no path for the proxy.
      t.ok([302, 400, 404].includes(status), `${path}: ${head}`)
      if (status === 302) t.match(head, /location: http:\/\/localhost:\d+\/oauth2\/authorize\?/i, path)
      if (status === 400 && /x-request-id/i.test(head)) t.match(head, /content-type: text\/html/i, path)
    }
  })
}
