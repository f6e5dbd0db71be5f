// Clients of PyPI, unpatched, sign alice in with the settings that `client add --for` prints.
import { join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { connect, HERE, tokenOf } from './connected.ts'
import { signInAt } from './sign-in.ts'

t.setTimeout(300_000)
const stage = await setStage(t)
const PROGRAMS = join(HERE, 'node_modules/.venv/bin')
const ALICE = { name: 'Alice Example', email: 'alice@example.com' }

t.test('Authlib in Flask', async (t) => {
  const app = await connect(t, stage, 'flask')
  await app.start(join(PROGRAMS, 'flask'), ['run', '--port', String(app.port)])
  t.match(await signInAt(await stage.welcome(), app, '/'), ALICE)
})

t.test('Authlib in FastAPI', async (t) => {
  const app = await connect(t, stage, 'fastapi')
  const args = ['--env-file', '.env', 'app:app', '--port', String(app.port)]
  await app.start(join(PROGRAMS, 'uvicorn'), args)
  t.match(await signInAt(await stage.welcome(), app, '/'), ALICE)
})

t.test('mozilla-django-oidc', async (t) => {
  const app = await connect(t, stage, 'django')
  await app.prepend('django/base.py', 'settings.py')
  await app.prepend('django/routes.py', 'urls.py')
  const environment = {
    DJANGO_SETTINGS_MODULE: 'settings',
    PYTHONPATH: app.folder,
    SECRET_KEY: app.client_id,
  }
  const django = join(PROGRAMS, 'django-admin')
  await app.run(django, ['migrate'], environment)
  await app.start(django, ['runserver', '--noreload', String(app.port)], environment)
  t.match(await signInAt(await stage.welcome(), app, '/'), { email: ALICE.email })
})

t.test('PyJWT verifies a JWT of a program', async (t) => {
  const app = await connect(t, stage, 'machine', ['--access-token-format', 'jwt', '--scope', 'api.read'])
  await app.copy('verify.py')
  const args = ['verify.py', stage.issuer, await tokenOf(stage.issuer, app)]
  t.equal(await app.run(join(PROGRAMS, 'python'), args), `${app.client_id}\n`)
})
