// No clone: the package, and the image by the steps of the Dockerfile, each from nothing to its first token, and each through
// docs/production.md to an invited person who signs in.
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../support/build.ts'
import { makeImage } from '../../../support/deploy/image-steps.ts'
import { installTarball, packPackage } from '../../../support/package/install.ts'
import { secretsIn } from '../../../support/package/secrets.ts'
import { ROOT } from '../../../support/process.ts'
import { followProductionPage, type InstalledRedmint, useShop } from '../../../support/production-page.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'

t.setTimeout(1_800_000)

const APP = 'https://shop.example.com'

const follow = (t: Test, installed: InstalledRedmint) =>
  followProductionPage(t, APP, (shop) => useShop(t, APP, shop), installed)

t.test('the package', async (t) => {
  const { tarball } = await packPackage(t)
  const began = performance.now()
  const project = await installTarball(t, tarball)
  t.comment(`installed in ${Math.round(performance.now() - began)} ms`)
  const folder = join(project, 'node_modules/redmint')
  await t.test('docs/production.md', (t) =>
    follow(t, { command: [process.execPath, join(folder, 'bin/redmint.js')], folder }),
  )
})

t.test('the image', async (t) => {
  const { root, folder, environment, command } = await makeImage(t)
  const [program, ...args] = command
  t.equal(program, 'node')

  t.test('it holds no secret, and of the sources nothing', async (t) => {
    const names = await readdir(folder)
    t.strictSame(names.sort(), ['LICENSE', 'bin', 'dist', 'node_modules', 'package.json'])
    for (const name of await readdir(join(folder, 'dist'), { recursive: true }))
      if (name.endsWith('.js'))
        t.strictSame(secretsIn(name, await readFile(join(folder, 'dist', name), 'utf8')), [])
    t.notOk((await readdir(join(folder, 'node_modules'))).includes('tap'), 'no package of development')
  })

  t.test('its command issues a token', async (t) => {
    const redis = await startRedis(t)
    await registerClient(redis, CLIENTS.service)
    const { HOST: _, PORT: __, ...set } = environment
    const given = { ...set, ISSUER: 'https://auth.example.com', REDIS_URL: redis.url }
    const began = performance.now()
    const server = await startReady(t, given, { args, cwd: folder })
    const { json } = await visit(server.address).token({ grant_type: 'client_credentials' }, basic('service'))
    t.comment(`a token ${Math.round(performance.now() - began)} ms after its command`)
    t.match(json, { access_token: String })
    t.same(await server.stop(), { code: 0, signal: null })
  })

  t.test('docs/production.md, with deploy/ beside it', async (t) => {
    const beside = await temporaryFolder(t, 'beside')
    await cp(join(ROOT, 'deploy'), join(beside, 'deploy'), { recursive: true })
    await follow(t, { command: [process.execPath, join(root, 'usr/local/bin/redmint')], folder: beside })
  })
})
