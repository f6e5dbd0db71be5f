// Parameters that decide what the user is asked (OpenID Connect Core §3.1.2.1 and §3.1.2.3).

import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'
import { createClient, readConsent } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure } from '../../../support/visitor.ts'

const errorOf = (found: unknown) => asDeparture(found as Departure).told.get('error')
const AGREE = 'Allow The Shop to access your account?'

t.test('prompt=none shows no page', async (t) => {
  const { visitor, pass } = await scene(t)
  const alice = visitor()
  const silent = (more = {}) => alice.open(requestUrl({ prompt: 'none', ...more }))
  const refused = asDeparture(await silent())
  t.equal(refused.told.get('error'), 'login_required')
  t.equal(refused.told.get('state'), 'a state')
  t.same([...alice.cookies.keys()], [], 'nothing waits for anybody')
  await signInOn(alice, await alice.page(requestUrl()))
  t.equal(errorOf(await silent()), 'consent_required')
  await signInAndAgree(alice, { prompt: 'login' })
  t.ok(asDeparture(await silent()).told.get('code'))
  t.equal(errorOf(await silent({ scope: 'openid email' })), 'consent_required', 'a new scope')
  t.ok(asDeparture(await silent({ scope: 'openid' })).told.get('code'), 'less than was agreed to')
  t.ok(asDeparture(await silent({ max_age: '60' })).told.get('code'))
  pass(61)
  t.equal(errorOf(await silent({ max_age: '60' })), 'login_required')
  t.equal(errorOf(await silent({ max_age: '0' })), 'login_required')
})

t.test('parameters that are ignored', async (t) => {
  const { visitor } = await scene(t)
  const login = await visitor().page(
    requestUrl({
      display: 'wap',
      claims_locales: 'fr de',
      acr_values: '1 2',
      unknown: 'x',
      prompt: 'select_account',
    }),
  )
  t.equal(login.title, 'Sign in', 'without a session there is no account to choose')
})

t.test('prompt=login and max_age require a new sign-in', async (t) => {
  const { visitor, pass, token } = await scene(t)
  const alice = visitor()
  const auth_time = async ({ told }: Departure) => {
    const { id_token } = (await token(codeRequest(String(told.get('code')), { client_id: 'shop' }))).json
    return JSON.parse(atob(String(id_token).split('.')[1] ?? '')).auth_time as number
  }
  const first = await auth_time(await signInAndAgree(alice))
  pass(10)
  t.equal(await auth_time(asDeparture(await alice.open(requestUrl()))), first, 'silently')
  t.equal(await auth_time(asDeparture(await alice.open(requestUrl({ max_age: '20' })))), first)
  for (const [i, more] of [{ prompt: 'login' }, { max_age: '5' }, { max_age: '0' }].entries()) {
    pass(10)
    const login = await alice.page(requestUrl(more))
    t.equal(login.title, 'Sign in')
    // A sign-in for this request counts, even if the next step comes later.
    const back = asDeparture(await signInOn(alice, login))
    t.ok((await auth_time(back)) >= first + 10 * (i + 2), JSON.stringify(more))
  }
  pass(5)
  const login = await alice.page(requestUrl({ max_age: '1', prompt: 'consent' }))
  const consent = asPage(await signInOn(alice, login))
  pass(30)
  t.equal((await alice.page(consent.url)).title, AGREE, 'it does not go round in circles')
})

t.test('prompt=select_account', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  await signInAndAgree(alice)
  const choice = await alice.page(requestUrl({ prompt: 'select_account' }))
  t.equal(choice.title, 'Choose an account')
  t.ok(choice.text.includes('Alice Example'))
  const [account = ''] = choice.buttons
  t.match(account, /^account=[\w-]{16}$/)
  const wrong = asPage(await alice.submit(choice, { account: 'x'.repeat(16) }))
  t.equal(wrong.title, 'Choose an account', 'an account that is not there')
  const same = asDeparture(await alice.submit(choice, { account: account.slice('account='.length) }))
  t.ok(same.told.get('code'))

  const other = await alice.page(requestUrl({ prompt: 'select_account' }))
  const login = asPage(await alice.submit(other, { decision: 'other_account' }))
  t.equal(login.title, 'Sign in')
  t.notOk(login.text.includes('value="alice"'))
  const consent = asPage(await signInOn(alice, login, 'bob'))
  t.equal(consent.title, AGREE, 'a sign-in for this request is a choice')
  t.ok(consent.text.includes('Bob'))
})

