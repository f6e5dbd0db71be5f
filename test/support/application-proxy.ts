// nginx, Caddy and HAProxy before applications that know no OpenID Connect, configured as docs/forward-auth.md says: each
// with two of them, at localhost and 127.0.0.1.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isRefused } from './half-sent.ts'
import { blocks, readText } from './markdown.ts'
import { run } from './process.ts'
import { until } from './until.ts'

const text = await readText('docs/forward-auth.md')
const [nginx = ''] = blocks(text, 'nginx')
const [caddy = ''] = blocks(text, 'caddyfile')
const [haproxy = ''] = blocks(text, 'haproxy')
const [lua = ''] = blocks(text, 'lua')

/** An application, as its proxy knows it: the name of its host, and where it listens. */
interface Place {
  readonly name: string
  readonly address: string
}

interface Setting {
  readonly port: number
  readonly folder: string
  /** Where redmint listens. */
  readonly redmint: string
  readonly places: readonly Place[]
}

export interface FrontProxy {
  readonly command: string
  /** What it is started with, in a folder of its own. */
  readonly args: (file: string) => readonly string[]
  readonly configure: (setting: Setting) => string
  /** Another file, beside that of the configuration. */
  readonly script?: readonly [name: string, text: string]
}

/** Writes the addresses of a test into a part of the page. */
const placed = (part: string, { redmint }: Setting, { address }: Place) =>
  part.replaceAll('10.0.0.5:3000', redmint).replaceAll('10.0.0.7:8080', address)

/** Caddy, by its path. */
export const caddyAt = (command: string): FrontProxy => ({
  command,
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  configure: (setting) => {
    const sites = setting.places.map((place) =>
      placed(caddy, setting, place).replace(
        'wiki.example.com {',
        `http://${place.name}:${setting.port} {\n  bind 127.0.0.1`,
      ),
    )
    return `{\n admin off\n auto_https off\n}\n${sites.join('\n')}`
  },
})

export const PROXIES: Readonly<Record<string, FrontProxy>> = {
  nginx: {
    command: 'nginx',
    args: (file) => ['-c', file, '-e', 'stderr'],
    configure: (setting) => {
      const { port, folder } = setting
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const servers = setting.places.map((place) =>
        placed(nginx, setting, place)
          .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
          .replace('server_name wiki.example.com', `server_name ${place.name}`)
          .replaceAll('wiki.example.com', `${place.name}:${port}`)
          .replaceAll(/^ *ssl_.*\n/gm, ''),
      )
      // One process, so that no child outlives the one that the test ends.
      return `daemon off; master_process off; pid ${folder}/pid; events {} http { access_log off; ${temp.join(' ')}\n${servers.join('\n')} }\n`
    },
  },
  Caddy: caddyAt('caddy'),
  HAProxy: {
    command: 'haproxy',
    args: (file) => ['-db', '-f', file],
    // One frontend, as it has one address: each further application is a line and a backend.
    configure: (setting) => {
      const { port, folder, places } = setting
      const [first = { name: '', address: '' }, ...others] = places
      const useOf = ({ name }: Place, index: number) =>
        `  use_backend other-${index} if { req.hdr(host) -i ${name}:${port} }\n`
      const backendOf = ({ address }: Place, index: number) =>
        `\nbackend other-${index}\n  server other ${address}\n`
      return (
        placed(haproxy, setting, first)
          .replaceAll('/etc/haproxy', folder)
          .replace(':443 ssl crt /certificates/wiki.example.com.pem', `127.0.0.1:${port}`)
          .replaceAll('wiki.example.com', `${first.name}:${port}`)
          .replace('\nbackend redmint', `${others.map(useOf).join('')}\nbackend redmint`) +
        others.map(backendOf).join('')
      )
    },
    script: ['redmint.lua', lua],
  },
}

/** What an application got: its name, the request and all header lines. */
export interface Got {
  readonly app: string
  readonly method: string
  readonly url: string
  readonly lines: readonly (readonly [name: string, value: string])[]
}

/** An application that answers with what it got. Returns where it listens. */
export async function startApplication(t: Test, app: string): Promise<string> {
  const server = createServer((request, response) => {
    const { rawHeaders, method = '', url = '' } = request
    const lines = rawHeaders.flatMap((name, i) =>
      i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : [],
    )
    const got: Got = { app, method, url, lines }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(got))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** The values of a variable of CGI (RFC 3875 §4.1.18): of all names that become it, if all but letters and digits are `_`. */
export function variable({ lines }: Got, name: string): string[] {
  const of = (header: string) => `HTTP_${header.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
  return lines.filter(([header]) => of(header) === name).map(([, value]) => value)
}

/** Starts a proxy at a port of loopback. @throws Error with its log if it ends */
export async function startProxy(
  t: Test,
  { command, args, configure, script }: FrontProxy,
  setting: Omit<Setting, 'folder'>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-proxy-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'proxy.conf')
  const configuration = configure({ ...setting, folder })
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
    return !(await isRefused(setting.port))
  })
}
