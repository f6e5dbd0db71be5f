// The output of `npm run build`, and the package as its users have it: packed, installed into an empty project, and used by
// each of its exports.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { PRESETS } from '../../../../src/admin/connect/presets.ts'
import { NEW_PASSWORD } from '../../../support/accounts.ts'
import { temporaryFolder } from '../../../support/build.ts'
import { signInAtShop } from '../../../support/flows/shop.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { isRefused } from '../../../support/half-sent.ts'
import { blocks, readText } from '../../../support/markdown.ts'
import { ENVIRONMENT, installTarball, packPackage, succeed } from '../../../support/package/install.ts'
import { secretsIn } from '../../../support/package/secrets.ts'
import { paste } from '../../../support/paste.ts'
import { freePort, ROOT, run } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, CLIENTS, SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const PROJECT = fileURLToPath(new URL('../../../support/package/project', import.meta.url))
const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
// Without a semicolon it is an example in a text.
const IMPORT = /\b(from ?|import ?|import\(|require\()["']((?:@[\w-]+\/)?\w[\w.-]*)[^"']*["'][;)]/g
const BUNDLED = /\/node_modules\/(?:@opentelemetry|@sinclair|bintrees|prom-client|tdigest)\//
const PRELOAD = join(ROOT, 'test/support/loaded-modules.mjs')

t.setTimeout(500_000)

/** A project that has installed the tarball, and of this repository only what a developer adds: types. */
async function install(t: Test, tarball: string): Promise<string> {
  const cwd = await installTarball(t, tarball)
  await cp(PROJECT, cwd, { recursive: true })
  const pages = await Promise.all(
    ['docs/embedding.md', 'docs/resource-servers.md', 'docs/sign-in-methods.md'].map(readText),
  )
  const examples = pages.flatMap((page) => blocks(page, 'ts'))
  await Promise.all(examples.map((text, i) => writeFile(join(cwd, `example-${i}.ts`), text)))
  await symlink(join(ROOT, 'node_modules/@types'), join(cwd, 'node_modules/@types'))
  return cwd
}

t.test('what `npm pack` makes', async (t) => {
  const { built, files, tarball } = await packPackage(t)

  t.test('its files', async (t) => {
    for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'])
      t.ok(files.includes(name), name)
    const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
    for (const [name, target] of Object.entries<string | Record<string, string>>(manifest.exports)) {
      const paths = typeof target === 'string' ? [target] : Object.values(target)
      for (const path of paths) t.ok(files.includes(path.replace('./', '')), `${name}: ${path}`)
    }
    const scripts = (await readdir(join(ROOT, 'src'), { recursive: true })).filter((name) =>
      name.endsWith('.lua'),
    )
    t.ok(scripts.length > 10)
    for (const name of scripts) t.ok(files.includes(`dist/src/${name}`), name)
    for (const name of ['users/common-passwords.txt', 'users/hash-thread.js', 'texts/de.json'])
      t.ok(files.includes(`dist/src/${name}`), name)
    const templates = Object.values(PRESETS).flatMap((preset) => preset.files.map(({ template }) => template))
    for (const name of templates) t.ok(files.includes(`dist/src/admin/connect/templates/${name}`), name)
    const ours = files.filter((name) => !name.startsWith('dist/src/admin/connect/templates/'))
    const types = /^dist\/(index|storage|bearer|resource-server|testing|types-[\w-]+)\.d\.ts$/
    t.same(
      ours.filter((name) => /\.ts$|\.map$|\/test\//.test(name) && !types.test(name)),
      [],
      'no sources, no maps, no tests, no types that nobody can import',
    )
    t.ok(files.length <= 1040, `${files.length} files`)
  })

  t.test('nothing of tests, of development or of ours goes to strangers', async (t) => {
    const tops = new Set(files.map((name) => name.replace(/\/.*/, '')))
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']
    t.strictSame([...tops].sort(), [...texts, 'bin', 'deploy', 'dist', 'docs'].sort())
    for (const name of files)
      t.notMatch(name, /(?:^|\/)(?:tests?|fixtures|bench|scripts|examples|dev)\/(?!.*\.lua$)/)
    const found = await Promise.all(
      files.map(async (name) => {
        // The packages of this copy are behind a link.
        const text = (await readFile(join(built, name), 'utf8')).replaceAll(
          /(?:\.\.\/)+\S+?\/node_modules\//g,
          '',
        )
        const of_builder = [ROOT, built].some((place) => text.includes(place))
          ? [`${name}: a folder of ours`]
          : []
        // The examples of that page are of a demonstration that was over before it was published.
        const shown = name === 'README.md' ? text.replaceAll(/"\w+_token":"[^"]+"/g, '') : text
        return [...secretsIn(name, shown), ...of_builder]
      }),
    )
    t.strictSame(found.flat(), [])
  })

  t.test('a secret would be found', async (t) => {
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const [grant, secret] = [randomBytes(12).toString('base64url'), randomBytes(32).toString('base64url')]
    const jwt = [{ alg: 'ES256' }, { sub: 'alice', aud: 'shop' }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    for (const text of [
      String(pem.export({ format: 'pem', type: 'pkcs8' })),
      JSON.stringify(pem.export({ format: 'pem', type: 'sec1' })),
      JSON.stringify(pem.export({ format: 'jwk' })),
      `x=${grant}.${secret}`,
      [...jwt, secret].join('.'),
      `npm_${'a'.repeat(36)}`,
      `const secret = '${SECRET}'`,
    ])
      t.equal(secretsIn('dist/x.js', text).length, 1, text)
    for (const path of ['.env', 'deploy/.env.local', '.npmrc', 'dist/auth.pem', 'dump.rdb'])
      t.equal(secretsIn(path, '').length, 1, path)
    t.strictSame(secretsIn('dist/x.js', "'-----BEGIN PRIVATE KEY-----'"), [])
  })

  t.test('each class is there once, for all exports and the server', async (t) => {
    const names = (await readdir(join(built, 'dist'))).filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(names.map((name) => readFile(join(built, 'dist', name), 'utf8')))
    for (const name of ['ConfigError', 'OAuthError', 'StorageUnavailable', 'MemoryStorage'])
      t.equal(texts.join('\n').split(`var ${name} = class`).length - 1, 1, name)
  })

  t.test('the server starts, of few files', async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const LOADED_MODULES = join(await temporaryFolder(t, 'modules'), 'loaded')
    const environment = {
      NODE_ENV: 'production',
      ISSUER: 'https://auth.example.com',
      REDIS_URL: redis.url,
      LOADED_MODULES,
    }
    const args = ['--import', PRELOAD, 'dist/server.js']
    const server = await startReady(t, environment, { args, cwd: built })

    const { token, api } = visit(server.address)
    const { json } = await token({ grant_type: 'client_credentials' }, basic('service'))
    t.match((await api(String(json.access_token))).json, { subject: '' })
    t.same(await server.stop(), { code: 0, signal: null })

    const loaded = (await readFile(LOADED_MODULES, 'utf8')).trim().split('\n')
    const own = new Set(loaded.filter((url) => url.startsWith(pathToFileURL(join(built, 'dist')).href)))
    const bundled = loaded.filter((url) => BUNDLED.test(url))
    t.same(bundled, [], 'packages of many files are in the bundles')
    t.ok(own.size <= 100, `${own.size} files of redmint instead of one for each module`)
  })

  t.test('the output needs no development dependency', async (t) => {
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
    const installed = { ...dependencies, ...peerDependencies }
    const names = await readdir(join(built, 'dist'), { recursive: true })
    const files = names.filter((name) => name.endsWith('.js'))
    t.ok(files.length > 50)
    const imported = new Set<string>()
    for (const file of files) {
      const text = await readFile(join(built, 'dist', file), 'utf8')
      for (const [, how = '', name = ''] of text.matchAll(IMPORT)) {
        if (name === 'node' || isBuiltin(name)) continue
        t.ok(name in installed, `${file}: ${name}`)
        if (how.startsWith('from')) imported.add(name)
      }
    }
    t.ok(imported.has('lru-cache'), 'the list is complete')
    for (const name of imported) {
      const manifest = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'))
      const is_esm = manifest.type === 'module' || JSON.stringify(manifest.exports).includes('"import"')
      t.ok(is_esm, `${name} is imported, so Node parses its text for its names`)
    }
  })

  const project = await install(t, tarball)

  t.test('the types, and the examples of the docs, in strict mode, for Node and for a bundler', async (t) => {
    for (const mode of [[], ['--module', 'preserve', '--moduleResolution', 'bundler', '--noEmit']]) {
      const compiling = run(t, process.execPath, [TSC, '--pretty', 'false', '-p', '.', ...mode], {}, project)
      await compiling.ended
      t.equal(compiling.stdout, '')
    }
  })

  t.test('`.`, `./storage` and `./bearer` in an application', async (t) => {
    const printed = await succeed(t, project, process.execPath, 'dist/host.js')
    t.same(JSON.parse(printed), {
      expires_in: 300,
      statuses: [200, 403, 401],
      own: {
        client_id: 'demo-service',
        subject: '',
        authorities: ['SCOPE_api.read', 'SCOPE_api.write'],
      },
    })
  })

  t.test('`./resource-server` in an API', async (t) => {
    const printed = await succeed(t, project, process.execPath, 'dist/api.js')
    t.same(JSON.parse(printed), { status: 401, authorization_servers: ['https://auth.example.com'] })
  })

  t.test('three commands from nothing to the first token', async (t) => {
    const port = await freePort()
    const environment = { ...ENVIRONMENT, PORT: String(port) }
    // The first was `npm install redmint`.
    const serving = run(t, 'npx', ['redmint', 'serve'], environment, project)
    t.ok(await serving.prints(/^curl .*client_credentials.*\n/m), serving.stdout + serving.stderr)
    const [command = ''] = /^curl .*client_credentials.*$/m.exec(serving.stdout) ?? []
    const asked = command.replace('curl ', 'curl --retry 60 --retry-all-errors --retry-delay 1 ')
    const shell = await paste(t, asked)
    t.match(JSON.parse(shell.stdout), { access_token: String, token_type: 'Bearer' }, shell.stderr)
    await serving.stop()
  })

  t.test('somebody signs in by the pages, on Redis, and is known afterwards', async (t) => {
    const [redis, port] = [await startRedis(t), await freePort()]
    const issuer = `http://localhost:${port}`
    const environment = { ...ENVIRONMENT, REDIS_URL: redis.url, ISSUER: issuer, PORT: String(port) }
    const commands = [
      `cd '${project}'`,
      `printf %s '${NEW_PASSWORD}' | npx redmint user add eve --email eve@example.com --email-verified --password-stdin`,
      'npx redmint client add shop --for express --origin https://shop.example.com',
    ]
    const added = await paste(t, commands.join('\n'), environment)
    t.match(await added.ended, { code: 0 }, added.stdout + added.stderr)
    const serving = run(t, 'npx', ['redmint', 'serve'], environment, project)
    t.ok(await serving.prints(/Server listening at/), serving.stdout + serving.stderr)
    const metadata = new URL(`${issuer}/.well-known/openid-configuration`)
    await until('the first keys are made', async () => (await fetch(metadata)).ok)
    const eve = { browser: visitorAt(issuer), username: 'eve', password: NEW_PASSWORD }
    for (const asks_password of [true, false])
      t.match(await signInAtShop(issuer, added.stdout, eve), {
        asks_password,
        claims: { email: 'eve@example.com' },
      })
    await serving.stop()
  })

  t.test('`npx redmint serve`', async (t) => {
    const port = await freePort()
    const environment = { ...ENVIRONMENT, PORT: String(port) }
    const serving = run(t, 'npx', ['redmint', 'serve'], environment, project)
    t.ok(await serving.prints(/redmint \d.*\n/), serving.stdout + serving.stderr)
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    t.same(await (await ask('/health')).json(), { status: 'UP' })
    const page = await ask('/docs/')
    t.equal(page.status, 501, 'what only a developer looks at is not installed')
    t.match(await page.text(), 'npm install @fastify/swagger-ui')
    await serving.stop()
    await until('the end of npx has ended the server', () => isRefused(port))
  })

  t.test('the other commands load no Fastify', async (t) => {
    await rm(join(project, 'node_modules/fastify'), { recursive: true })
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    t.equal(await succeed(t, project, 'npx', 'redmint', '--version'), `${version}\n`)
    t.match(
      await succeed(t, project, process.execPath, 'node_modules/redmint/bin/redmint.js', '--help'),
      /client/,
    )
    const serving = run(t, 'npx', ['redmint', 'serve'], ENVIRONMENT, project)
    t.match(await serving.ended, { code: 1 })
    t.match(serving.stderr, /Cannot find module 'fastify'/)
  })
})