t.test('the consent page offers another account, also after a sign-in for this request', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl({ prompt: 'login' }))))
  const login = asPage(await alice.submit(consent, { decision: 'other_account' }))
  t.equal(login.title, 'Sign in')
  const bobs = asPage(await signInOn(alice, login, 'bob'))
  t.equal(bobs.title, AGREE)
  t.ok(bobs.text.includes('Bob'))
  t.ok(asDeparture(await alice.submit(bobs, { decision: 'allow' })).told.get('code'))
})

t.test('consent is remembered by user, client and scope', async (t) => {
  const { visitor, storage } = await scene(t)
  const first = visitor()
  const consent = asPage(await signInOn(first, await first.page(requestUrl())))
  const refused = asDeparture(await first.submit(consent, { decision: 'deny' }))
  t.equal(refused.told.get('error'), 'access_denied')
  t.equal(refused.told.get('state'), 'a state')
  t.equal(refused.told.get('code'), null)
  t.equal(await readConsent(storage, 'sub-of-alice', 'shop'), undefined)
  await signInAndAgree(first, { prompt: 'login' })

  const second = visitor()
  const login = await second.page(requestUrl())
  t.ok(asDeparture(await signInOn(second, login)).told.get('code'), 'in another browser too')
  const more = await second.page(requestUrl({ scope: 'openid email' }))
  t.equal(more.title, AGREE)
  t.ok(asDeparture(await second.submit(more, { decision: 'allow' })).told.get('code'))
  t.same((await readConsent(storage, 'sub-of-alice', 'shop'))?.split(' ').sort(), [
    'email',
    'openid',
    'profile',
  ])
  t.ok(asDeparture(await second.open(requestUrl({ scope: 'openid profile email' }))).told.get('code'))
  const again = await second.page(requestUrl({ prompt: 'consent' }))
  t.equal(again.title, AGREE, 'asked for')
  t.ok(asDeparture(await second.submit(again, { decision: 'allow' })).told.get('code'), 'and asked for once')
  t.equal((await second.page(requestUrl({ client_id: 'own', prompt: 'consent' }))).status, 200)

  const bob = visitor()
  t.equal(asPage(await signInOn(bob, await bob.page(requestUrl()), 'bob')).title, AGREE, 'another user')
})

t.test('a public client on the device of the user is agreed to each time (RFC 8252 §8.6)', async (t) => {
  const { visitor, storage } = await scene(t)
  const alice = visitor()
  const native = { redirect_uri: 'http://127.0.0.1:4711/callback' }
  await signInAndAgree(alice, native)
  t.ok(await readConsent(storage, 'sub-of-alice', 'shop'))
  for (let round = 0; round < 2; round++) {
    const page = await alice.page(requestUrl(native))
    t.equal(page.title, AGREE)
    t.equal(errorOf(await alice.open(requestUrl({ ...native, prompt: 'none' }))), 'consent_required')
    t.ok(asDeparture(await alice.submit(page, { decision: 'allow' })).told.get('code'))
  }
  const silent = async (request: Record<string, string>) =>
    asDeparture(await alice.open(requestUrl({ ...request, prompt: 'none' }))).told.has('code')
  t.ok(await silent({}), 'at its https redirect_uri it is not asked again')
  t.ok(await silent({ ...native, client_id: 'own' }), 'a first-party client')
})

