// Clients of the Go module proxy, unpatched, sign alice in with the settings that `client add --for` prints.
import t from 'tap'
import { run } from '../../support/process.ts'
import { setStage } from '../browser/stage.ts'
import { connect } from './connected.ts'
import { signInAt } from './sign-in.ts'

t.setTimeout(300_000)
const stage = await setStage(t)

t.test('x/oauth2 and go-oidc', async (t) => {
  const app = await connect(t, stage, 'go')
  await app.copy('go', '.')
  await app.run('go', ['build', '-o', 'app', '.'], { HOME: process.env.HOME ?? '' })
  await app.start('sh', ['-c', 'set -a; . ./.env; exec ./app'], { ADDRESS: `127.0.0.1:${app.port}` })
  const claims = await signInAt(await stage.welcome(), app, '/')
  t.match(claims, { name: 'Alice Example', email: 'alice@example.com', refreshed: true })
})

t.test('x/oauth2 on a device without a browser', async (t) => {
  const app = await connect(t, stage, 'device')
  await app.copy('go', '.')
  await app.run('go', ['build', '-o', 'app', './device'], { HOME: process.env.HOME ?? '' })
  const device = run(t, 'sh', ['-c', 'set -a; . ./.env; exec ./app'], {}, app.folder)
  t.ok(await device.prints(/user_code=\S+\n/), device.stderr)
  const alice = await stage.welcome()
  await alice.page.goto(/^http\S+/.exec(device.stdout)?.[0] ?? '')
  await alice.signIn()
  await alice.sees(`Connect ${app.client_id}?`)
  await alice.press('allow')
  await alice.sees('The device is connected')
  t.match(await device.ended, { code: 0 }, device.stderr)
  const claims = JSON.parse(device.stdout.trim().split('\n').pop() ?? '')
  t.match(claims, { sub: 'sub-of-alice', aud: app.client_id, refreshed: true })
})
