// An end that comes after a sign-in, a consent or an assertion was judged, and before what comes of it is written: it ends that,
// too.
import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { addPasskey, creationOptions } from '../../../src/factors/passkeys/create-passkey.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../src/users/user-record.ts'
import { answerDevice, openDevice, startWithDevices } from '../../support/device.ts'
import { personNamed, startFakeDirectory } from '../../support/directory/fake-directory.ts'
import { OWN } from '../../support/directory/settings.ts'
import { BROWSER, optionsOn } from '../../support/factors/passkeys/owners.ts'
import { beforeGrantOf, beforeWriteOf } from '../../support/meanwhile.ts'
import { leave, startWithLogin } from '../../support/own-login/application.ts'
import { comeBy, federate } from '../../support/providers/federation.ts'
import { changeUser, createClient, createUser } from '../../support/records.ts'

import { ANSWERED_BY_PAGE, requestUrl, signInOn } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { basic, CLIENTS, codeRequest, ISSUER, type Service } from '../../support/service.ts'
import { SoftwarePasskey } from '../../support/software-authenticator.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trust } from '../../support/trusted-issuer.ts'
import { asDeparture, asPage, type Departure, type Page } from '../../support/visitor.ts'

type Started = Service & { readonly pass: (seconds: number) => void }
type What = 'sessions' | 'grants'

/** What `beforeWriteOf` works with. */
const clockOf = ({ storage, pass, fastify }: Started) => ({ storage, pass, now: fastify.redmint.now })

/** Ends all sessions, or all grants, of a user just after a time. */
const ender =
  ({ storage }: Started, what: What = 'sessions', username = 'alice') =>
  (last_read: number) =>
    changeUser(storage, username, { set: { [`${what}_end_before`]: String(last_read + 1) } })

/** Ends them now. */
const endNow = async (service: Started, what: What = 'sessions') => {
  await ender(service, what)(service.fastify.redmint.now())
  service.pass(1)
}

const asksAgain = (found: Page | Departure) => 'title' in found && found.text.includes('name="password"')

t.test('a password', async (t) => {
  const service = await scene(t)
  const alice = service.visitor()
  const login = await alice.page(requestUrl({ client_id: 'own' }))
  const ended = beforeWriteOf(clockOf(service), 'session', ender(service))
  t.ok(asksAgain(await signInOn(alice, login)))
  t.ok(ended())
})

t.test('the code of an app, and the password before it', async (t) => {
  const service = await scene(t)
  const { code } = await service.setUp()
  for (const between of ['password and code', 'code and session'] as const) {
    const alice = service.visitor()
    const page = asPage(await service.afterPassword(alice))
    if (between === 'password and code') await endNow(service)
    else beforeWriteOf(clockOf(service), 'session', ender(service))
    t.ok(asksAgain(await alice.submit(page, { code: code() })), between)
    service.pass(30)
  }
})

t.test('a passkey', async (t) => {
  const service = await scene(t)
  const { redmint } = service.fastify
  const user = await readAccount(redmint, 'alice')
  const passkey = new SoftwarePasskey(ISSUER)
  if (user === undefined) throw new Error('no alice')
  const created = passkey.create((await creationOptions(redmint, user, BROWSER)) ?? {})
  t.match(await addPasskey(redmint, user, created, BROWSER), { outcome: 'added' })
  const alice = service.visitor()
  const page = await alice.page(OWN)
  beforeWriteOf(clockOf(service), 'session', ender(service))
  const credential = passkey.get(optionsOn(page))
  t.ok(asksAgain(await alice.submit(page, { method: 'passkey', credential })))
})

t.test('a provider', async (t) => {
  const service = await federate(t)
  await service.setFields('alice', { linked_subjects: 'https://accounts.example.org#sub-of-alice' })
  const alice = service.person()
  beforeWriteOf(clockOf(service), 'session', ender(service))
  t.ok('title' in (await comeBy(alice)))
})

t.test('a directory', async (t) => {
  const { settings } = await startFakeDirectory(t, [personNamed('carol')])
  const service = await scene(t, settings)
  beforeWriteOf(clockOf(service), 'session', ender(service, 'sessions', 'carol'))
  t.ok(asksAgain(await service.signIn('carol', 'password of carol')))
})