t.test('claims that are requested by name need consent for their scope', async (t) => {
  const { visitor, storage } = await scene(t)
  const alice = visitor()
  await signInAndAgree(alice, { scope: 'openid' })
  const claims = JSON.stringify({ userinfo: { email: { essential: true } } })
  const page = await alice.page(requestUrl({ scope: 'openid', claims }))
  t.match(page.text, /<li>See your email address/)
  const narrow = { ...RELYING_PARTIES.shop, client_id: 'narrow', allowed_scopes: ['openid'] }
  await createClient(storage, 'narrow', formatClient(narrow))
  const asked = await alice.page(requestUrl({ client_id: 'narrow', scope: 'openid', claims }))
  t.ok(asked.text.includes('<li>Know who you are</li>'))
  t.notOk(asked.text.includes('email address'), 'what the client may not have is not asked for')
})

t.test('a request that expects a certain user', async (t) => {
  const { visitor, token, pass } = await scene(t, { id_token_ttl: 5 })
  const alice = visitor()
  const back = await signInAndAgree(alice)
  const { id_token = '' } = (await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' })))
    .json as Record<string, string>
  pass(10)
  const hinted = { id_token_hint: id_token, prompt: 'none' }
  t.ok(asDeparture(await alice.open(requestUrl(hinted))).told.get('code'), 'an expired hint')
  t.equal(
    errorOf(await alice.open(requestUrl({ ...hinted, client_id: 'own' }))),
    'invalid_request',
    "another client's hint",
  )
  t.equal(
    errorOf(await alice.open(requestUrl({ ...hinted, id_token_hint: `${id_token}x` }))),
    'invalid_request',
  )
  const bySub = { claims: JSON.stringify({ id_token: { sub: { value: 'sub-of-alice' } } }), prompt: 'none' }
  t.ok(asDeparture(await alice.open(requestUrl(bySub))).told.get('code'))

  const bob = visitor()
  await signInAndAgree(bob, {}, 'bob')
  t.equal(errorOf(await bob.open(requestUrl(hinted))), 'login_required')
  t.equal(errorOf(await bob.open(requestUrl(bySub))), 'login_required')
  const login = await bob.page(requestUrl({ id_token_hint: id_token }))
  t.equal(login.title, 'Sign in')
  t.match(login.text, / name="username" value="" /, 'bob is not filled in, because he is refused')
  t.match((await bob.page(requestUrl({ prompt: 'login' }))).text, / name="username" value="bob" /)
  t.equal(errorOf(await signInOn(bob, login, 'bob')), 'login_required', 'still another user')
  const again = await bob.page(requestUrl({ id_token_hint: id_token }))
  t.ok(asDeparture(await signInOn(bob, again, 'alice')).told.get('code'))
})

t.test('essential acr', async (t) => {
  const { visitor } = await scene(t, { second_factor: 'off' })
  const alice = visitor()
  const acr = (value: unknown, prompt?: string) =>
    requestUrl({ claims: JSON.stringify({ id_token: { acr: value } }), prompt })
  t.equal(
    errorOf(await alice.open(acr({ essential: true, values: ['2', '3'] }))),
    'unmet_authentication_requirements',
  )
  t.equal((await alice.page(acr({ essential: true, values: ['2', '1'] }))).title, 'Sign in')
  t.equal((await alice.page(acr({ values: ['2'] }))).title, 'Sign in', 'a wish')
  await signInAndAgree(alice)
  t.ok(asDeparture(await alice.open(acr({ essential: true, value: '1' }, 'none'))).told.get('code'))
})

t.test('login_hint fills in the username', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const login = await alice.page(requestUrl({ login_hint: 'alice"><script>' }))
  t.ok(login.text.includes('value="alice&quot;&gt;&lt;script&gt;"'))
  const long = await alice.page(requestUrl({ login_hint: 'x'.repeat(3000) }))
  t.ok(long.text.includes(`value="${'x'.repeat(255)}"`))
})

t.test('ui_locales apply to all steps', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const login = await alice.page(requestUrl({ ui_locales: 'nl de' }))
  t.equal(login.title, 'Anmelden')
  const consent = asPage(await signInOn(alice, login))
  t.ok(consent.text.includes('lang="de"'))
  const byHeader = visitor()
  byHeader.headers['accept-language'] = 'de-AT,en;q=0.5'
  t.equal((await byHeader.page(requestUrl())).title, 'Anmelden')
})
