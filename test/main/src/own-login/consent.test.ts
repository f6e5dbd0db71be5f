// Consent at the page of an application.
import t, { type Test } from 'tap'
import { ADMIN_SCOPES, CONSENTS } from '../../../../src/core/admin-scopes.ts'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { ownConsent } from '../../../../src/own-login/own-consent.ts'
import { ADMIN } from '../../../support/admin.ts'
import { deviceOf, storeDevices } from '../../../support/device.ts'
import { backendOf, challengeOf as challengeAt } from '../../../support/own-login/application.ts'
import { pushedUrl, requestUriOf } from '../../../support/pushing.ts'
import { changeClient, changeUser, readConsent } from '../../../support/records.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { bearer, codeRequest, type TestOptions } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../../../support/visitor.ts'

const CONSENT_URL = 'https://shop.example.org/consent'
const NOT_FOUND = { status: 404, json: { type: 'urn:redmint:problem:not_found' } }
const CONFLICT = { status: 409, json: { type: 'urn:redmint:problem:conflict' } }
const ASKED = { scope: 'openid profile email offline_access' }

async function start(t: Test, options: TestOptions = {}) {
  const service = await scene(t, { consent_url: CONSENT_URL, ...options })
  const set = { allowed_scopes: `${ASKED.scope} phone redmint:users:read` }
  await changeClient(service.storage, 'shop', { set })
  return { ...service, backend: await backendOf(service, CONSENTS) }
}

/** The challenge with which a browser arrives at the page of the application. */
const challengeOf = (found: Page | Departure) => challengeAt(found, CONSENT_URL, 'consent_challenge')

/** Signs in, and goes to the page of the application. */
async function leave(visitor: Visitor, more: Record<string, string> = {}): Promise<string> {
  return challengeOf(await signInOn(visitor, await visitor.page(requestUrl({ ...ASKED, ...more }))))
}

t.test('the page learns who asks for what, and what it allows is what the client gets', async (t) => {
  const { backend, visitor, token, storage, get } = await start(t)
  const browser = visitor()
  const claims = JSON.stringify({ userinfo: { phone_number: null, email: null } })
  const challenge = await leave(browser, { claims, ui_locales: 'de' })
  const { json } = await backend.read(challenge)
  t.match(json, {
    kind: 'authorization',
    user: { sub: 'sub-of-alice', username: 'alice' },
    client: { client_id: 'shop' },
    scope: `${ASKED.scope} phone`,
    required: 'openid',
    allowed_before: '',
    claims: ['phone_number', 'email'],
    redirect_host: 'app.example.com',
    ui_locales: ['de'],
  })
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined, 'nothing is stored before')
  const path = await backend.pathAfter(challenge, { scope: 'openid profile' })
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined, 'nor before the browser is back')
  const code = asDeparture(await browser.open(path)).told.get('code') ?? ''
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), 'openid profile')
  const answer = (await token(codeRequest(code, { client_id: 'shop' }))).json
  t.equal(answer.scope, 'openid profile', 'RFC 6749 §5.1')
  const userinfo = (await get('/userinfo', bearer(String(answer.access_token)))).json
  t.match(userinfo, { sub: 'sub-of-alice', email: undefined, phone_number: undefined })

  const less = asDeparture(await browser.open(requestUrl({ scope: 'openid profile' })))
  t.ok(less.told.get('code'), 'what was allowed is not asked again')
  const more = challengeOf(await browser.open(requestUrl({ ...ASKED, claims })))
  t.match((await backend.read(more)).json, { allowed_before: 'openid profile' })
  asDeparture(await browser.open(await backend.pathAfter(more, { scope: 'openid email' })))
  t.equal(
    await readConsent(storage, 'sub-of-alice', 'shop'),
    'openid email',
    'what is left out is not allowed any more',
  )
})

t.test('prompt=none gets consent_required, and prompt=consent asks again', async (t) => {
  const { backend, visitor } = await start(t)
  const browser = visitor()
  await browser.open(await backend.pathAfter(await leave(browser), { scope: 'openid email' }))
  const none = asDeparture(await browser.open(requestUrl({ ...ASKED, prompt: 'none' })))
  t.equal(none.told.get('error'), 'consent_required')
  const known = asDeparture(await browser.open(requestUrl({ scope: 'openid', prompt: 'none' })))
  t.ok(known.told.get('code'))
  t.ok(challengeOf(await browser.open(requestUrl({ scope: 'openid', prompt: 'consent' }))))
})

t.test('what is not remembered counts for one request', async (t) => {
  const { backend, visitor, storage } = await start(t)
  const browser = visitor()
  const path = await backend.pathAfter(await leave(browser), { remember: false })
  t.ok(asDeparture(await browser.open(path)).told.get('code'))
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
  t.ok(challengeOf(await browser.open(requestUrl(ASKED))))
})

t.test('who refuses is told to the client', async (t) => {
  const { backend, visitor, redmint } = await start(t)
  const browser = visitor()
  const { json } = await backend.refuse(await leave(browser, { state: 'xyz' }))
  const { told } = asDeparture(await browser.open(pathOf(json.redirect_to)))
  t.match(Object.fromEntries(told), { error: 'access_denied', state: 'xyz' })
  t.equal(redmint.counts.events.consent_refused, 1)
})

