// nginx with oauth2-proxy, unpatched, signs alice in with the settings that `client add --for` prints.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { freePort } from '../support/process.ts'
import { until } from '../support/until.ts'
import { commandOf, connect, HERE } from './connected.ts'
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
    // So that a user who is disabled leaves soon.
    '"1h"': '"5s"',
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
    response.end(
      JSON.stringify({
        url: request.url,
        user: request.headers['x-user'],
        email: request.headers['x-email'],
      }),
    ),
  )
  await new Promise<void>((resolve) => server.listen(site, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const oauth2Proxy = join(HERE, 'node_modules/.go/oauth2-proxy')
  await app.start(oauth2Proxy, ['--config', 'oauth2-proxy.cfg'], {}, proxy)
  await app.start('nginx', ['-p', app.folder, '-c', 'nginx.conf'])

  const refused = await stage.welcome()
  await refused.page.goto(app.origin)
  await refused.signIn()
  await refused.sees(`Allow ${app.client_id} to access your account?`)
  await refused.press('deny')
  await refused.page.waitForURL((url) => url.origin === app.origin)
  t.match(await refused.page.textContent('body'), 'Forbidden')

  const person = await stage.welcome()
  const alice = { user: 'sub-of-alice', email: 'alice@example.com' }
  await person.page.goto(`${app.origin}/orders?page=2`)
  t.same(await signInAt(person, app), { url: '/orders?page=2', ...alice })
  // The sign-out ends both sessions.
  await person.page.goto(`${app.origin}/sign-out`)
  await person.press('logout')
  await person.page.waitForURL((url) => url.origin === stage.issuer && url.pathname !== '/oauth2/logout')
  await person.sees('Sign in')
  await person.signIn()
  await person.page.waitForURL((url) => url.origin === app.origin)

  await commandOf(t, stage)(['user', 'disable', 'alice'])
  await until('alice is out', async () => {
    await person.page.goto(app.origin)
    return person.page.url().startsWith(stage.issuer)
  })
  await person.sees('Sign in')
})
