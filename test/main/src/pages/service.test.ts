import t from 'tap'
import { hashSource } from '../../../../src/pages/theme.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, startService } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const WRONG = authorizationRequest({ redirect_uri: 'https://evil.example/' })
const query = (parameters: Record<string, string>) => `/oauth2/authorize?${new URLSearchParams(parameters)}`

t.test('an error page has the requested language', async (t) => {
  const { get, post } = await startService(t)
  const german = 'Dieser Anmeldelink funktioniert nicht'
  const english = 'This sign-in link does not work'
  const accept = { 'accept-language': 'de-AT, en;q=0.5' }
  t.match((await get(query(WRONG))).text, english)
  t.match((await get(query(WRONG), accept)).text, german)
  t.match((await get(query({ ...WRONG, ui_locales: 'de' }))).text, german)
  t.match((await get(query({ ...WRONG, ui_locales: 'en' }), accept)).text, english)
  t.match((await post('/oauth2/authorize', { ...WRONG, ui_locales: 'de' })).text, german)
  t.match((await post('/oauth2/authorize', WRONG, accept)).text, german)
  // The parameters could not be parsed.
  const twice = await get(`${query(WRONG)}&ui_locales=de&ui_locales=de`, accept)
  t.equal(twice.status, 400)
  t.match(twice.text, german)
  for (const odd of ['%', 'ui_locales[]=de', '__proto__[ui_locales]=de', '']) {
    const answer = await get(`/oauth2/authorize?${odd}`)
    t.equal(answer.status, 400)
    t.match(answer.text, english, odd)
  }
})

t.test('the request id of an error page is in the log', async (t) => {
  const { get, log } = await startService(t)
  const { text } = await get(query(WRONG))
  const [, id = 'none'] = /<dd><code>([\w-]{16})<\/code><\/dd>/.exec(text) ?? []
  const lines = log.filter((line) => JSON.parse(line).reqId === id)
  t.match(lines.join(''), '"code":"invalid_request"')
})

t.test('an error page has the brand, and its policy allows nothing else', async (t) => {
  const brand = {
    service_name: 'Wonder & land',
    logo_url: 'https://cdn.example.com/logo.svg',
    accent_color: '#b4233f',
  }
  const { get } = await startService(t, brand)
  const { text, headers } = await get(query(WRONG))
  t.match(text, '<img src="https://cdn.example.com/logo.svg" alt="Wonder &amp; land">')
  t.match(text, '--accent:#b4233f')
  t.match(
    headers['content-security-policy'],
    /^default-src 'none';style-src 'sha256-[\w+/=]{44}';img-src 'self' https:\/\/cdn\.example\.com;base-uri 'none';frame-ancestors 'none'$/,
  )
  const plain = await startService(t)
  t.not(
    (await plain.get(query(WRONG))).headers['content-security-policy'],
    headers['content-security-policy'],
  )
  await t.rejects(startService(t, { accent_color: 'red;}</style>' }), { name: 'ConfigError' })
})

t.test('an error page offers to try again if that can help', async (t) => {
  const storage = new MemoryStorage()
  const { get, post } = await startService(t, { storage })
  storage.records.read = () => {
    throw new Error('hush')
  }
  const again = '<a class="button main" href="">'
  t.match((await get(query(WRONG))).text, again)
  t.notMatch((await post('/oauth2/authorize', WRONG)).text, again, 'the form would be lost')
  t.notMatch((await get('/oauth2/authorize?x')).text, again, 'the request would be refused again')
})

t.test('a user chooses the language of this page and of the next ones', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const english = await alice.page(requestUrl({ ui_locales: 'en', scope: 'openid' }))
  const [, transaction = ''] =
    /<form>\n<input type="hidden" name="transaction" value="([\w.-]+)">\n<details>/.exec(english.text) ?? []
  t.match(english.text, '<button name="language" value="de" lang="de">')
  const german = await alice.page(`/oauth2/interaction?transaction=${transaction}&language=de`)
  t.equal(german.title, 'Anmelden', 'before the ui_locales of the client')
  t.same(german.set_cookies, [
    '__Host-redmint-language=de; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
  ])
  const consent = asPage(await signInOn(alice, german))
  t.equal(consent.title, 'Darf The Shop auf Ihr Konto zugreifen?', 'after a form')
  const back = await alice.page(`${consent.url}&language=en`)
  t.equal(back.title, 'Allow The Shop to access your account?')
  const { text } = await alice.request('GET', '/oauth2/interaction?transaction=x')
  t.match(text, 'This sign-in is no longer open')
  t.notMatch(text, '<form>', 'an error page repeats nothing of the request')
})

