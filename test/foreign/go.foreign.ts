// Clients of the Go module proxy, unpatched, sign alice in with the settings that `client add --for` prints.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { newFamilyId, newToken } from '../../src/core/token-string.ts'
import { TOKEN_TYPE } from '../../src/core/token-types.ts'
import { s256Challenge } from '../../src/tokens/pkce.ts'
import { setStage } from '../support/browser/stage.ts'
import { BILLING, ORDERS, storeChain } from '../support/exchange.ts'
import { run } from '../support/process.ts'
import { createClient, saveCode } from '../support/records.ts'
import { redisStorage } from '../support/redis-storage.ts'
import { visit } from '../support/server.ts'
import { basic, CLIENTS, codeRequest, REDIRECT_URI, SECRET, VERIFIER } from '../support/service.ts'
import { startActing } from './acting.ts'
import { connect } from './connected.ts'
import { signInAt } from './sign-in.ts'
import { callApi, make, walk } from './stranger.ts'

// So that a user who is disabled leaves soon.
const stage = await setStage(t, { access_token_ttl: 15 })

t.test('a program of x/oauth2 and go-oidc', async (t) => {
  const app = await make(t, stage, 'go')
  await app.serve()
  await walk(t, stage, app)
})

t.test('an API of the standard library', async (t) => {
  const app = await make(t, stage, 'go-api')
  await app.serve()
  await callApi(t, stage, app)
})

t.test('x/oauth2 and go-oidc', async (t) => {
  const app = await connect(t, stage, 'go')
  await app.copy('go', '.')
  await app.run('go', ['build', '-o', 'app', '.'], { HOME: process.env.HOME ?? '' })
  await app.start('sh', ['-c', 'set -a; . ./.env; exec ./app'], { ADDRESS: `127.0.0.1:${app.port}` })
  const claims = await signInAt(await stage.welcome(), app, '/')
  t.match(claims, { name: 'Alice Example', email: 'alice@example.com', refreshed: true, refused: 0 })
})

// The library cannot know that the client has no secret, and sends an empty one by Basic.
t.test('x/oauth2 as a public client', async (t) => {
  const app = await connect(t, stage, 'go')
  const client_id = 'go-public'
  await stage.register({
    client_id,
    client_name: client_id,
    is_public: true,
    disabled: false,
    redirect_uris: [`${app.origin}/callback`],
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access'],
    grant_types: ['authorization_code', 'refresh_token'],
  })
  await app.copy('go', '.')
  await app.run('go', ['build', '-o', 'app', '.'], { HOME: process.env.HOME ?? '' })
  const command = `set -a; . ./.env; CLIENT_ID=${client_id} CLIENT_SECRET= exec ./app`
  await app.start('sh', ['-c', command], { ADDRESS: `127.0.0.1:${app.port}` })
  const claims = await signInAt(await stage.welcome(), { ...app, client_id }, '/')
  t.match(claims, { sub: 'sub-of-alice', aud: client_id, refreshed: true, refused: 0 })
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

t.test('an API of the standard library acts for its user', async (t) => {
  const { app, token, isGood } = await startActing(t, stage)
  await app.copy('go/acting/main.go', 'main.go')
  await writeFile(join(app.folder, 'go.mod'), 'module orders\n\ngo 1.21\n')
  await app.run('go', ['build', '-o', 'app', '.'], { HOME: process.env.HOME ?? '' })
  const asked = { TOKEN: token, OTHER_API: BILLING }
  await isGood((await app.run('sh', ['-c', 'set -a; . ./.env; exec ./app'], asked)).trim())
})

t.test('x/oauth2 exchanges a token to act for its user', async (t) => {
  const app = await connect(t, stage, 'go')
  await app.copy('go', '.')
  await app.run('go', ['build', '-o', 'app', './exchange'], { HOME: process.env.HOME ?? '' })
  const storage = redisStorage(t, stage.redis)
  await storeChain(storage)
  const shop = { ...CLIENTS.web, client_id: 'shop', allowed_scopes: ['api.read'] }
  await createClient(storage, 'shop', formatClient(shop))
  const code = newToken(newFamilyId())
  await saveCode(
    storage,
    code,
    {
      ...{ client_id: 'shop', resource: ORDERS, scope: 'api.read', redirect_uri: REDIRECT_URI },
      ...{ subject: 'sub-of-alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 },
      code_challenge: s256Challenge(VERIFIER),
    },
    60,
  )
  const { json } = await visit(stage.issuer).token({ ...codeRequest(code), client_id: 'shop' }, basic('shop'))
  const printed = await app.run('./app', [], {
    ...{ CLIENT_ID: 'orders', CLIENT_SECRET: SECRET, TOKEN_URL: `${stage.issuer}/oauth2/token` },
    ...{ SUBJECT_TOKEN: String(json.access_token), RESOURCE: BILLING },
  })
  const got = JSON.parse(printed)
  t.match(got, { issued_token_type: TOKEN_TYPE.access_token, scope: 'api.read' })
  const seen = await fetch(`${stage.issuer}/oauth2/introspect`, {
    ...{ method: 'POST', headers: basic('orders'), body: new URLSearchParams({ token: got.access_token }) },
  })
  t.match(await seen.json(), { active: true, sub: 'sub-of-alice', act: { sub: 'orders' } })
})
