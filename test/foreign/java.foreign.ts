// Clients of Maven Central, unpatched, with the settings that `client add --for` prints.
import { readdir, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { visit } from '../support/server.ts'
import { type Connected, connect, HERE, tokenOf } from './connected.ts'
import { signInAt } from './sign-in.ts'

t.setTimeout(600_000)
const stage = await setStage(t)
const ALICE = { name: 'Alice Example', email: 'alice@example.com' }
const MACHINE = ['--scope', 'api.read']
const JWT = [...MACHINE, '--access-token-format', 'jwt']

for (const boot of ['boot3', 'boot4']) {
  t.test(`Spring Boot with oauth2Login: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring')
    await startSpring(app, boot, 'Login')
    const person = await stage.welcome()
    t.match(await signInAt(person, app, '/'), ALICE)
    await person.page.goto(`${app.origin}/logout`)
    await person.page.click('button')
    await person.sees('Sign in')
  })

  t.test(`a resource server of Spring Boot that introspects: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring-api')
    await rm(join(app.folder, 'JwtConfiguration.java'))
    await startSpring(app, boot, 'Api')
    t.equal((await call(app, 'no token')).status, 401)
    for (const flags of [MACHINE, JWT]) {
      const program = await connect(t, stage, 'machine', flags)
      const token = await tokenOf(stage.issuer, program)
      t.match((await call(app, token)).json, callOf(program))
      await revoke(program, token)
      t.equal((await call(app, token)).status, 401, 'a revoked token')
    }
  })

  t.test(`a resource server of Spring Boot that verifies JWTs by the key set: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring-api')
    await rm(join(app.folder, 'src/main/resources/application.yml'))
    await startSpring(app, boot, 'Api')
    const [es256, rs256, opaque] = [
      await connect(t, stage, 'machine', JWT),
      await connect(t, stage, 'machine', [...JWT, '--access-token-signed-response-alg', 'RS256']),
      await connect(t, stage, 'machine', MACHINE),
    ]
    for (const program of [es256, rs256]) {
      t.match((await call(app, await tokenOf(stage.issuer, program))).json, callOf(program))
    }
    t.equal((await call(app, await tokenOf(stage.issuer, opaque))).status, 401)
  })
}

t.test('the OAuth 2.0 SDK of Nimbus', async (t) => {
  const app = await connect(t, stage, 'go')
  await app.copy('java/nimbus/SignIn.java', 'SignIn.java')
  const java = await compile(app, 'nimbus', ['SignIn.java'])
  await app.start('sh', ['-c', `set -a; . ./.env; exec java ${java.join(' ')} app.SignIn`])
  t.match(await signInAt(await stage.welcome(), app, '/'), { ...ALICE, refreshed: true })
})

t.test('Nimbus verifies a JWT of a program', async (t) => {
  const app = await connect(t, stage, 'machine', JWT)
  await app.copy('java/nimbus/Verify.java', 'Verify.java')
  const java = await compile(app, 'nimbus', ['Verify.java'])
  const args = ['app.Verify', stage.issuer, await tokenOf(stage.issuer, app)]
  t.equal(await app.run('java', [...java, ...args]), `${app.client_id}\n`)
})

/** Starts a host with the printed files: those of Java are in its package. */
async function startSpring(app: Connected, boot: string, host: string): Promise<void> {
  const printed = (await readdir(app.folder)).filter((name) => name.endsWith('.java'))
  for (const name of printed) await app.prepend('java/package.txt', name)
  await app.copy(`java/${host}.java`, `${host}.java`)
  const java = await compile(app, boot, [...printed, `${host}.java`])
  await app.start('java', [...java, `app.${host}`], { SERVER_PORT: String(app.port) })
}

/** Compiles files with the libraries of a project, and returns the arguments of java. */
async function compile(app: Connected, project: string, files: readonly string[]): Promise<string[]> {
  const libraries = join(HERE, 'node_modules/.java', project)
  const jars = (await readdir(libraries)).map((name) => join(libraries, name))
  const path = ['classes', 'src/main/resources', ...jars].join(delimiter)
  await app.run('javac', ['-parameters', '-d', 'classes', '-cp', path, ...files])
  return ['-cp', path]
}

const call = ({ origin }: Connected, token: string) =>
  visit(origin).get('/', { authorization: `Bearer ${token}` })

/** What the API shows of a call of a program. */
const callOf = ({ client_id }: Connected) => ({ client_id, scopes: ['SCOPE_api.read'] })

async function revoke({ client_id, client_secret }: Connected, token: string): Promise<void> {
  const body = new URLSearchParams({ token, client_id, client_secret })
  await fetch(`${stage.issuer}/oauth2/revoke`, { method: 'POST', body })
}
