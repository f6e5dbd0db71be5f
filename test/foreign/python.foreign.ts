// Clients of PyPI, unpatched, sign alice in with the settings that `client add --for` prints.
import { join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { connect, HERE, tokenOf } from './connected.ts'
import { callApi, make, walk } from './stranger.ts'

const stage = await setStage(t)
const PROGRAMS = join(HERE, 'node_modules/.venv/bin')
const SOON = 12

t.test('Authlib in Flask', async (t) => {
  const edits = [{ file: 'app.py', from: 'CHECK_EVERY = 3600', to: `CHECK_EVERY = ${SOON}` }]
  const app = await make(t, stage, 'flask', { edits })
  await app.serve()
  await walk(t, stage, app)
})

t.test('Authlib in FastAPI', async (t) => {
  const edits = [{ file: 'app.py', from: 'CHECK_EVERY = 3600', to: `CHECK_EVERY = ${SOON}` }]
  const app = await make(t, stage, 'fastapi', { edits })
  await app.serve()
  await walk(t, stage, app)
})

t.test('mozilla-django-oidc', async (t) => {
  const edits = [
    { file: 'web_app/settings.py', from: 'EXPIRY_SECONDS = 900', to: `EXPIRY_SECONDS = ${SOON}` },
  ]
  const app = await make(t, stage, 'django', { edits })
  await app.serve()
  await walk(t, stage, app)
  // Whoever has the address of an administrator without having proved it is not that administrator.
  const admin = "create_superuser('root', 'admin@example.com', 'a password of the test')"
  await app.run(
    `python manage.py shell -c "from django.contrib.auth.models import User; User.objects.${admin}"`,
  )
  await stage.addUser('mallory', { email: 'admin@example.com' })
  const mallory = await stage.welcome()
  await mallory.page.goto(`${app.origin}/oidc/authenticate/`)
  await mallory.signIn('mallory')
  await mallory.press('allow')
  await mallory.page.getByRole('button', { name: 'Sign out' }).waitFor()
  const users = await app.run(
    `python manage.py shell -c "from django.contrib.auth.models import User; print(*((u.username, u.email) for u in User.objects.all()))"`,
  )
  t.match(users, "('redmint:sub-of-mallory', '')")
  t.match(users, "('root', 'admin@example.com')")
})

t.test('an API in FastAPI', async (t) => {
  const app = await make(t, stage, 'fastapi-api')
  await app.serve()
  await callApi(t, stage, app)
})

t.test('an API in Django', async (t) => {
  const app = await make(t, stage, 'django-api')
  await app.serve()
  await callApi(t, stage, app)
})

t.test('PyJWT verifies a JWT of a program', async (t) => {
  const app = await connect(t, stage, 'machine', ['--access-token-format', 'jwt', '--scope', 'api.read'])
  await app.copy('verify.py')
  const args = ['verify.py', stage.issuer, await tokenOf(stage.issuer, app)]
  t.equal(await app.run(join(PROGRAMS, 'python'), args), `${app.client_id}\n`)
})
