// docs/replace/keycloak.md with a real Keycloak: a realm that is made by its API goes through its export into redmint, and its
// people sign in here with what they have.
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { appCode } from '../support/authenticator.ts'
import { visitorAt } from '../support/flows/visitor-at.ts'
import { newRequest } from '../support/openid-client.ts'
import { freePort, run } from '../support/process.ts'
import { startRedis } from '../support/redis-server.ts'
import { pathOf } from '../support/scene/requests.ts'
import { startReady } from '../support/server.ts'
import { prepareSteps } from '../support/steps-of-page.ts'
import { until } from '../support/until.ts'
import { asDeparture, asPage } from '../support/visitor.ts'
import { HERE } from './connected.ts'

const PROGRAM_MS = 600_000
const PASSWORD = 'correct horse battery'
const SECRET = 'a secret of the shop, 0123456789'
const APP_KEY = 'e5PHuD2d72sabdwuy58M'
const CALLBACK = 'https://shop.example.com/callback'
const folder = join(HERE, 'node_modules/.keycloak')
const [home = ''] = (await readdir(folder)).filter((name) => name.startsWith('keycloak-'))
const KC = join(folder, home, 'bin/kc.sh')
/** The same for each of its commands, so that it is built once. */
const ENVIRONMENT = { KC_DB: 'dev-file', KC_CACHE: 'local', JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m' }
const ADMIN = { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' }

const person = (username: string, more: object = {}) => ({
  username,
  enabled: true,
  email: `${username}@example.com`,
  firstName: username,
  lastName: 'Example',
  credentials: [{ type: 'password', value: PASSWORD }],
  ...more,
})
const application = { protocol: 'openid-connect', publicClient: false, standardFlowEnabled: true }
/** What the realm has. Keycloak itself makes hashes of its passwords, by its default or by the policy of that moment. */
const REALM = {
  realm: 'acme',
  enabled: true,
  roles: { realm: [{ name: 'auditor' }] },
  groups: [{ name: 'staff', subGroups: [{ name: 'admins' }] }],
  clients: [
    {
      ...application,
      clientId: 'shop',
      name: 'Shop',
      secret: SECRET,
      redirectUris: [CALLBACK],
      directAccessGrantsEnabled: true,
      attributes: { 'access.token.lifespan': '600' },
    },
    { ...application, clientId: 'spa', publicClient: true, redirectUris: ['https://spa.example.com/*'] },
    { clientId: 'old', protocol: 'saml' },
  ],
  users: [
    person('ada', { emailVerified: true, groups: ['/staff/admins'], realmRoles: ['auditor'] }),
    person('hal', { enabled: false }),
    person('tim', {
      credentials: [
        { type: 'password', value: PASSWORD },
        {
          type: 'otp',
          secretData: JSON.stringify({ value: APP_KEY }),
          credentialData: JSON.stringify({
            ...{ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' },
          }),
        },
      ],
    }),
  ],
}
const POLICIES = ['pbkdf2', 'pbkdf2-sha256', 'pbkdf2-sha512']

t.test('a realm moves with its people', { timeout: PROGRAM_MS * 3 }, async (t) => {
  await rm(join(folder, home, 'data/h2'), { recursive: true, force: true })
  const subs = await fillRealm(t)
  const redis = await startRedis(t)
  const { port } = await startReady(t, { REDIS_URL: redis.url, DEMO: 'false' })
  const issuer = `http://localhost:${port}`

  const { steps, step, folder: own } = await prepareSteps(t, 'docs/replace/keycloak.md', [])
  t.equal(steps, 6)
  const environment = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}='${value}'`)
  await writeFile(join(own, 'bin/kc.sh'), `#!/bin/sh\nexec env ${environment.join(' ')} '${KC}' "$@"\n`)
  await chmod(join(own, 'bin/kc.sh'), 0o755)
  await writeFile(join(own, 'redmint.env'), `REDIS_URL=${redis.url}\nISSUER=${issuer}\n`)
  await writeFile(join(own, 'redmint.secrets.env'), '')
  for (const number of [1, 2, 3, 4]) await step(number)
  t.match(await redis.cli('HGET', 'redmint:client:spa', 'redirect_uris'), 'https://spa.example.com/callback')

  const insecure = { execute: [client.allowInsecureRequests] }
  const shop = await client.discovery(new URL(issuer), 'shop', SECRET, undefined, insecure)
  /** Sends the password of somebody on the page. */
  const enter = async (username: string) => {
    const { checks, parameters } = await newRequest(CALLBACK, 'openid profile email')
    const visitor = visitorAt(issuer)
    const asked = await visitor.page(pathOf(client.buildAuthorizationUrl(shop, parameters)))
    return { visitor, checks, answer: await visitor.submit(asked, { username, password: PASSWORD }) }
  }
  for (const username of ['ada', ...POLICIES]) {
    const { answer, checks } = await enter(username)
    const tokens = await client.authorizationCodeGrant(shop, asDeparture(answer).location, checks)
    const claims = tokens.claims()
    t.strictSame(
      { sub: claims?.sub, email: claims?.email, preferred_username: claims?.preferred_username },
      { sub: subs.get(username), email: `${username}@example.com`, preferred_username: username },
      `${username} is the same person, with the same password, and the secret of the shop is the same`,
    )
    t.equal(tokens.expires_in, 600)
  }
  const tim = await enter('tim')
  t.match(asPage(tim.answer).text, /name="code"/, 'the app is asked for')
  const code = appCode(base32(APP_KEY), Date.now())
  const left = asDeparture(await tim.visitor.submit(asPage(tim.answer), { code }))
  const tokens = await client.authorizationCodeGrant(shop, left.location, tim.checks)
  t.equal(tokens.claims()?.sub, subs.get('tim'), 'the same app counts')
  for (const username of ['hal', 'new'])
    t.match(asPage((await enter(username)).answer).text, /name="password"/, `${username} does not get in`)
  t.match(await redis.cli('HGET', 'redmint:user:ada', 'claim:groups'), '["/staff/admins"]')
})

/** Makes the realm in a Keycloak, which is stopped then, and returns the sub of each person as its tokens have it. */
async function fillRealm(t: Test): Promise<Map<string, string>> {
  const [port, management] = [await freePort(), await freePort()]
  const flags = ['--http-enabled=true', '--hostname-strict=false', '--http-host=127.0.0.1']
  const ports = [`--http-port=${port}`, `--http-management-port=${management}`]
  const environment = { ...ENVIRONMENT, ...ADMIN }
  const keycloak = run(t, KC, ['start', ...flags, ...ports], environment)
  let over = false
  keycloak.ended.then(() => {
    over = true
  })
  const base = `http://127.0.0.1:${port}`
  const tokenOf = async (realm: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ grant_type: 'password', ...form })
    const url = `${base}/realms/${realm}/protocol/openid-connect/token`
    const answer = await fetch(url, { method: 'POST', body })
    return (await answer.json()) as { access_token?: string; id_token?: string }
  }
  const admin = () =>
    tokenOf('master', { client_id: 'admin-cli', username: 'admin', password: 'admin' }).catch(() => ({}))
  const isUp = async () => {
    if (over) throw new Error(`Keycloak ended:\n${keycloak.stdout}${keycloak.stderr}`)
    return 'access_token' in (await admin())
  }
  await until('Keycloak answers', isUp, 1000, PROGRAM_MS)
  const api = async (method: string, path: string, body: object) => {
    // Its tokens live for a minute.
    const { access_token } = (await admin()) as { access_token?: string }
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/admin/realms${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  await api('POST', '', REALM)
  for (const algorithm of POLICIES) {
    await api('PUT', '/acme', { passwordPolicy: `hashAlgorithm(${algorithm})` })
    await api('POST', '/acme/users', person(algorithm))
  }
  await api(
    'POST',
    '/acme/users',
    person('new', { credentials: [{ type: 'password', value: PASSWORD, temporary: true }] }),
  )
  const subs = new Map<string, string>()
  for (const username of ['ada', ...POLICIES]) {
    const form = { client_id: 'shop', client_secret: SECRET, scope: 'openid', username, password: PASSWORD }
    const { id_token = '' } = await tokenOf('acme', form)
    subs.set(username, JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()).sub)
  }
  const { access_token } = (await admin()) as { access_token?: string }
  const found = await fetch(`${base}/admin/realms/acme/users?username=tim`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  const [tim] = (await found.json()) as { id: string }[]
  subs.set('tim', tim?.id ?? '')
  await keycloak.stop()
  return subs
}

/** A key as people type it. */
function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join('')
}
