// Measures a server for development, beside oauth2-mock-server: `npm --prefix bench run dev`, with `-- --page` into the page.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { residentOf } from './accounts.ts'
import { build, installPackages } from './machine.ts'
import { writeMarked } from './markers.ts'
import { quantile } from './statistics.ts'

const TIMES = 9
const RESETS = 200
const MANY = 100
const MB = 1e6
const median = (values: readonly number[]) => quantile(values, 0.5)

interface Started {
  readonly ms: number
  readonly mb: number
}

/** A process that prints the address of its issuer, or a line of JSON with it, once it serves. */
async function startOnce(args: readonly string[]): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(child.stdout, 'data')
    const issuer = String(line).startsWith('{') ? JSON.parse(String(line)).issuer : String(line).trim()
    const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
    const { jwks_uri } = metadata as { readonly jwks_uri: string }
    await (await fetch(jwks_uri)).json()
    const ms = performance.now() - began
    return { ms, mb: residentOf(child.pid ?? 0) ?? 0 }
  } finally {
    child.kill()
    await once(child, 'close')
  }
}

async function starts(args: readonly string[]): Promise<Started> {
  const all: Started[] = []
  for (let count = 0; count < TIMES; count++) all.push(await startOnce(args))
  return { ms: median(all.map(({ ms }) => ms)), mb: median(all.map(({ mb }) => mb)) }
}

async function inProcess() {
  const { startRedmint } = await import(new URL('../dist/testing.js', import.meta.url).href)
  const first = await startRedmint()
  const resets: number[] = []
  for (let count = 0; count < RESETS; count++) {
    const began = performance.now()
    await first.reset()
    resets.push(performance.now() - began)
  }
  const before = process.memoryUsage().rss
  const began = performance.now()
  const many = []
  for (let count = 0; count < MANY; count++) many.push(await startRedmint())
  const each = (performance.now() - began) / MANY
  const mb_each = (process.memoryUsage().rss - before) / MB / MANY
  await Promise.all([first, ...many].map((one) => one.close()))
  return { reset: median(resets), each, mb_each }
}

function mockArgs(): string[] {
  const found = createRequire(new URL('package.json', import.meta.url)).resolve('oauth2-mock-server')
  const script = `import { OAuth2Server } from ${JSON.stringify(pathToFileURL(found).href)}
const server = new OAuth2Server()
await server.issuer.keys.generate('RS256')
await server.start(0, 'localhost')
console.log(server.issuer.url)`
  return ['--input-type=module', '--eval', script]
}

installPackages()
build()
// As bin/redmint.js starts it, which in a clone runs the sources.
const flags = `import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--semi-space-growth-factor=1')`
const dev = await starts([
  `--import=data:text/javascript,${flags}`,
  'dist/cli.js',
  'dev',
  '--port',
  '0',
  '--json',
])
const mock = await starts(mockArgs())
const { reset, each, mb_each } = await inProcess()
const whole = (value: number) => String(Math.round(value))
const one = (value: number) => value.toFixed(1)
const table = `| medians | redmint dev | oauth2-mock-server |
|---|--:|--:|
| a process until its key set answers, ms | ${whole(dev.ms)} | ${whole(mock.ms)} |
| memory of that process, MB | ${whole(dev.mb)} | ${whole(mock.mb)} |
| one more server in a process, ms | ${whole(each)} | – |
| memory of each of ${MANY} servers in one process, MB | ${one(mb_each)} | – |
| \`reset()\`, ms | ${one(reset)} | – |`
console.log(table)
if (process.argv.includes('--page'))
  writeMarked(new URL('../docs/performance.md', import.meta.url), { dev: table })
