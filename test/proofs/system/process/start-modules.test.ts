// What a start loads is most of its time. These are counts, which are the same on every machine.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { PATHS } from '../../../../src/core/paths.ts'
import { temporaryFolder } from '../../../support/build.ts'
import { moduleArgs, ROOT, run, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

const PRELOAD = join(ROOT, 'test/support/loaded-modules.mjs')
/** The arguments of node that run a source, with the loader of TypeScript first where there is one. */
function preloading(source: string): string[] {
  const [first = '', path = ''] = moduleArgs(source)
  return [first, '--import', PRELOAD, path]
}

const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//

/** Packages of which the build makes a part of its bundles: package.test.ts holds that. */
const BUNDLED = ['@opentelemetry/api', '@sinclair/typebox', 'bintrees', 'prom-client', 'tdigest']

/** Packages for what a server in production does rarely or never. */
const UNUSED = [
  '@fastify/rate-limit',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  '@node-rs/argon2',
  '@simplewebauthn/server',
  'ajv',
  'commander',
  'mime-db',
  'pino-pretty',
  'yaml',
]

/** What is off unless a setting turns it on. */
const TURNED_OFF = /\/(src\/(admin|signals|signals-received)\/|routes\/(admin|signals|global-revocation))/

t.test('a start in production loads no module that only other uses need', async (t) => {
  const redis = await startRedis(t)
  const LOADED_MODULES = join(await temporaryFolder(t, 'modules'), 'loaded')
  const environment = {
    NODE_ENV: 'production',
    ISSUER: 'https://auth.example.com',
    REDIS_URL: redis.url,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const first = await startServer(t, environment)
  const keySet = async () =>
    (await (await fetch(new URL(PATHS.jwks, first.address))).json()) as { keys?: object[] }
  // A current one and a next one.
  await until('all keys are made', async () => (await keySet()).keys?.length === 2 * SIGNING_ALGS.length)
  await first.stop()
  const args = preloading('server.ts')
  const server = await startServer(t, { ...environment, LOADED_MODULES }, { args, cwd: ROOT })
  t.same(await server.stop(), { code: 0, signal: null })

  const loaded = new Set((await readFile(LOADED_MODULES, 'utf8')).trim().split('\n'))
  const files = [...loaded].filter((url) => url.startsWith('file:'))
  const packages = files
    .flatMap((url) => PACKAGE.exec(url)?.[1] ?? [])
    .filter((name) => !BUNDLED.includes(name))
  t.ok(packages.includes('fastify') && packages.includes('ioredis'), 'the list is complete')
  t.same(
    UNUSED.filter((name) => packages.includes(name)),
    [],
  )
  const own = files.filter((url) => !PACKAGE.test(url))
  // A little above what a start needs: another module is fine, another package with many is not.
  t.ok(packages.length <= 285, `${packages.length} modules of packages`)
  t.ok(own.length <= 775, `${own.length} modules of redmint`)
  const turned_off = own.filter((url) => TURNED_OFF.test(url))
  t.same(turned_off, [], 'what is turned off is not loaded')
})

t.test('the first page of metrics has those of the process, with their values', async (t) => {
  const server = await startServer(t)
  const page = await (await fetch(new URL('/actuator/prometheus', server.address))).text()
  t.match(page, /^process_cpu_seconds_total \d/m)
  t.match(page, /^nodejs_eventloop_lag_mean_seconds 0\.\d/m)
  t.notMatch(page, / NaN$/m)
})

t.test('the command loads the YAML library only to read a file of apply', async (t) => {
  const redis = await startRedis(t)
  const folder = await temporaryFolder(t, 'modules')
  await writeFile(join(folder, 'redmint.yaml'), 'label: a\nclients: []\n')
  const loadsYaml = async (...command: string[]) => {
    const LOADED_MODULES = join(folder, command.join('-').replaceAll('/', '-'))
    const args = [...preloading('cli.ts'), ...command]
    const environment = { REDIS_URL: redis.url, LOADED_MODULES }
    t.match(await run(t, process.execPath, args, environment, ROOT).ended, { code: 0 })
    return (await readFile(LOADED_MODULES, 'utf8')).includes('/node_modules/yaml/')
  }
  t.equal(await loadsYaml('client', 'list'), false)
  t.equal(await loadsYaml('apply', join(folder, 'redmint.yaml')), true)
})

t.test('an API that imports redmint/resource-server loads no part of the server', async (t) => {
  const folder = await temporaryFolder(t, 'modules')
  const LOADED_MODULES = join(folder, 'loaded')
  const args = preloading('exports/resource-server.ts')
  t.match(await run(t, process.execPath, args, { LOADED_MODULES }, folder).ended, { code: 0 })
  const loaded = (await readFile(LOADED_MODULES, 'utf8')).trim().split('\n')
  const packages = loaded.flatMap((url) => PACKAGE.exec(url)?.[1] ?? [])
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const used = Object.keys(dependencies).filter((name) => packages.includes(name))
  t.same(used.sort(), ['@sinclair/typebox', 'fastify-plugin', 'lru-cache'])
  const rooms = loaded.flatMap(
    (url) => /\/src\/([^/]+)\//.exec(url.replace(new URL(ROOT, 'file:').href, '/'))?.[1] ?? [],
  )
  t.same([...new Set(rooms)].sort(), [
    'core',
    'details',
    'dpop',
    'keys',
    'outbound',
    'resource-server',
    'tokens',
  ])
})

t.test(
  'a server for development in memory loads no driver of Redis, nor what only checks need',
  async (t) => {
    const LOADED_MODULES = join(await temporaryFolder(t, 'modules'), 'loaded')
    const args = [...preloading('cli.ts'), 'dev', '--port', '0', '--json']
    const dev = run(t, process.execPath, args, { LOADED_MODULES }, ROOT)
    t.ok(await dev.prints(/^\{"issuer":/), dev.stderr)
    dev.stop()
    await dev.ended
    const loaded = (await readFile(LOADED_MODULES, 'utf8')).trim().split('\n')
    const packages = new Set(loaded.flatMap((url) => PACKAGE.exec(url)?.[1] ?? []))
    t.ok(packages.has('fastify'), 'the list is complete')
    const unused = [
      'ioredis',
      'openid-client',
      '@simplewebauthn/server',
      'nodemailer',
      'yaml',
      'ldapts',
      'bcryptjs',
    ]
    t.same(
      unused.filter((name) => packages.has(name)),
      [],
    )
    t.same(
      loaded.filter((url) => /\/dev\/check-(client|api)\//.test(url)),
      [],
    )
  },
)