t.test('a page never repeats a parameter that may be a secret', async (t) => {
  const { get } = await startService(t)
  for (const query of [
    'id_token_hint=secret-of-it',
    'code=secret-of-it&transaction=x',
    'transaction=x&%74ransaction=secret-of-it',
    'secret-of-it',
  ]) {
    for (const path of ['/oauth2/authorize', '/oauth2/logout', '/oauth2/interaction']) {
      const { text } = await get(`${path}?${query}`)
      t.match(text, '<html lang="en"', path)
      t.notMatch(text, /secret-of-it|<form>/, `${path}?${query}`)
    }
  }
  t.match((await get('/oauth2/logout')).text, '<form>\n<details>')
})

t.test('only the tag of a language of the pages is kept', async (t) => {
  const { get } = await startService(t)
  for (const odd of ['nl', 'DE', 'de%3Bx', '%0d%0ax', '', '__proto__']) {
    const { headers, text } = await get(`/oauth2/authorize?language=${odd}`)
    t.equal(headers['set-cookie'], undefined, odd)
    t.match(text, '<html lang="en"')
    const kept = await get('/oauth2/authorize', { cookie: `__Host-redmint-language=${odd}` })
    t.match(kept.text, '<html lang="en"', odd)
  }
})

t.test('the policy of a page allows its script or picture, and nothing more', async (t) => {
  const { visitor, storage } = await scene(t)
  const set = { logo_uri: 'https://cdn.example.com:8443/a/logo.png', policy_uri: 'https://a.example/privacy' }
  await changeClient(storage, 'shop', { set, unset: [] })
  const alice = visitor()
  const policyOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['content-security-policy']).replace(/sha256-[\w+/=]{44}/g, 'sha256')
  const login = await alice.page(requestUrl({ scope: 'openid email' }))
  t.equal(
    policyOf(login),
    "default-src 'none';style-src 'sha256';img-src 'self';script-src 'sha256' 'self';base-uri 'none';frame-ancestors 'none'",
  )
  const consent = asPage(await signInOn(alice, login))
  const choice = await alice.page(requestUrl({ prompt: 'select_account' }))
  for (const { text, headers } of [login, consent, choice]) {
    const script = /<script>([\s\S]*)<\/script>/.exec(text)?.[1] ?? ''
    t.match(headers['content-security-policy'], `script-src ${hashSource(script)}`)
  }
  t.equal(
    policyOf(consent),
    "default-src 'none';style-src 'sha256';img-src 'self' https://cdn.example.com:8443;script-src 'sha256';base-uri 'none';frame-ancestors 'none'",
  )
  t.match(consent.text, '<img class="logo" src="https://cdn.example.com:8443/a/logo.png" alt="">')
  t.match(consent.text, '<a class="link" href="https://a.example/privacy">')
  t.match(consent.text, '<small><bdi>alice@example.com</bdi></small>')
})

t.test('a sign-in that is over links back to the client that it was for', async (t) => {
  const { visitor, storage, pass } = await scene(t)
  const link = '<a class="button" href="https://app.example.com/">Back to <bdi>The Shop</bdi></a>'
  const alice = visitor()
  const unknown = await alice.page(requestUrl())
  pass(3600)
  t.notMatch((await alice.page(unknown.url)).text, 'Back to', 'the client has no client_uri')
  await changeClient(storage, 'shop', { set: { client_uri: 'https://app.example.com/' }, unset: [] })
  const late = await alice.page(unknown.url)
  t.equal(late.title, 'This sign-in is no longer open')
  t.match(late.text, link, 'it took too long')
  const { url } = await alice.page(requestUrl())
  t.match((await visitor().page(url)).text, link, 'another browser')
  t.notMatch((await alice.page('/oauth2/interaction?transaction=x')).text, 'Back to')
})
