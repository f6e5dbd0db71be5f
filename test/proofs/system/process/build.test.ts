import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { buildCopy, temporaryFolder } from '../../../support/build.ts'
import { ROOT, run, TYPESCRIPT } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'

// Without a semicolon it is an example in a text.
const IMPORT = /\b(?:from |import |import\()["']((?:@[\w-]+\/)?\w[\w.-]*)[^"']*["'][;)]/g
const BUNDLED = /\/node_modules\/(?:@opentelemetry|@sinclair|bintrees|prom-client|tdigest)\//
const PRELOAD = join(ROOT, 'test/support/loaded-modules.mjs')

t.test('the output of `npm run build`', async (t) => {
  const cwd = await buildCopy(t)

  t.test('the server starts', async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const LOADED_MODULES = join(await temporaryFolder(t, 'modules'), 'loaded')
    const environment = {
      NODE_ENV: 'production',
      ISSUER: 'https://auth.example.com',
      REDIS_URL: redis.url,
      LOADED_MODULES,
    }
    const args = [TYPESCRIPT, '--import', PRELOAD, 'dist/server.js']
    const server = await startReady(t, environment, { args, cwd })

    const { token, api } = visit(server.address)
    const { json } = await token({ grant_type: 'client_credentials' }, basic('service'))
    t.match((await api(String(json.access_token))).json, { subject: '' })
    t.same(await server.stop(), { code: 0, signal: null })

    const loaded = (await readFile(LOADED_MODULES, 'utf8')).trim().split('\n')
    const own = new Set(loaded.filter((url) => url.startsWith(pathToFileURL(join(cwd, 'dist')).href)))
    const bundled = loaded.filter((url) => BUNDLED.test(url))
    t.same(bundled, [], 'packages of many files are in the bundles')
    t.ok(own.size <= 300, `${own.size} files of redmint instead of one for each module`)
  })

  t.test('the command runs', async (t) => {
    const command = run(t, join(cwd, 'dist/cli.js'), ['--help'], {}, cwd)
    t.match(await command.ended, { code: 0 }, command.stderr)
    t.match(command.stdout, /client/)
  })

  t.test('the plugin can be imported by the name of the package', async (t) => {
    const script = "import redmint from 'redmint'; console.log(typeof redmint)"
    const importing = run(t, process.execPath, ['--input-type=module', '-e', script], {}, cwd)
    t.match(await importing.ended, { code: 0 }, importing.stderr)
    t.equal(importing.stdout, 'function\n')
  })

  t.test('the output needs no development dependency', async (t) => {
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'))
    const installed = { ...dependencies, ...peerDependencies }
    const names = await readdir(join(cwd, 'dist'), { recursive: true })
    const files = names.filter((name) => name.endsWith('.js'))
    t.ok(files.length > 50)
    for (const file of files) {
      const text = await readFile(join(cwd, 'dist', file), 'utf8')
      for (const [, name = ''] of text.matchAll(IMPORT)) {
        t.ok(name === 'node' || name in installed, `${file}: ${name}`)
      }
    }
  })
})
