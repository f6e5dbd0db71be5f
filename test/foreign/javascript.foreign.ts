// Clients of npm, unpatched, sign alice in with the settings that `client add --for` prints.

import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { startExample } from '../support/api-example.ts'
import { setStage } from '../support/browser/stage.ts'
import { BILLING } from '../support/exchange.ts'
import { blocks, readText } from '../support/markdown.ts'
import { startListening } from '../support/server.ts'
import { basic, bearer, SECRET } from '../support/service.ts'
import { startActing } from './acting.ts'
import { type Connected, connect, HERE, tokenOf } from './connected.ts'
import { signInAt } from './sign-in.ts'
import { comeBack, make, walk } from './stranger.ts'

// So that a user who is disabled leaves soon.
const stage = await setStage(t, { access_token_ttl: 15 })
const NODE = ['--env-file=.env']

t.test('express-openid-connect', async (t) => {
  const app = await make(t, stage, 'express')
  await app.serve()
  await walk(t, stage, app)
})

t.test('Passport with the strategy of openid-client', async (t) => {
  const app = await connect(t, stage, 'express')
  await app.copy('passport.mjs')
  await app.start(process.execPath, [...NODE, 'passport.mjs'])
  const person = await stage.welcome()
  t.match(await signInAt(person, app, '/'), { name: 'Alice Example', email: 'alice@example.com' })
})

t.test('openid-client exchanges a token to act for its user', async (t) => {
  const { app, token, isGood } = await startActing(t, stage)
  await app.copy('acting.mjs')
  const asked = { TOKEN: token, OTHER_API: BILLING }
  await isGood((await app.run(process.execPath, [...NODE, 'acting.mjs'], asked)).trim())
})

t.test('Auth.js in Next.js', async (t) => {
  const edits = [{ file: 'auth.ts', from: '60 * 60 * 1000', to: '20 * 1000' }]
  const app = await make(t, stage, 'nextjs', { edits })
  const dev = await app.serve()
  await walk(t, stage, app, /different account/)
  // On a server, as its page says.
  dev.stop()
  await dev.ended
  // Here is no web to fetch fonts from.
  const layout = join(app.folder, 'app/layout.tsx')
  const fonts = /import \{ Geist, Geist_Mono \} from "next\/font\/google";?/
  const text = await readFile(layout, 'utf8')
  await writeFile(
    layout,
    text.replace(fonts, 'const Geist = (_: object) => ({ variable: "" }), Geist_Mono = Geist'),
  )
  await app.run('npm run build')
  await app.serve(`npm start -- --port ${app.port}`)
  await comeBack(stage, app)
})

t.test('Better Auth', async (t) => {
  const app = await make(t, stage, 'better-auth', { edits: [{ file: 'app.mjs', from: '3600', to: '12' }] })
  await app.serve()
  await walk(t, stage, app)
})

t.test('an API in Express, as docs/resource-servers.md has it', async (t) => {
  const { issuer, token, storage } = await startListening(t)
  const [page = ''] = blocks(await readText('docs/resource-servers.md'), 'js')
  const example = page.replace('reports.read', 'api.read').replace('reports-api', 'web')
  const { get, address } = await startExample(t, example, {
    issuer,
    secret: SECRET,
    packages: join(HERE, 'node_modules'),
  })
  await storage.records.put({ kind: RESOURCE, id: address, hash: { scopes: 'api.read api.write' } })
  const issue = async (scope: string) => {
    const form = { grant_type: 'client_credentials', scope, resource: address }
    const { json } = await token(form, basic('web'))
    return bearer(String(json.access_token))
  }
  t.equal((await get('/reports')).status, 401)
  t.same((await get('/reports', await issue('api.read'))).json, { user: '', client: 'web' })
  t.match(
    (await get('/reports', await issue('api.write'))).headers.get('www-authenticate'),
    /scope="api\.read"$/,
  )
  t.match((await get('/.well-known/oauth-protected-resource')).json, { authorization_servers: [issuer] })
})

t.test('oidc-client-ts in Chromium', async (t) => {
  const app = await connect(t, stage, 'react')
  await serve(t, app.port, join(HERE, 'hosts/browser/index.html'), {
    '/src/oidc.js': join(app.folder, 'src/oidc.js'),
    '/page.js': join(HERE, 'hosts/browser/page.js'),
    '/library.js': join(HERE, 'node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js'),
    '/jwt-decode.js': join(HERE, 'node_modules/jwt-decode/build/esm/index.js'),
  })
  await signInAndOut(t, app)
})

t.test('react-oidc-context in Chromium', async (t) => {
  const app = await make(t, stage, 'react')
  await app.serve()
  await walk(t, stage, app)
})

t.test('jose and fast-jwt verify a JWT of a program', async (t) => {
  const app = await connect(t, stage, 'machine', ['--access-token-format', 'jwt', '--scope', 'api.read'])
  await app.copy('verify.mjs')
  const args = ['verify.mjs', stage.issuer, await tokenOf(stage.issuer, app)]
  t.equal(await app.run(process.execPath, args), `${app.client_id}\n${app.client_id}\n`)
})

/** Uses the buttons of a page that shows who is signed in. */
async function signInAndOut(t: Test, app: Connected): Promise<void> {
  const person = await stage.welcome()
  const { page } = person
  const says = (text: string) => page.locator('output', { hasText: text }).waitFor()
  await page.goto(app.origin)
  await says('nobody')
  await page.click('#sign-in')
  await person.sees('Sign in')
  await person.signIn()
  await person.sees(`Allow ${app.client_id} to access your account?`)
  await person.press('allow')
  await says('Alice Example <alice@example.com>')
  await page.click('#refresh')
  await says('another token')
  await page.click('#sign-out')
  await says('nobody')
  t.equal(page.url(), `${app.origin}/`)
  t.same(person.complaints, [])
}

/** Serves files at these paths, and the page everywhere else. */
async function serve(t: Test, port: number, page: string, files: Record<string, string>): Promise<void> {
  const server = createServer(async ({ url = '' }, response) => {
    const file = files[url]
    const text = await readFile(file ?? page, 'utf8')
    response.setHeader('content-type', `text/${file ? 'javascript' : 'html'}; charset=utf-8`).end(text)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
}
