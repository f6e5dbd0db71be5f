// What the page asked about is what is issued, whatever an operator changes meanwhile.
import t from 'tap'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { sessionIdOf } from '../../../../src/sessions/browser.ts'
import { takeSession } from '../../../../src/sessions/session-store.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { changeClient } from '../../../support/records.ts'
import { ANSWERED_BY_PAGE, requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { bearer, codeRequest } from '../../../support/service.ts'
import { asDeparture, asPage, type Departure, type Page } from '../../../support/visitor.ts'

const AGREE = 'Allow The Shop to access your account?'
const ALLOW = { decision: 'allow' }
const ALL = RELYING_PARTIES.shop.allowed_scopes

const allow = (storage: Storage, ...names: string[]) =>
  changeClient(storage, 'shop', { set: { allowed_scopes: names.join(' ') }, unset: [] })

/** A service where the shop may obtain these scopes, and the consent page of a request. */
async function askedFor(t: Parameters<typeof scene>[0], options: TestOptions, names: string[], more: object) {
  const service = await scene(t, options)
  await allow(service.storage, ...names)
  const alice = service.visitor()
  const page = asPage(await signInOn(alice, await alice.page(requestUrl({ scope: undefined, ...more }))))
  const issued = async (found: Page | Departure) => {
    const code = String(asDeparture(found).told.get('code'))
    return (await service.token(codeRequest(code, { client_id: 'shop' }))).json
  }
  return { ...service, alice, page, issued }
}

forEachStorage(t, 'a scope that is left out is fixed when the request arrives', async (t, makeStorage) => {
  const { storage, alice, page, issued } = await askedFor(
    t,
    { storage: (await makeStorage()).storage },
    ['openid', 'email'],
    {},
  )
  t.equal(page.title, AGREE)
  t.notMatch(page.text, /\bphone\b/)
  await allow(storage, ...ALL)
  t.notMatch((await alice.page(page.url)).text, /\bphone\b/, 'nor does the page ask for more')
  t.equal((await issued(await alice.submit(page, ALLOW))).scope, 'openid email')
})

t.test('what the client may not obtain any more is not issued', async (t) => {
  const { storage, alice, page, issued } = await askedFor(t, {}, ['openid', 'email', 'phone'], {})
  await allow(storage, 'openid', 'email')
  const again = asPage(await alice.submit(page, ALLOW))
  t.equal(again.title, AGREE, 'the user is asked for what is left')
  t.notMatch(again.text, /\bphone\b/)
  t.equal((await issued(await alice.submit(again, ALLOW))).scope, 'openid email')
})

t.test('claims by name that the client may obtain since the page was shown are asked about', async (t) => {
  const claims = JSON.stringify({ userinfo: { phone_number: null } })
  const { storage, alice, page, issued, get } = await askedFor(t, {}, ['openid'], {
    claims,
    prompt: 'consent',
  })
  await allow(storage, 'openid', 'phone')
  const again = asPage(await alice.submit(page, ALLOW))
  t.equal(again.title, AGREE)
  t.match(again.text, 'phone')
  for (const decision of [undefined, 'maybe']) {
    t.equal(asPage(await alice.submit(again, { decision })).title, AGREE, 'an old answer is no answer to it')
  }
  const { access_token } = await issued(await alice.submit(again, ALLOW))
  t.match((await get('/userinfo', bearer(String(access_token)))).json, { phone_number: '+49 30 1234' })
})

t.test('claims by name that the client may obtain since the code was issued are not released', async (t) => {
  const claims = JSON.stringify({ userinfo: { phone_number: null }, id_token: { email: null } })
  const { storage, alice, page, issued, get } = await askedFor(t, {}, ['openid'], { claims })
  const back = await alice.submit(page, ALLOW)
  await allow(storage, ...ALL)
  const { access_token, id_token } = await issued(back)
  t.same((await get('/userinfo', bearer(String(access_token)))).json, { sub: 'sub-of-alice' })
  t.notMatch(Buffer.from(String(id_token).split('.')[1] ?? '', 'base64url').toString(), 'email')
})

t.test('an answer counts for what its page showed, and for nothing that is added later', async (t) => {
  const claims = JSON.stringify({ userinfo: { phone_number: null } })
  const { storage, alice, page, issued } = await askedFor(t, {}, ['openid'], {
    ...ANSWERED_BY_PAGE,
    claims,
    prompt: 'consent',
  })
  const form = new URLSearchParams({ ...page.hidden, ...ALLOW }).toString()
  const { headers } = await alice.request('POST', '/oauth2/interaction', form)
  await allow(storage, 'openid', 'phone')
  const again = await alice.page(String(headers.location))
  t.equal(again.title, AGREE, 'the user is asked about the rest')
  t.match(again.text, 'phone')
  const { transaction = '' } = again.hidden
  t.equal((await alice.page(`/oauth2/interaction?${new URLSearchParams({ transaction })}`)).title, AGREE)
  t.equal(asPage(await alice.submit(again, {})).title, AGREE, 'the earlier answer is not one to this page')
  t.equal((await issued(await alice.submit(again, ALLOW))).scope, 'openid')
})

t.test('an API is asked about beside the scopes, and remembered', async (t) => {
  const { visitor, storage } = await scene(t)
  const resource = 'https://orders.example'
  await storage.records.put({
    kind: RESOURCE,
    id: resource,
    hash: { scopes: 'api.read', resource_name: 'Orders' },
  })
  const alice = visitor()
  const request = { scope: 'openid api.read', resource }
  await signInAndAgree(alice, { scope: request.scope })
  const silent = async () => asDeparture(await alice.open(requestUrl({ ...request, prompt: 'none' }))).told
  t.equal((await silent()).get('error'), 'consent_required', 'the scope alone was agreed to')
  const page = await alice.page(requestUrl(request))
  t.match(page.text, 'Orders')
  t.notMatch(page.text, resource, 'the API is not listed as a scope')
  asDeparture(await alice.submit(page, ALLOW))
  t.ok((await silent()).get('code'))
})

t.test('APIs of one host that have no name are told apart', async (t) => {
  const { visitor, storage } = await scene(t)
  const uris = [
    'https://api.example',
    'https://api.example/v1?tenant=a',
    'http://localhost:4000/mcp',
    'urn:api',
  ]
  for (const id of uris) await storage.records.put({ kind: RESOURCE, id, hash: { scopes: 'api.read' } })
  const alice = visitor()
  await signInAndAgree(alice, { scope: 'openid api.read' })
  const query = new URLSearchParams(uris.map((uri): [string, string] => ['resource', uri]))
  const page = await alice.page(`${requestUrl({ scope: 'openid api.read' })}&${query}`)
  const text = page.text.replace(/<[^>]*>/g, '')
  for (const shown of ['api.example', 'api.example/v1?tenant=a', 'localhost:4000/mcp', 'urn:api'])
    t.match(text, `This gives access to ${shown}.`)
})

t.test('an answer is that of its user, and of nobody who signs in for the same request later', async (t) => {
  const { visitor, storage } = await scene(t)
  for (const decision of ['deny', 'allow']) {
    const browser = visitor()
    const page = asPage(await signInOn(browser, await browser.page(requestUrl(ANSWERED_BY_PAGE))))
    const form = new URLSearchParams({ ...page.hidden, decision }).toString()
    const { headers } = await browser.request('POST', '/oauth2/interaction', form)
    await takeSession(storage, sessionIdOf(browser.cookies.get('__Host-redmint-session') ?? ''))
    const login = await browser.page(String(headers.location))
    t.equal(login.title, 'Sign in')
    const asked = asPage(await signInOn(browser, login, 'bob'))
    t.equal(asked.title, AGREE, decision)
    t.match(asked.text, 'Bob')
  }
})
