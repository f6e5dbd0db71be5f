// Clients of Maven Central, unpatched, with the settings that `client add --for` prints.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { BILLING } from '../support/exchange.ts'
import { startActing } from './acting.ts'
import { type Connected, connect, HERE, tokenOf } from './connected.ts'
import { signInAt } from './sign-in.ts'
import { callApi, walk } from './stranger.ts'

const stage = await setStage(t)
const ALICE = { name: 'Alice Example', email: 'alice@example.com' }
const MACHINE = ['--scope', 'api.read']
const JWT = [...MACHINE, '--access-token-format', 'jwt']

for (const boot of ['boot3', 'boot4']) {
  t.test(`Spring Boot with oauth2Login: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring', [], 'localhost')
    await startSpring(app, boot, 'webapp')
    await walk(t, stage, app)
  })

  t.test(`Spring Security exchanges a token to act for its user: ${boot}`, async (t) => {
    const { app, token, isGood } = await startActing(t, stage)
    await app.copy('java/ActingHost.java', 'src/main/java/com/example/orders/ActingHost.java')
    await startSpring(app, boot, 'orders')
    const asked = new URLSearchParams({ token, resource: BILLING })
    await isGood(await (await fetch(`${app.origin}/acting?${asked}`)).text())
  })

  t.test(`a resource server of Spring Boot that introspects: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring-api', [], 'localhost')
    await rm(join(app.folder, 'src/main/java/com/example/orders/JwtApiSecurity.java'))
    await startSpring(app, boot, 'orders')
    await callApi(t, stage, app)
  })

  t.test(`a resource server of Spring Boot that verifies JWTs by the key set: ${boot}`, async (t) => {
    const app = await connect(t, stage, 'spring-api', [], 'localhost')
    await rm(join(app.folder, 'src/main/java/com/example/orders/ApiSecurity.java'))
    await rm(join(app.folder, 'src/main/resources/application.yml'))
    await startSpring(app, boot, 'orders')
    await callApi(t, stage, app, 'by the key set')
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

/** Starts what start.spring.io makes beside the printed files: an application in their package. */
async function startSpring(app: Connected, boot: string, name: string): Promise<void> {
  const source = `src/main/java/com/example/${name}`
  const main = await readFile(join(HERE, 'hosts/java/Application.java'), 'utf8')
  await writeFile(
    join(app.folder, source, 'Application.java'),
    main.replace('com.example', `com.example.${name}`),
  )
  const files = (await readdir(join(app.folder, source))).map((file) => join(source, file))
  const java = await compile(app, boot, files)
  await app.start('java', [...java, `com.example.${name}.Application`], { SERVER_PORT: String(app.port) })
}

/** Compiles files with the libraries of a project, and returns the arguments of java. */
async function compile(app: Connected, project: string, files: readonly string[]): Promise<string[]> {
  const libraries = join(HERE, 'node_modules/.java', project)
  const jars = (await readdir(libraries)).map((name) => join(libraries, name))
  const path = ['classes', 'src/main/resources', ...jars].join(delimiter)
  await app.run('javac', ['-parameters', '-d', 'classes', '-cp', path, ...files])
  return ['-cp', path]
}
