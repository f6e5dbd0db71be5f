// docs/replace/keycloak.md with a real Keycloak: a realm that is made by its API goes through its export into redmint, and its
// people sign in here with what they have.
import { chmod, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { SET_EVENT } from '../../src/core/security-events.ts'
import { appCode } from '../support/authenticator.ts'
import { visitorAt } from '../support/flows/visitor-at.ts'
import { newRequest } from '../support/openid-client.ts'
import { createClient } from '../support/records.ts'
import { startRedis } from '../support/redis-server.ts'
import { pathOf } from '../support/scene/requests.ts'
import { scene } from '../support/scene.ts'
import { startReady } from '../support/server.ts'
import { basic, bearer, CLIENTS, ISSUER } from '../support/service.ts'
import { prepareSteps } from '../support/steps-of-page.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trustAt } from '../support/trusted-issuer.ts'
import { until } from '../support/until.ts'
import { asDeparture, asPage } from '../support/visitor.ts'
import { ENVIRONMENT, KC, PASSWORD, PROGRAM_MS, person, startKeycloak } from './keycloak.ts'

const SECRET = 'a secret of the shop, 0123456789'
const APP_KEY = 'e5PHuD2d72sabdwuy58M'
const CALLBACK = 'https://shop.example.com/callback'
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

t.test('a realm tells of its people', { timeout: PROGRAM_MS * 3 }, async (t) => {
  const host = 'https://login.example.com'
  const { api, tokenOf, base, stop } = await startKeycloak(t, [
    `--hostname=${host}`,
    ...['allow-insecure-push-targets=true', 'outbox-drainer-interval=1s'].map(
      (option) => `--spi-ssf-transmitter--default--${option}`,
    ),
  ])
  const service = await scene(t, { trusted_issuers: true, receive_signals: 'on' })
  await service.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.fastify.server.address() as AddressInfo
  const here = `http://127.0.0.1:${port}`
  const attributes = {
    'ssf.enabled': 'true',
    'ssf.streamAudience': ISSUER,
    'ssf.defaultSubjects': 'ALL',
    'ssf.validPushUrls': `${here}/*`,
  }
  const clients = [
    { ...application, clientId: 'redmint', secret: SECRET, directAccessGrantsEnabled: true, attributes },
  ]
  const realm = { 'ssf.transmitterEnabled': 'true' }
  await api('POST', '', { realm: 'acme', enabled: true, attributes: realm, clients, users: [person('ada')] })
  const stream = {
    delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: `${here}/signals` },
    events_requested: [SET_EVENT.session_revoked],
  }
  await api('POST', '/acme/ssf/clients/redmint/stream', stream)
  const [{ id = '' } = {}] = (await api('GET', '/acme/users?username=ada')) as { id: string }[]

  const issuer = `${host}/realms/acme`
  const key = issuerKey()
  const there = (await (await fetch(`${base}/realms/acme/protocol/openid-connect/certs`)).json()) as {
    keys: { use?: string }[]
  }
  const jwks = JSON.stringify({ keys: [...there.keys.filter(({ use }) => use === 'sig'), key.jwk] })
  await trustAt(service, key, { issuer, profile: 'id-jag', signals: true, jwks })
  const agent = {
    ...CLIENTS.web,
    client_id: 'agent',
    allowed_scopes: ['openid'],
    grant_types: [JWT_BEARER],
  } as const
  await createClient(service.storage, 'agent', formatClient(agent))
  await service.setFields('alice', { linked_subjects: `${issuer}#${id}` })
  const said = claimsOf(issuer, id, { client_id: 'agent', scope: 'openid' })
  const assertion = assertionOf(key, said, { typ: 'oauth-id-jag+jwt' })
  const { json } = await service.token({ grant_type: JWT_BEARER, assertion }, basic('agent'))
  const counts = async () =>
    (await service.get('/userinfo', bearer(String(json.access_token)))).status === 200
  t.ok(await counts())
  const form = {
    client_id: 'redmint',
    client_secret: SECRET,
    scope: 'openid',
    username: 'ada',
    password: PASSWORD,
  }
  await tokenOf('acme', form)
  await api('POST', `/acme/users/${id}/logout`)
  await until('it is told', () => service.happened('signal_taken', 'alice') > 0)
  await until('it is ended', async () => !(await counts()))
  t.notOk(service.log.some((line) => line.includes('signal_refused')))
  await stop()
})

/** Makes the realm in a Keycloak, which is stopped then, and returns the sub of each person as its tokens have it. */
async function fillRealm(t: Test): Promise<Map<string, string>> {
  const { api, tokenOf, stop } = await startKeycloak(t)
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
  const [tim] = (await api('GET', '/acme/users?username=tim')) as { id: string }[]
  subs.set('tim', tim?.id ?? '')
  await stop()
  return subs
}

/** A key as people type it. */
function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join('')
}
