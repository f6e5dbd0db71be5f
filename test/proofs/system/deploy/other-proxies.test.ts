// nginx and Caddy before replicas, configured as docs/operations.md says.
import t from 'tap'
import {
  type FrontProxy,
  type Got,
  startApplication,
  startProxy,
} from '../../../support/application-proxy.ts'
import { blocks, readText, section } from '../../../support/markdown.ts'
import { freePort } from '../../../support/process.ts'

const PAGE = section(await readText('docs/operations.md'), 'Behind a load balancer')
const [nginx = ''] = blocks(PAGE, 'nginx')
const [caddy = ''] = blocks(PAGE, 'caddyfile')

const placed = (part: string, replicas: readonly string[]) =>
  part.replaceAll('10.0.0.5:3000', replicas[0] ?? '').replaceAll('10.0.0.6:3000', replicas[1] ?? '')

const PROXIES: Readonly<Record<string, FrontProxy>> = {
  nginx: {
    command: 'nginx',
    args: (file) => ['-c', file, '-e', 'stderr'],
    configure: ({ port, folder, places }) => {
      const server = placed(
        nginx,
        places.map(({ address }) => address),
      )
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
      const site = placed(
        caddy,
        places.map(({ address }) => address),
      )
      const here = site.replace('auth.example.com {', `http://127.0.0.1:${port} {\n  bind 127.0.0.1`)
      return `{\n admin off\n auto_https off\n}\n${here}`
    },
  },
}

for (const [name, proxy] of Object.entries(PROXIES))
  t.test(`${name} keeps metrics from the world, and says who asks`, async (t) => {
    const replicas = [await startApplication(t, 'one'), await startApplication(t, 'two')]
    const port = await freePort()
    const places = replicas.map((address) => ({ name: 'auth.example.com', address }))
    await startProxy(t, proxy, { port, redmint: replicas[0] ?? '', places })
    const headers = {
      'x-forwarded-for': '6.6.6.6',
      'x-request-id': 'evil',
      traceparent: 'evil',
      'client-cert': 'evil',
    }
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
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
      const { lines } = (await answer.json()) as Got
      const of = (header: string) =>
        lines.filter(([one]) => one.toLowerCase() === header).map(([, value]) => value)
      t.strictSame(of('x-forwarded-for'), ['127.0.0.1'])
      t.notMatch(JSON.stringify(lines), /evil|6\.6\.6\.6/)
    }
  })
