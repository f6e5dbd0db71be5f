// nginx and Caddy before replicas, with the configurations of deploy/.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type FrontProxy, startProxy } from '../../../support/application-proxy.ts'
import { assertAwayPages } from '../../../support/away-page.ts'
import { readText } from '../../../support/markdown.ts'
import { freePort } from '../../../support/process.ts'
import { until } from '../../../support/until.ts'

const nginx = await readText('deploy/nginx.conf')
const caddy = await readText('deploy/Caddyfile')
const inner = await freePort()

const placed = (configuration: string, places: readonly { readonly address: string }[]) =>
  configuration
    .replaceAll('10.0.0.5:3000', places[0]?.address ?? '')
    .replaceAll('10.0.0.6:3000', places[1]?.address ?? '')

const PROXIES: Readonly<Record<string, FrontProxy>> = {
  nginx: {
    command: 'nginx',
    args: (file) => ['-c', file, '-e', 'stderr'],
    configure: ({ port, folder, places }) => {
      const server = placed(nginx, places)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replaceAll(/^ *ssl_.*\n/gm, '')
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ')
      return `daemon off; master_process off; pid ${folder}/pid; events {} http { access_log off; ${temp}\n${server} }\n`
    },
  },
  Caddy: {
    command: 'caddy',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configure: ({ port, places }) => {
      const here = placed(caddy, places)
        .replace('auth.example.com {', `http://127.0.0.1:${port} {\n  bind 127.0.0.1`)
        .replaceAll('127.0.0.1:2999', `127.0.0.1:${inner}`)
      return `{\n admin off\n auto_https off\n}\n${here}`
    },
  },
}

interface Got {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A replica that answers with what it got, as ready as it is told. */
async function startReplica(t: Test) {
  const replica = { is_ready: true, address: '', close }
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    if (path === '/actuator/health/readiness') return response.writeHead(replica.is_ready ? 200 : 503).end()
    const got: Got = { path, headers, body: await text(request) }
    // What needs Redis is refused without it.
    response.writeHead(replica.is_ready || path.startsWith('/.well-known') ? 200 : 503)
    return response.end(JSON.stringify(got))
  })
  async function close() {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  replica.address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return replica
}

const HOSTILE = {
  'x-forwarded-for': '6.6.6.6',
  'x-request-id': 'evil',
  traceparent: 'evil',
  'client-cert': 'evil',
}

function assertOwnAddress(t: Test, { headers }: Got) {
  t.equal(headers['x-forwarded-for'], '127.0.0.1')
  t.notMatch(JSON.stringify(headers), /evil|6\.6\.6\.6/)
}

for (const [name, proxy] of Object.entries(PROXIES))
  t.test(name, async (t) => {
    const replicas = [await startReplica(t), await startReplica(t)]
    const port = await freePort()
    const places = replicas.map(({ address }) => ({ name: 'auth.example.com', address }))
    await startProxy(t, proxy, { port, redmint: replicas[0]?.address ?? '', places })
    const address = `http://127.0.0.1:${port}`
    const ask = (path: string, more: RequestInit = {}) => fetch(address + path, { headers: HOSTILE, ...more })

    await t.test('keeps metrics from the world, and says who asks', async (t) => {
      for (const path of [
        '/actuator/prometheus',
        '/actuator/info',
        '/%61ctuator/prometheus',
        '/x/../actuator/info',
      ])
        t.equal((await ask(path)).status, 404, path)
      for (const path of ['/actuator/health/liveness', '/.well-known/jwks.json']) {
        const answer = await ask(path)
        t.equal(answer.status, 200, path)
        assertOwnAddress(t, (await answer.json()) as Got)
      }
    })

    await t.test('while no replica is ready, one that lives answers', async (t) => {
      for (const replica of replicas) replica.is_ready = false
      const post = () => ask('/oauth2/token', { method: 'POST', body: 'grant_type=x' })
      await until('none is ready', async () => (await post()).status === 503)
      await until('what it refuses is its own answer', async () => {
        const answer = await post()
        const is_own = answer.headers.get('retry-after') === null && answer.status === 503
        return is_own && ((await answer.json()) as Got).body === 'grant_type=x'
      })
      const discovery = await ask('/.well-known/openid-configuration')
      t.equal(discovery.status, 200)
      assertOwnAddress(t, (await discovery.json()) as Got)
      t.equal((await ask('/actuator/prometheus')).status, 404)
    })

    await t.test('without a replica, browsers get a page in their language, and programs JSON', async (t) => {
      for (const replica of replicas) await replica.close()
      await assertAwayPages(t, address)
    })
  })
