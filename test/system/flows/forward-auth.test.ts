// Suite: proofs
// An application that knows no OpenID Connect behind nginx, Caddy and HAProxy, configured as docs/forward-auth.md says.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { signInOn, startWithPeople } from '../../src/authorize/people.ts'
import { behindProxy } from '../../support/forward-auth.ts'
import { isRefused } from '../../support/half-sent.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { freePort, run } from '../../support/process.ts'
import { changeClient, changeUser, createClient } from '../../support/records.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage, type Response, Visitor } from '../../support/visitor.ts'
import { visitorAt } from './visitor-at.ts'

const text = await readText('docs/forward-auth.md')
const [nginx = ''] = blocks(text, 'nginx')
const [caddy = ''] = blocks(text, 'caddyfile')
const [haproxy = ''] = blocks(text, 'haproxy')
const [lua = ''] = blocks(text, 'lua')

interface Proxy {
  readonly command: string
  /** What it is started with, in a folder of its own. */
  readonly args: (file: string) => readonly string[]
  readonly configure: (port: number, folder: string) => string
  /** Another file, beside that of the configuration. */
  readonly script?: readonly [name: string, text: string]
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    command: 'nginx',
    args: (file) => ['-c', file, '-e', 'stderr'],
    configure: (port, folder) => {
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const server = nginx
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace('wiki.example.com', 'localhost')
        .replaceAll(/^ *ssl_.*\n/gm, '')
      // One process, so that no child outlives the one that the test ends.
      return `daemon off; master_process off; pid ${folder}/pid; events {} http { access_log off; ${temp.join(' ')}\n${server} }\n`
    },
  },
  Caddy: {
    command: 'caddy',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configure: (port) =>
      `{\n admin off\n auto_https off\n}\n${caddy.replace('wiki.example.com {', `http://localhost:${port} {\n  bind 127.0.0.1`)}`,
  },
  HAProxy: {
    command: 'haproxy',
    args: (file) => ['-db', '-f', file],
    configure: (port, folder) =>
      haproxy
        .replace('/etc/haproxy', folder)
        .replace(':443 ssl crt /certificates/wiki.example.com.pem', `127.0.0.1:${port}`),
    script: ['redmint.lua', lua],
  },
}

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

/** An application that answers with the headers that it got. */
async function startApplication(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

async function startProxy(t: Test, { command, args, configure, script }: Proxy, places: [string, string]) {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'redmint-proxy-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'proxy.conf')
  const [redmint, application] = places
  const configuration = configure(port, folder)
    .replaceAll('10.0.0.5:3000', redmint)
    .replaceAll('10.0.0.7:8080', application)
  await writeFile(file, configuration)
  if (script !== undefined) await writeFile(join(folder, script[0]), script[1])
  const paths = {
    PATH: `${process.env.PATH}:/usr/sbin`,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  }
  const proxy = run(t, command, args(file), paths)
  let over = false
  proxy.ended.then(() => {
    over = true
  })
  await until(`${command} listens`, async () => {
    if (over) throw new Error(`${command} ended: ${proxy.stderr}\n${configuration}`)
    return !(await isRefused(port))
  })
  return `http://localhost:${port}`
}

for (const [name, proxy] of Object.entries(PROXIES)) {
  t.test(`the headers of an application behind ${name} are its own`, async (t) => {
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    const { fastify, storage } = await startWithPeople(t, {
      issuer,
      forward_auth_clients: ['intranet'],
      scope_claims: new Map([['groups', 'groups']]),
    })
    await fastify.listen({ port, host: '127.0.0.1' })
    const origin = await startProxy(t, proxy, [`127.0.0.1:${port}`, await startApplication(t)])
    await createClient(storage, 'intranet', formatClient(behindProxy(origin)))
    await changeUser(storage, 'alice', { set: { 'claim:groups': '["staff"]' } })

    let signedIn = browserAt(origin)
    for (const [username, told] of Object.entries({
      alice: { name: 'Alice Example', email: 'alice@example.com', groups: 'staff' },
      bob: { name: 'Bob', email: '', groups: '' },
    })) {
      const browser = browserAt(origin)
      signedIn = browser
      const made_up = {
        'remote-user': 'root',
        'remote-name': 'Root',
        'remote-email': 'root@example.com',
        'remote-groups': 'admin',
        remote_user: 'root',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-uri': '/evil',
        'x-forwarded-method': 'GET',
      }
      Object.assign(browser.headers, made_up)
      t.equal((await browser.request('POST', '/page', 'a=1')).status, 401, 'a form of nobody')
      browser.headers.accept = 'application/json'
      t.equal((await browser.request('GET', '/page')).status, 401, 'a script of nobody')
      browser.headers.accept = 'text/html'

      const at_issuer = visitorAt(issuer)
      const { location } = asDeparture(await browser.open('/page?a=1&b=%20'))
      t.equal(location.origin + location.pathname, `${issuer}/oauth2/authorize`)
      const login = asPage(await at_issuer.open(location.pathname + location.search))
      const back = asDeparture(await signInOn(at_issuer, login, username))
      t.equal(back.location.origin, origin)
      const page = await browser.page(back.location.pathname + back.location.search)
      t.equal(page.url, '/page?a=1&b=%20')
      const seen = async (method: 'GET' | 'POST') =>
        JSON.parse((await browser.request(method, '/page', method === 'POST' ? 'a=1' : undefined)).text)
      for (const method of ['GET', 'POST'] as const) {
        const headers = await seen(method)
        t.equal(headers['remote-user'], username)
        t.equal(headers['remote-name'], told.name)
        t.equal(headers['remote-email'] ?? '', told.email)
        t.equal(headers['remote-groups'] ?? '', told.groups)
        t.notOk(headers.remote_user)
      }
    }

    const [, ...others] = [...(await openedBy(origin, issuer))]
    t.same(others, [], 'one cookie at the application')
    await changeClient(storage, 'intranet', { set: { disabled: 'true' } })
    t.equal((await browserAt(origin).request('GET', '/page')).status, 403)
    await changeClient(storage, 'intranet', { set: { disabled: 'false' } })
    t.equal((await signedIn.request('GET', '/page')).status, 200)
    await fastify.close()
    const without = await signedIn.request('GET', '/page')
    t.ok(without.status >= 500, `redmint is away: ${without.status}`)
    t.notMatch(without.text, /remote-user/, 'the application was not reached')
  })
}

/** The names of the cookies that a browser has at an application that it opened. */
async function openedBy(origin: string, issuer: string): Promise<string[]> {
  const browser = browserAt(origin)
  const { location } = asDeparture(await browser.open('/'))
  if (location.origin !== issuer) throw new Error(`sent to ${location}`)
  return [...browser.cookies.keys()]
}