t.test('the page of an application, and what it says before the browser comes back', async (t) => {
  for (const between of ['return and session', 'word and return'] as const) {
    const service = await startWithLogin(t)
    const alice = service.visitor()
    const path = await service.backend.pathAfter(await leave(alice))
    if (between === 'word and return') await endNow(service)
    else beforeWriteOf(clockOf(service), 'session', ender(service))
    const { location } = asDeparture(await alice.open(path))
    t.equal(location.hostname, 'shop.example.org', `${between}: it is asked again`)
  }
})

t.test('a code, a consent and the answer to a device', async (t) => {
  const service = await startWithDevices(t)
  const { visitor, token } = service
  const alice = visitor()
  const redeem = async (found: Page | Departure, client_id: string) => {
    const { json } = await token(codeRequest(asDeparture(found).told.get('code') ?? '', { client_id }))
    return json
  }
  const own = requestUrl({ client_id: 'own' })
  t.hasProp(await redeem(await signInOn(alice, await alice.page(own)), 'own'), 'access_token')
  const ended = beforeWriteOf(clockOf(service), 'code', ender(service, 'grants'))
  t.match(await redeem(await alice.open(own), 'own'), { error: 'invalid_grant' }, 'a code')
  t.ok(ended())
  const consent = await alice.page(requestUrl(ANSWERED_BY_PAGE))
  const body = new URLSearchParams({ ...consent.hidden, decision: 'allow' })
  const { headers } = await alice.request('POST', '/oauth2/interaction', body.toString())
  await endNow(service, 'grants')
  const { pathname, search } = new URL(String(headers.location), ISSUER)
  t.match(await redeem(await alice.open(pathname + search), 'shop'), { error: 'invalid_grant' }, 'a consent')
  const { device_code, verification_uri_complete } = await service.codes()
  const has_ended = beforeWriteOf(clockOf(service), 'code', ender(service, 'grants'))
  await answerDevice(alice, verification_uri_complete)
  t.ok(has_ended())
  t.match((await service.poll(device_code)).json, { error: 'invalid_grant' }, 'a device')
  const later = await service.codes()
  const shown = await openDevice(alice, later.verification_uri_complete)
  const { user_code } = later
  const allowed = new URLSearchParams({ ...shown.hidden, decision: 'allow', user_code })
  const answered = await alice.request('POST', '/oauth2/interaction', allowed.toString())
  await endNow(service, 'grants')
  const next = new URL(String(answered.headers.location), ISSUER)
  await alice.open(next.pathname + next.search)
  t.match(
    (await service.poll(later.device_code)).json,
    { error: 'invalid_grant' },
    'a device, before it is stored',
  )
})

t.test('a token for an assertion', async (t) => {
  const service = await scene(t, { trusted_issuers: true })
  const { storage, token } = service
  const [issuer, key] = ['https://idp.example.com', issuerKey()]
  await trust(storage, key, { issuer, profile: 'id-jag' })
  const agent = {
    ...CLIENTS.web,
    client_id: 'agent',
    allowed_scopes: ['chat'],
    grant_types: [JWT_BEARER],
  } as const
  await createClient(storage, 'agent', formatClient(agent))
  await createUser(
    storage,
    'ann',
    formatUser({ sub: 'sub-of-ann', linked_subjects: [`${issuer}#1`], claims: {} }),
  )
  await indexUser(storage, 'ann')
  /** The clock of the service is ahead of that of the issuer. */
  const grant = async (ahead = 0) => {
    const iat = Math.floor(Date.now() / 1000) + ahead
    const claims = claimsOf(issuer, '1', { client_id: 'agent', scope: 'chat', iat })
    const assertion = assertionOf(key, claims, { typ: 'oauth-id-jag+jwt' })
    return (await token({ grant_type: JWT_BEARER, assertion }, basic('agent'))).json
  }
  t.hasProp(await grant(), 'access_token')
  beforeGrantOf(clockOf(service), ender(service, 'grants', 'ann'))
  t.match(await grant(2), { error: 'invalid_grant' })
  t.match(await grant(), { error: 'invalid_grant' }, 'one of before')
  service.pass(2)
  t.hasProp(await grant(3), 'access_token', 'a new one')
})
