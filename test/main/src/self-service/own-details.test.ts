// What applications may do in detail, on the account page and in the copy of the data, and how it ends.
import t, { type Test } from 'tap'
import { DETAIL_TYPE } from '../../../../src/details/detail-type.ts'
import { CONSENT, consentId } from '../../../../src/interaction/consent.ts'
import { actingScene } from '../../../support/acting.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { ORDERS } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { type Given, scene } from '../../../support/scene.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const paymentOf = (amount: number) => ({ ...PAYMENT, amount })

/** Alice at the shop, which asks for payments that an operator may let be remembered. */
async function start(t: Test, fields = {}, options: Given = {}) {
  const service = await scene(t, options)
  const { storage, visitor, arrive, redeem } = service
  await storePayments(storage, fields)
  const alice = visitor()
  await arrive(alice, '/account')
  /** Allows a payment, and redeems the code, or leaves it. */
  const allow = async (
    objects: readonly object[],
    { redeems = true, ...more }: { redeems?: boolean; scope?: string } = {},
  ) => {
    const url = requestUrl({ authorization_details: detailsOf(...objects), ...more })
    let shown = await alice.open(url)
    if (!('location' in shown)) shown = await alice.submit(shown, { decision: 'allow' })
    return redeems ? await redeem(asDeparture(shown), 'shop') : undefined
  }
  const card = async (path = '/account') => {
    const { text, hidden } = await alice.page(path)
    const section = /id="applications".*?<\/section>/s.exec(text)?.[0] ?? ''
    const plain = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    return { section, words: plain(section), all: plain(text), csrf: hidden.csrf ?? '' }
  }
  const data = async () => JSON.parse((await alice.request('GET', '/account/data')).text)
  return { ...service, alice, allow, card, data }
}

t.test('a card says what was allowed in detail, in the language of the person', async (t) => {
  const { allow, card, data } = await start(t)
  await allow([{ ...PAYMENT, purpose: 'rent' }])
  const { words, section } = await card()
  t.match(words, 'Pay 12.5 EUR to Merchant A')
  t.match(words, 'purpose rent', 'also what the sentence does not name')
  t.match(words, 'allowed at this time')
  t.notMatch(words, 'not asked again')
  t.match(section, '<p dir="auto">')
  const german = await card('/account?ui_locales=de')
  t.match(german.words, '12.5 EUR an Merchant A zahlen')
  t.match(german.words, 'zurzeit erlaubt')
  const [shop] = (await data()).applications
  t.match(shop.authorization_details, [
    { detail: { ...PAYMENT, purpose: 'rent' }, is_live: true, is_remembered: false },
  ])
  t.match((await card('/account/data/page?ui_locales=en')).all, 'Pay 12.5 EUR to Merchant A')
})

t.test('what is remembered and what is alive are told apart, and both end', async (t) => {
  const { allow, card, alice, storage, data } = await start(t, { remember: 'true' })
  await allow([paymentOf(1)])
  await allow([paymentOf(2)], { redeems: false })
  const { words, csrf } = await card()
  t.match(words, /Pay 1 EUR to Merchant A allowed at this time · not asked again/)
  t.match(words, /Pay 2 EUR to Merchant A not asked again/)
  t.equal(words.match(/Remove access/g)?.length, 1, 'it is one application')
  t.equal((await data()).applications[0].authorization_details.length, 2)
  const done = asPage(await alice.post('/account/end-application', { csrf, client_id: 'shop' }))
  t.match(done.text, 'The application no longer has access.')
  t.notMatch((await card()).words, 'Merchant A')
  t.equal(await storage.records.read(CONSENT, consentId('sub-of-alice', 'shop')), undefined)
  const asked = await alice.open(requestUrl({ authorization_details: detailsOf(paymentOf(2)) }))
  t.match(asPage(asked).text, '<bdi>2</bdi>', 'it is asked again')
})

t.test('an application with details alone is shown, and can be ended', async (t) => {
  const { allow, card } = await start(t, { remember: 'true' })
  await allow([PAYMENT], { redeems: false, scope: ' ' })
  const { words } = await card()
  t.match(words, 'Pay 12.5 EUR to Merchant A')
  t.match(words, 'Remove access')
})

t.test('what does not count is not shown', async (t) => {
  const { allow, card, storage } = await start(t, { remember: 'true' })
  await allow([paymentOf(1)])
  await allow([paymentOf(2)], { redeems: false })
  const set = (hash: Record<string, string>) => storage.records.change(DETAIL_TYPE, 'payment', { set: hash })
  const text = JSON.stringify({ en: 'Give {amount} {currency} to {creditor}' })
  await set({ text })
  const { words } = await card()
  t.match(words, /Give 1 EUR to Merchant A allowed at this time/)
  t.notMatch(words, 'not asked again', 'it reads otherwise now: it is asked anew')
  t.notMatch(words, '2 EUR')
  await set({ disabled: 'true' })
  t.notMatch((await card()).words, 'Merchant A', 'a disabled type')
  await set({ disabled: 'false' })
  t.match((await card()).words, 'Merchant A')
  await changeClient(storage, 'shop', { set: {}, unset: ['authorization_details_types'] })
  t.notMatch((await card()).words, 'Merchant A', 'a type that was taken from the client')
})

t.test('of many details the first are shown, and all in the data', async (t) => {
  const { allow, card, data } = await start(t)
  await allow([1, 2, 3, 4, 5, 6, 7].map(paymentOf))
  const { section, words } = await card()
  t.equal(words.match(/Merchant A/g)?.length, 5)
  t.match(section, /<a class="link" href="\/account\/data\/page">2 more<\/a>/)
  t.equal((await data()).applications[0].authorization_details.length, 7)
  t.equal((await card('/account/data/page')).all.match(/Merchant A/g)?.length, 7)
})

t.test('the copy of the data says who acts, where, and in detail what for', async (t) => {
  const given = await actingScene(t)
  const { storage, alice, visitor, afterPassword, redeem, exchange } = given
  await storePayments(storage, {}, ['own', 'orders'])
  const asked = { scope: 'openid api.read api.write', resource: ORDERS, authorization_details: detailsOf() }
  const browser = visitor()
  const question = asPage(await afterPassword(browser, asked))
  const { json } = await redeem(await browser.submit(question, { decision: 'allow' }))
  t.equal((await exchange('orders', String(json.access_token))).status, 200)
  const data = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.match(data.acting, [
    {
      client_id: 'orders',
      client_name: 'The API orders',
      places: [{ api: 'Invoices', via: ['Our own'], authorization_details: [PAYMENT] }],
    },
  ])
  t.match((await given.acting()).words, 'Pay 12.5 EUR to Merchant A')
  const page = await alice.page('/account/data/page')
  t.match(page.text, /The API orders<\/bdi><\/strong><small>at <bdi>Invoices<\/bdi>, by way of/)
  t.strictSame(data.support, [])
})
