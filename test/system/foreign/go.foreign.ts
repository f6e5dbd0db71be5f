// Clients of the Go module proxy, unpatched, sign alice in with the settings that `client add --for` prints.
import t from 'tap'
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
