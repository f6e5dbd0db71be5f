// Clients of Maven Central, unpatched, with the settings that `client add --for` prints.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { setStage } from '../support/browser/stage.ts'
import { BILLING } from '../support/exchange.ts'
import { startActing } from './acting.ts'
import { connect, tokenOf } from './connected.ts'
import { compile, startSpring } from './java.ts'
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
