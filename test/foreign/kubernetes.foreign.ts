// The printed settings for Kubernetes and Argo CD, read by the code of Kubernetes; no cluster runs, but its authenticator does.
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { setStage } from '../support/browser/stage.ts'
import { DESKTOP } from '../support/browser.ts'
import { freePort } from '../support/process.ts'
import { visit } from '../support/server.ts'
import { startTlsFront } from '../support/tls-front.ts'
import { type Connected, commandOf, connect } from './connected.ts'

// The API server accepts https only.
const [tls_port, port] = [await freePort(), await freePort()]
const stage = await setStage(t, { scope_claims: new Map([['groups', 'groups']]) }, { port, tls_port })
const certificate = await startTlsFront(t, 'localhost', tls_port, port)
const environment = { HOME: process.env.HOME ?? '' }
const FILES = ['the file of kube-apiserver --authentication-config', '~/.kube/config'] as const

/** Writes the files beside the program that reads them as the cluster does. */
async function cluster(t: Test, flags: readonly string[] = []): Promise<Connected> {
  const app = await connect(t, stage, 'kubernetes', flags)
  await app.copy('kubernetes', '.')
  await app.run('go', ['build', '-o', 'read', '.'], environment)
  // That of the cluster.
  await writeFile(join(app.folder, 'ca.crt'), '')
  return app
}

/** Says which authority the certificate of redmint is by, as the page says. */
async function trust(app: Connected): Promise<void> {
  const file = join(app.folder, FILES[0])
  const pem = certificate.trim().replaceAll('\n', '\n        ')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/^ {6}url: .*$/m, `$&\n      certificateAuthority: |\n        ${pem}`))
}

/** Signs somebody in as kubelogin does with the printed arguments, and returns the id_token. */
async function getToken(t: Test, app: Connected, username: string): Promise<string> {
  const { users } = parse(await readFile(join(app.folder, FILES[1]), 'utf8'))
  const args: string[] = users[0].user.exec.args
  const valuesOf = (name: string) =>
    args.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3))
  const [issuer = ''] = valuesOf('oidc-issuer-url')
  const [client_id = ''] = valuesOf('oidc-client-id')
  t.same(valuesOf('oidc-pkce-method'), ['S256'])
  t.equal(issuer, stage.issuer)
  const listener = createServer((_, response) => response.end('<h1>Authenticated</h1>'))
  const own_port = await freePort()
  await new Promise<void>((resolve) => listener.listen(own_port, 'localhost', resolve))
  t.teardown(() => listener.close())
  const redirect_uri = `http://localhost:${own_port}`
  const scope = ['openid', ...valuesOf('oidc-extra-scope')].join(' ')
  const code_verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const person = await stage.welcome({ ...DESKTOP, is_trusting: true })
  await person.page.goto(`${issuer}/oauth2/authorize?${query}`)
  await person.signIn(username)
  await person.sees(`Allow ${client_id} to access your account?`)
  await person.press('allow')
  await person.sees('Authenticated')
  const code = new URL(person.page.url()).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier }
  const { json } = await visit(`http://127.0.0.1:${port}`).token(form)
  return String(json.id_token)
}

const authenticate = async (app: Connected, tokens: readonly string[]) => {
  const [, ...lines] = (await app.run('./read', [...FILES, ...tokens], environment)).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

t.test('the API server and kubectl accept the settings for Kubernetes', async (t) => {
  const app = await cluster(t)
  t.equal(await app.run('./read', FILES), `redmint ${stage.issuer}\n`)
})

t.test('the API server knows who signs in, and their groups', async (t) => {
  await stage.addUser('dora', { name: 'Dora' })
  // As `user add` leaves her.
  await stage.redis.cli('HDEL', 'redmint:user:dora', 'preferred_username')
  const grouped = await commandOf(t, stage)(['user', 'update', 'dora', '--claim', 'groups=["staff"]'])
  t.match(grouped, { code: 0 }, grouped.stderr)
  const app = await cluster(t, ['--scope', 'openid profile email offline_access groups'])
  await trust(app)
  const [dora, alice] = [await getToken(t, app, 'dora'), await getToken(t, app, 'alice')]
  const [head, , signature] = dora.split('.')
  const forged = [head, alice.split('.')[1], signature].join('.')
  const other = await getToken(t, await connect(t, stage, 'kubernetes'), 'alice')
  t.match(await authenticate(app, [dora, alice, forged, other]), [
    { ok: true, user: 'redmint:dora', groups: ['redmint:staff'] },
    { ok: true, user: 'redmint:alice', groups: null },
    { ok: false, error: /signature/ },
    { ok: false, error: /audience/ },
  ])
})

t.test('the settings for Argo CD fit into its ConfigMap and its Secret', async (t) => {
  const app = await connect(t, stage, 'argocd')
  const patched = async (kind: string, name: string) => {
    const base = { apiVersion: 'v1', kind, metadata: { name } }
    await writeFile(join(app.folder, 'base.json'), JSON.stringify(base))
    const patch = ['--type', 'merge', '--patch-file', `the ${kind} ${name}`, '-o', 'json']
    return JSON.parse(
      await app.run('kubectl', ['patch', '--local', '-f', 'base.json', ...patch], environment),
    )
  }
  const { data } = await patched('ConfigMap', 'argocd-cm')
  t.equal(data.url, app.origin)
  const { clientSecret, ...config } = parse(data['oidc.config'])
  t.same(config, {
    name: 'redmint',
    issuer: stage.issuer,
    clientID: app.client_id,
    requestedScopes: ['openid', 'profile', 'email'],
  })
  const { stringData } = await patched('Secret', 'argocd-secret')
  t.equal(stringData[clientSecret.slice(1)], app.client_secret, 'it names the secret after a $')
})
