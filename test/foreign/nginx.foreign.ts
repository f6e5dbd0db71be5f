// nginx with oauth2-proxy, unpatched, signs alice in with the settings that `client add --for` prints.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { freePort } from '../support/process.ts'
import { connect, HERE } from './connected.ts'
import { signInAt } from './sign-in.ts'

const stage = await setStage(t)

t.test('nginx with oauth2-proxy', async (t) => {
  const app = await connect(t, stage, 'nginx')
  const [proxy, site] = [await freePort(), await freePort()]
  await rename(join(app.folder, 'a server of nginx'), join(app.folder, 'locations.conf'))
  await app.copy('nginx/nginx.conf', 'nginx.conf')
  // The ports are those of this machine: the printed ones may be taken.
  const ports = {
    $PORT: app.port,
    '127.0.0.1:4180': `127.0.0.1:${proxy}`,
    '127.0.0.1:8080': `127.0.0.1:${site}`,
  }
  for (const name of ['nginx.conf', 'locations.conf', 'oauth2-proxy.cfg']) {
    const file = join(app.folder, name)
    let text = await readFile(file, 'utf8')
    for (const [from, to] of Object.entries(ports)) text = text.replaceAll(from, String(to))
    await writeFile(file, text)
  }
  const server = createServer((request, response) =>
    response.end(JSON.stringify({ url: request.url, email: request.headers['x-email'] })),
  )
  await new Promise<void>((resolve) => server.listen(site, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const oauth2Proxy = join(HERE, 'node_modules/.go/oauth2-proxy')
  await app.start(oauth2Proxy, ['--config', 'oauth2-proxy.cfg'], {}, proxy)
  await app.start('nginx', ['-p', app.folder, '-c', 'nginx.conf'])

  const person = await stage.welcome()
  await person.page.goto(`${app.origin}/orders?page=2`)
  t.same(await signInAt(person, app), { url: '/orders?page=2', email: 'alice@example.com' })
})