t.test('a part of what was asked, with openid, can be allowed, and nothing else', async (t) => {
  const { backend, visitor, call, tokenOf } = await start(t)
  const browser = visitor()
  const challenge = await leave(browser)
  for (const scope of ['openid phone', 'profile', '', 'openid redmint:write'])
    t.match(await backend.accept(challenge, { scope }), {
      status: 422,
      json: { fields: [{ field: 'scope' }] },
    })
  t.match(await backend.accept(challenge, { remember: 'yes' }), { status: 422 })
  const empty = challengeOf(await browser.open(requestUrl({ scope: 'email' })))
  t.match(await backend.accept(empty, { scope: '' }), { status: 422 }, 'without openid, too')
  const rights = challengeOf(
    await browser.open(requestUrl({ scope: 'openid redmint:users:read', resource: ADMIN })),
  )
  t.match(await backend.accept(rights), { status: 403, json: { type: 'urn:redmint:problem:lacks_right' } })
  t.match(await backend.accept(rights, { scope: 'openid' }), { status: 200 }, 'the caller gives what it has')
  const others = ADMIN_SCOPES.filter((name) => !['redmint:write', CONSENTS].includes(name))
  const token = await tokenOf(...others)
  for (const [method, end] of [
    ['GET', ''],
    ['POST', '/accept'],
    ['POST', '/refuse'],
  ] as const)
    t.match(await call(method, `/consents/${challenge}${end}`, { token, body: {} }), { status: 403 })
  t.match(await backend.accept(challenge), { status: 200 }, 'and nothing was used up')
})

t.test('a challenge has one answer, which counts once, in its browser', async (t) => {
  const { backend, visitor, redmint } = await start(t)
  const browser = visitor()
  const challenge = await leave(browser)
  const answers = await Promise.all([
    backend.accept(challenge, { scope: 'openid' }),
    backend.accept(challenge),
    backend.refuse(challenge),
  ])
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409])
  for (const again of [backend.read, backend.accept, backend.refuse])
    t.match(await again(challenge), CONFLICT)

  // At once where nothing puts one after the other, as at two replicas.
  const next = challengeOf(await browser.open(requestUrl(ASKED)))
  const [one, other] = [1, 2].map(() => ownConsent(redmint, CONSENT_URL))
  const [asked, same] = await Promise.all([one?.find(next), other?.find(next)])
  if (asked === undefined || same === undefined) throw new Error('no challenge')
  const all = { left_out: new Set<string>(), remembers: true }
  const outcomes = await Promise.all([
    asked.accept(all),
    same.accept({ ...all, remembers: false }),
    same.refuse(),
  ])
  const [won, ...rest] = outcomes.filter((outcome) => 'redirect_to' in outcome)
  t.equal(rest.length, 0)
  const path = pathOf(won?.redirect_to)
  const stranger = visitor()
  await leave(stranger)
  t.equal(asPage(await stranger.open(path)).status, 400, 'another browser')
  const own = challengeOf(await stranger.open(requestUrl(ASKED)))
  const verifier = new URLSearchParams(path.split('?')[1]).get('consent_verifier') ?? ''
  const mixed = `/oauth2/interaction?${new URLSearchParams({ state: own, consent_verifier: verifier })}`
  t.equal(asPage(await stranger.open(mixed)).status, 400, 'another request with this verifier')
  t.ok(asDeparture(await browser.open(path)).told.get('code'), 'which did not use it up')
  t.equal(asPage(await browser.open(path)).status, 400, 'a second time')
})

t.test('without a verifier nobody goes on, or round in a circle', async (t) => {
  const { backend, visitor, redmint, storage } = await start(t)
  const browser = visitor()
  const challenge = await leave(browser)
  const state = `/oauth2/interaction?${new URLSearchParams({ state: challenge })}`
  t.equal(asPage(await browser.open(state)).status, 400)
  t.equal(asPage(await browser.open(`${state}&consent_verifier=x&decision=allow`)).status, 400)
  t.match(await backend.read(`${challenge.slice(0, -8)}AAAAAAAA`), NOT_FOUND, 'whole, or none')
  asPage(await browser.open(`${state}&error=access_denied`))
  t.match(await backend.read(challenge), { status: 200 }, 'who has it alone does not refuse')
  t.match(await backend.read(challenge.slice(2)), NOT_FOUND)
  t.match(await backend.read('none'), NOT_FOUND)
  t.equal(redmint.counts.events.consent_given, 0)
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
})

t.test('a form of a page is no way around the application', async (t) => {
  const { visitor, redmint } = await start(t)
  const browser = visitor()
  await leave(browser)
  // A page with a form of the same request, and what the browser carries to the page of the application.
  const page = await browser.page(requestUrl({ ...ASKED, prompt: 'select_account' }))
  const account = /name="account" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const challenge = challengeOf(await browser.submit(page, { account }))
  const transaction = challenge.slice(0, challenge.lastIndexOf('.'))
  t.ok(challengeOf(await browser.submit(page, { transaction, decision: 'allow' })), 'it goes there again')
  t.equal(redmint.counts.events.consent_given, 0)
})

