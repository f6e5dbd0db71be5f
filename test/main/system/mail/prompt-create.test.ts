// prompt=create (Initiating User Registration via OpenID Connect): a request waits while its user makes an account.
import t, { type Test } from 'tap'
import { listMails } from '../../../../src/mail/mail-queue.ts'
import { countAsks } from '../../../../src/mail/mail-requests.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { ASKS } from '../../../support/accounts.ts'
import { deviceOf, storeDevices } from '../../../support/device.ts'
import { optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { giveKeys, requestObject } from '../../../support/request-objects.ts'

import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, ISSUER, type TestOptions } from '../../../support/service.ts'
import { SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { issuerKey } from '../../../support/trusted-issuer.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../../../support/visitor.ts'

const NEW = 'carol@example.net'
const CHOICE = { username: 'carol', password: 'seven wet umbrellas at noon' }
const CREATE = 'Create your account'
const SIGN_IN = 'Sign in'
const READY = 'Your account is ready'
const AGREE = 'Allow The Shop to access your account?'

const createUrl = (more = {}) => requestUrl({ prompt: 'create', ...more })
const start = (t: Test, options: TestOptions = {}) =>
  scene(t, { with: ['mail'], sign_up: 'open', ...options })
type Scene = Awaited<ReturnType<typeof start>>

/** Where a page leads that has one link with this text. */
const linkOn = ({ text }: Page, label: string): string =>
  new RegExp(`href="([^"]+)">${label}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** Sends the form of the sign-up page, and returns what it leads to and the link of the mail. */
async function ask(service: Scene, browser: Visitor, page: Page, email = NEW) {
  const sent = asPage(await browser.submit(page, { email }))
  return { sent, link: await service.mailedLink() }
}

/** Sends the form of the page that the link of the mail leads to. */
const join = async (browser: Visitor, link: string, choice = CHOICE) =>
  browser.submit(await browser.page(link), choice)

/** Whose code the client got. */
async function subOf({ claims }: Scene, back: Departure): Promise<unknown> {
  return (await claims(back, 'shop')).sub
}

/** Gives consent, and looks whose code comes of it. */
async function isAllowedFor(t: Test, service: Scene, browser: Visitor, consent: Page, username = 'carol') {
  const back = asDeparture(await browser.submit(consent, { decision: 'allow' }))
  t.equal(await subOf(service, back), (await service.user(username))?.sub)
  return back
}

t.test('in one browser the request goes on by itself, and its code is for the new account', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const page = await browser.page(createUrl())
  t.equal(page.title, CREATE)
  t.match(page.text, /The Shop/, 'it says what the person goes on to')
  const { sent, link } = await ask(service, browser, page)
  t.equal(sent.title, 'Look at your mail')
  const chosen = await browser.page(link)
  t.match(chosen.text, /The Shop/)
  const consent = asPage(await browser.submit(chosen, CHOICE))
  t.equal(consent.title, AGREE, 'nobody has to sign in')
  const back = await isAllowedFor(t, service, browser, consent)
  t.equal(back.told.get('state'), 'a state')
  t.equal(asPage(await browser.open(consent.url)).status, 400, 'one answer')
})

t.test('who is signed in makes another account, whose session alone answers the request', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  await signInAndAgree(browser)
  t.ok(asDeparture(await browser.open(requestUrl())).told.get('code'), 'a session answers other requests')
  const page = await browser.page(createUrl())
  t.equal(page.title, CREATE)
  const { link } = await ask(service, browser, page)
  const consent = asPage(await join(browser, link))
  await isAllowedFor(t, service, browser, consent)
})

t.test('a request that any session answers is answered by that of the new account, too', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const login = await browser.page(requestUrl())
  const { link } = await ask(service, browser, await browser.page(linkOn(login, 'Create an account')))
  // In another tab.
  await signInAndAgree(browser)
  const consent = asPage(await join(browser, link))
  await isAllowedFor(t, service, browser, consent)
})

t.test('with another device the account is made, and the request goes on where it began', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const [browser, phone] = [service.visitor(), service.visitor()]
  const { sent, link } = await ask(service, browser, await browser.page(createUrl()))
  const chosen = await phone.page(link)
  t.notMatch(chosen.text, /The Shop/, 'it goes on to nothing')
  const done = asPage(await phone.submit(chosen, CHOICE))
  t.equal(done.title, READY)
  t.match(done.text, /You are signed in on this browser/, 'there')
  const login = await browser.page(linkOn(sent, SIGN_IN))
  t.equal(login.title, SIGN_IN)
  t.match(login.text, /The Shop/)
  const consent = asPage(await signInOn(browser, login, CHOICE.username, CHOICE.password))
  await isAllowedFor(t, service, browser, consent)
})

t.test('who has an account can sign in instead, for this request', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  await signInAndAgree(browser)
  const login = await browser.page(linkOn(await browser.page(createUrl()), SIGN_IN))
  t.equal(login.title, SIGN_IN, 'the session from before counts for nothing')
  t.equal(await subOf(service, asDeparture(await signInOn(browser, login))), (await service.user())?.sub)
})

t.test('a stranger who began the request gets nothing of the account that a victim makes', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const [stranger, victim] = [service.visitor(), service.visitor()]
  const page = await stranger.page(createUrl())
  const { transaction = '' } = page.hidden
  const { sent, link } = await ask(service, stranger, page)
  for (const url of [page.url, linkOn(sent, SIGN_IN)]) {
    t.equal((await victim.page(url)).status, 400, 'a forwarded page is of one browser')
  }
  const body = { email: 'victim@example.net', transaction }
  const forged = await service.post('/sign-up', body, { cookie: victim.cookiesFor('/sign-up') })
  t.equal(forged.status, 400)
  t.same(await listMails(service.storage, 10), [], 'and so is its form')
  t.equal(asPage(await join(victim, link)).title, READY, 'the link of the mail leads on to nothing')
  for (const url of [page.url, linkOn(sent, SIGN_IN), `/oauth2/interaction?transaction=${transaction}`]) {
    t.ok([CREATE, SIGN_IN].includes((await stranger.page(url)).title), 'it is asked who it is')
  }
  const login = await stranger.page(linkOn(sent, SIGN_IN))
  t.equal(
    asPage(await signInOn(stranger, login, 'carol', 'a guess of a stranger')).title.slice(0, 7),
    SIGN_IN,
  )
})

t.test(
  'the victim of a planted link does not go on with an own request by the account of a stranger',
  async (t) => {
    const service = await scene(t, { with: ['mail'], sign_up: 'open' })
    const [stranger, victim] = [service.visitor(), service.visitor()]
    await ask(service, victim, await victim.page(createUrl()), 'victim@example.net')
    const page = await stranger.page('/sign-up')
    const { link } = await ask(service, stranger, page, 'stranger@example.net')
    const chosen = await victim.page(link)
    t.match(chosen.text, 'stranger@example.net', 'it says whose address it is')
    t.notMatch(chosen.text, /The Shop/)
    t.equal(asPage(await victim.submit(chosen, CHOICE)).title, READY)
  },
)

t.test('what is no request of this browser is refused, and asks for no mail', async (t) => {
  const { visitor, post, get, storage } = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = visitor()
  const { transaction = '' } = (await browser.page(createUrl())).hidden
  const cookie = browser.cookiesFor('/sign-up')
  for (const text of ['x', 'x.y', `${transaction}x`, transaction.slice(0, -1), 'x'.repeat(8000)]) {
    t.equal((await get(`/sign-up?transaction=${text}`, { cookie })).status, 400)
    t.equal((await post('/sign-up', { email: NEW, transaction: text }, { cookie })).status, 400)
  }
  t.equal((await get(`/sign-up?transaction=${transaction}&transaction=x`, { cookie })).status, 400)
  t.same(await listMails(storage, 10), [])
  t.equal(await countAsks(storage), 0)
  t.equal((await get('/sign-up?transaction=', { cookie })).status, 200, 'an empty one counts as absent')
})

t.test('a request that is over keeps nobody from making the account', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open', sign_in_ttl: 600 })
  const browser = service.visitor()
  const { sent, link } = await ask(service, browser, await browser.page(createUrl()))
  service.pass(601)
  t.equal((await browser.page(linkOn(sent, SIGN_IN))).status, 400)
  t.equal(asPage(await join(browser, link)).title, READY)
})

t.test('what the request says of the sign-in counts as on the sign-in page', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { visitor } = service
  const field = /<input id="email"[^>]*>/
  const hinted = await visitor().page(createUrl({ login_hint: NEW, ui_locales: 'de' }))
  t.match(field.exec(hinted.text)?.[0], `value="${NEW}"`)
  t.match(hinted.text, '<html lang="de"')
  const named = await visitor().page(createUrl({ login_hint: 'carol' }))
  t.match(field.exec(named.text)?.[0], 'value=""', 'a username is no address')
  const browser = visitor()
  const { link } = await ask(service, browser, await browser.page(createUrl({ max_age: '0' })))
  const consent = asPage(await join(browser, link))
  service.pass(60)
  t.ok(asDeparture(await browser.submit(consent, { decision: 'allow' })).told.get('code'), 'it is recent')
})

t.test('a second step that the request demands comes after the password', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open', second_factor: 'optional' })
  const browser = service.visitor()
  const claims = JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } })
  const { link } = await ask(service, browser, await browser.page(createUrl({ claims })))
  const next = await join(browser, link)
  t.equal(asPage(next).title, 'Set up a second step')
})

t.test('a taken name is chosen anew, and then the request goes on', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const { link } = await ask(service, browser, await browser.page(createUrl()))
  const again = asPage(await join(browser, link, { ...CHOICE, username: 'alice' }))
  t.equal(again.status, 400)
  t.match(again.text, /The Shop/)
  t.equal(asPage(await browser.submit(again, CHOICE)).title, AGREE)
})

t.test('with a passkey in place of the password, nobody is asked for it once more', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const { link } = await ask(service, browser, await browser.page(createUrl()))
  const page = await browser.page(link)
  const passkey = new SoftwarePasskey(ISSUER)
  const credential = passkey.create(optionsOn(page))
  const answer = { username: 'carol', credential, password: 'of no account' }
  await isAllowedFor(t, service, browser, asPage(await browser.submit(page, answer)))
})

t.test('who cannot be signed in at once signs in by hand: the account is there', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const { link } = await ask(service, browser, await browser.page(createUrl()))
  const page = await browser.page(link)
  const { records } = service.storage
  const put = records.put.bind(records)
  records.put = async (...writes) => {
    if (writes.some(({ kind }) => kind.name === 'session')) throw new StorageUnavailable('it is away')
    return put(...writes)
  }
  const login = asPage(await browser.submit(page, CHOICE))
  records.put = put
  t.equal(login.title, SIGN_IN)
  t.match(login.text, 'value="carol"')
  await isAllowedFor(t, service, browser, asPage(await signInOn(browser, login, 'carol', CHOICE.password)))
})

t.test('the sign-in pages of a device and of the account lead there and back', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  await storeDevices(service.storage)
  const { user_code } = await deviceOf(service).codes()
  const entries = { '/account': /^Your account/, [`/device?user_code=${user_code}`]: /^Connect Living room/ }
  for (const [i, [entry, title]] of Object.entries(entries).entries()) {
    const browser = service.visitor()
    const login = await browser.page(entry)
    const sign_up = await browser.page(linkOn(login, 'Create an account'))
    const { link } = await ask(service, browser, sign_up, `person${i}@example.net`)
    const arrived = asPage(await join(browser, link, { ...CHOICE, username: `person${i}` }))
    t.match(arrived.title, title)
    t.match(arrived.text, `person${i}`)
  }
})

t.test('the page of an operator for sign-up gets nothing of a request', async (t) => {
  const service = await scene(t, {
    with: ['mail'],
    sign_up: 'off',
    sign_up_url: 'https://example.com/join',
  })
  t.equal(linkOn(await service.visitor().page(requestUrl()), 'Create an account'), 'https://example.com/join')
})

t.test('a pushed request and a signed one say it in the same way', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { post, visitor } = service
  const pushed = (more = {}) =>
    post('/oauth2/par', authorizationRequest({ ...ASKS, prompt: 'create', ...more }))
  const { status, json } = await pushed()
  t.equal(status, 201)
  const { request_uri = '' } = json as { request_uri?: string }
  const browser = visitor()
  const page = await browser.page(
    `/oauth2/authorize?${new URLSearchParams({ client_id: 'shop', request_uri })}`,
  )
  t.equal(page.title, CREATE)
  const { link } = await ask(service, browser, page)
  const consent = asPage(await join(browser, link))
  await isAllowedFor(t, service, browser, consent)
  t.match(await pushed({ prompt: 'create login' }), { status: 400, json: { error: 'invalid_request' } })
  const key = issuerKey()
  await giveKeys(service.storage, 'shop', [key])
  const signed = { client_id: 'shop', request: requestObject(key, { ...ASKS, prompt: 'create' }) }
  t.equal((await visitor().page(`/oauth2/authorize?${new URLSearchParams(signed)}`)).title, CREATE)
})

t.test('where sign-up is off, or with another value beside it, it is invalid_request', async (t) => {
  const metadata = async ({ get }: Pick<Scene, 'get'>) =>
    JSON.parse((await get('/.well-known/openid-configuration')).text).prompt_values_supported
  const open = await scene(t, { with: ['mail'], sign_up: 'open' })
  t.same(await metadata(open), ['none', 'login', 'consent', 'select_account', 'create'])
  for (const prompt of ['create login', 'consent create', 'create none', 'CREATE']) {
    const { told } = asDeparture(await open.visitor().open(requestUrl({ prompt })))
    t.equal(told.get('error'), 'invalid_request', prompt)
    t.match(told.get('error_description'), /prompt must/)
  }
  const off = await scene(t, { with: ['mail'], sign_up: 'off' })
  t.same(await metadata(off), ['none', 'login', 'consent', 'select_account'])
  const { told } = asDeparture(await off.visitor().open(createUrl()))
  t.equal(told.get('error'), 'invalid_request')
  t.match(told.get('error_description'), /prompt must be of none, login, consent, select_account/)
})
