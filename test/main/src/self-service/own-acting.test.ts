// Who acts for a person, on the account page.
import t, { type Test } from 'tap'
import { workOffEndings } from '../../../../src/logout/endings.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { BILLING, exchangeAs, MAIL, ORDERS, storeChain } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import type { Visitor } from '../../../support/visitor.ts'

const GATEWAY = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }

/** Alice at an application that calls the API `orders`. */
async function start(t: Test, exchanged_token_ttl = 300) {
  const given = await scene(t, { exchanged_token_ttl, clients: [GATEWAY] })
  const { storage, visitor, arrive, afterPassword, redeem } = given
  await storeChain(storage)
  await changeClient(storage, 'own', { set: { allowed_scopes: 'openid api.read api.write' } })
  await storage.records.put({
    kind: RESOURCE,
    id: BILLING,
    hash: { resource_name: 'Invoices', acting_clients: 'billing' },
  })
  const alice = visitor()
  await arrive(alice, '/account')
  const signIn = async (): Promise<string> => {
    const asked = { scope: 'openid api.read api.write', resource: ORDERS }
    const { json } = await redeem(await afterPassword(visitor(), asked))
    return String(json.access_token)
  }
  const exchange = async (client_id: string, token: string, resource = BILLING) =>
    exchangeAs(given, client_id, token, { resource })
  const acting = async (browser: Visitor = alice) => {
    const { text, hidden } = await browser.page('/account')
    const section = /<section class="panel" id="acting".*?<\/section>/s.exec(text)?.[0]
    return {
      section,
      csrf: hidden.csrf ?? '',
      words: (section ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    }
  }
  const end = async (client_id: string) =>
    alice.post('/account/end-application', { csrf: (await acting()).csrf, client_id })
  const active = async (...tokens: unknown[]) =>
    Promise.all(
      tokens.map(
        async (one) =>
          (await given.post('/oauth2/introspect', { token: String(one) }, basic('gateway'))).json.active,
      ),
    )
  return { ...given, alice, signIn, exchange, acting, end, active }
}

t.test('who acts, where, and by way of whom is shown with one button each', async (t) => {
  const { signIn, exchange, acting, end, active, pass } = await start(t)
  const token = await signIn()
  t.equal((await acting()).section, undefined, 'nothing of it where nobody acts')
  const first = (await exchange('orders', token)).json.access_token
  const second = (await exchange('billing', String(first), MAIL)).json.access_token
  const { words, section } = await acting()
  t.match(words, 'The API billing at mail.example , by way of Our own , The API orders')
  t.match(words, 'The API orders at Invoices , by way of Our own')
  t.equal(section?.match(/<button/g)?.length, 2)
  t.strictSame(await active(token, first, second), [true, true, true])

  const { text } = (await end('orders')) as { text: string }
  t.match(text, 'The application no longer has access.')
  t.notMatch(text, 'id="acting"', 'what it began in the middle of a chain is gone at once')
  t.strictSame(await active(token, first, second), [true, false, false])
  t.match((await exchange('orders', token)).json, { error: 'invalid_request' }, 'and it gets no other')
  pass(1)
  t.equal((await exchange('orders', await signIn())).status, 200, 'a later sign-in is another one')
})

t.test('one that acts at the end of a chain is ended alone', async (t) => {
  const { signIn, exchange, acting, end, active } = await start(t)
  const token = await signIn()
  const first = (await exchange('orders', token)).json.access_token
  const second = (await exchange('billing', String(first), MAIL)).json.access_token
  await end('billing')
  t.strictSame(await active(token, first, second), [true, true, false])
  t.match(await exchange('billing', String(first), MAIL), { status: 400 })
  const { words } = await acting()
  t.match(words, 'The API orders')
  t.notMatch(words, 'The API billing')
})

t.test('an end stays, also when the account remembers it no more', async (t) => {
  const { signIn, exchange, end, redmint, setFields } = await start(t)
  const [acted, other] = [await signIn(), await signIn()]
  t.equal((await exchange('orders', acted)).status, 200)
  await end('orders')
  await workOffEndings(redmint)
  await setFields('alice', { access_ended: '' })
  t.match(await exchange('orders', acted), { status: 400 })
  t.match(await exchange('orders', other), { status: 400 }, 'a sign-in in which it did not act')
})

t.test('those who are disabled, and what is over, are not shown', async (t) => {
  const { signIn, exchange, acting, storage, pass } = await start(t, 60)
  const token = await signIn()
  t.equal((await exchange('orders', token)).status, 200)
  t.match((await acting()).words, 'The API orders')
  await changeClient(storage, 'orders', { set: { disabled: 'true' } })
  t.equal((await acting()).section, undefined)
  await changeClient(storage, 'orders', { set: { disabled: 'false' } })
  t.match((await acting()).words, 'The API orders')
  pass(61)
  t.equal((await acting()).section, undefined)
})

t.test('of many places only the first are shown', async (t) => {
  const { signIn, exchange, acting, storage } = await start(t)
  const token = await signIn()
  for (let i = 0; i < 7; i += 1) {
    const id = `https://api-${i}.example`
    await storage.records.put({ kind: RESOURCE, id, hash: { scopes: 'api.read' } })
    t.equal((await exchange('orders', token, id)).status, 200)
  }
  const { words } = await acting()
  t.equal(words.match(/by way of/g)?.length, 5)
  t.match(words, '…')
})