t.test('a change of the account, the session, the client or the time ends it', async (t) => {
  for (const [what, change] of [
    ['the account', ({ setFields }: Service) => setFields('alice', { email: 'other@example.org' })],
    [
      'its factors',
      ({ redmint }: Service) =>
        changeFactors(redmint, 'alice', (factors) => ({ ...factors, generation: 'x' }) as never),
    ],
    [
      'the end of all sessions',
      ({ storage, redmint }: Service) =>
        changeUser(storage, 'alice', { set: { sessions_end_before: String(redmint.now() + 1) } }),
    ],
    ['it is disabled', ({ setFields }: Service) => setFields('alice', { disabled: 'true' })],
    [
      'the client',
      ({ storage }: Service) => changeClient(storage, 'shop', { set: { allowed_scopes: 'openid' } }),
    ],
    ['the time', async ({ pass }: Service) => pass(601)],
  ] as const) {
    const service = await start(t, { sign_in_ttl: 600 })
    const { backend, visitor, redmint } = service
    const before = visitor()
    const accepted = await backend.pathAfter(await leave(before))
    const open = await leave(visitor())
    await change(service)
    t.match(await backend.read(open), NOT_FOUND, what)
    t.match(await backend.accept(open), NOT_FOUND, what)
    const found = await before.open(accepted)
    t.notOk('told' in found && found.told.has('code'), `${what}, after the answer`)
    t.equal(redmint.counts.events.consent_given, 0, what)
  }
})

t.test('a challenge is for what was asked, not for what would be asked now', async (t) => {
  const { backend, visitor, storage } = await start(t)
  const claims = JSON.stringify({ userinfo: { phone_number: null } })
  const challenge = await leave(visitor(), { claims })
  t.match((await backend.read(challenge)).json, { scope: `${ASKED.scope} phone` })
  await changeClient(storage, 'shop', { set: { allowed_scopes: ASKED.scope } })
  t.match(await backend.read(challenge), NOT_FOUND)
  t.match(await backend.accept(challenge), NOT_FOUND)
})

type Service = Awaited<ReturnType<typeof start>>

t.test('who signs out ends it', async (t) => {
  const { backend, visitor } = await start(t)
  const browser = visitor()
  const challenge = await leave(browser)
  const path = await backend.pathAfter(challenge)
  const other = challengeOf(await browser.open(requestUrl(ASKED)))
  await browser.submit(await browser.page('/oauth2/logout'), { decision: 'logout' })
  t.match(await backend.read(other), NOT_FOUND)
  const found = await browser.open(path)
  t.notOk('told' in found && found.told.has('code'))
})

t.test('a device is asked about with its code, and gets what is left', async (t) => {
  const service = await start(t)
  const { backend, visitor, storage } = service
  await storeDevices(storage)
  const { codes, poll } = deviceOf(service)
  const { device_code, verification_uri_complete, user_code } = await codes()
  const browser = visitor()
  const challenge = challengeOf(
    await signInOn(browser, await browser.page(pathOf(verification_uri_complete))),
  )
  t.match((await backend.read(challenge)).json, {
    kind: 'device',
    client: { client_id: 'tv' },
    scope: 'openid profile',
    device: { user_code, address: /./ },
  })
  const page = asPage(await browser.open(await backend.pathAfter(challenge, { scope: 'openid' })))
  t.equal(page.title, 'The device is connected')
  t.match((await poll(device_code)).json, { scope: 'openid' })
})

t.test('a pushed request, and a client that knows people by a pairwise sub', async (t) => {
  const { backend, visitor, storage, post, token } = await start(t, { pairwise_salt: 'a salt of the tests' })
  await changeClient(storage, 'shop', {
    set: { subject_type: 'pairwise', sector_identifier: 'shop.example' },
  })
  const request_uri = await requestUriOf({ post }, ASKED)
  const browser = visitor()
  const login = await browser.page(pushedUrl(request_uri))
  const challenge = challengeOf(await signInOn(browser, login))
  t.match((await backend.read(challenge)).json, { user: { sub: 'sub-of-alice' }, scope: ASKED.scope })
  const path = await backend.pathAfter(challenge, { scope: 'openid' })
  const code = asDeparture(await browser.open(path)).told.get('code') ?? ''
  const { json } = await token(codeRequest(code, { client_id: 'shop' }))
  t.equal(json.scope, 'openid')
  t.equal(
    await readConsent(storage, 'sub-of-alice', 'shop'),
    'openid',
    'the consent is of the sub of the record',
  )
})

t.test('a challenge has a budget of its own, which those of other people do not share', async (t) => {
  const { backend, visitor } = await start(t)
  const [busy, other] = [await leave(visitor()), await leave(visitor())]
  for (let i = 0; i < 30; i += 1) await backend.read(busy)
  t.match(await backend.read(busy), { status: 429 })
  t.match(await backend.read(other), { status: 200 })
})
