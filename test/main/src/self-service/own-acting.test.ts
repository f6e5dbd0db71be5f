// Who acts for a person, on the account page.
import t from 'tap'
import { workOffEndings } from '../../../../src/logout/endings.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { actingScene } from '../../../support/acting.ts'
import { MAIL } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'

t.test('who acts, where, and by way of whom is shown with one button each', async (t) => {
  const { signIn, exchange, acting, end, active, pass } = await actingScene(t)
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
  const { signIn, exchange, acting, end, active } = await actingScene(t)
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
  const { signIn, exchange, end, redmint, setFields } = await actingScene(t)
  const [acted, other] = [await signIn(), await signIn()]
  t.equal((await exchange('orders', acted)).status, 200)
  await end('orders')
  await workOffEndings(redmint)
  await setFields('alice', { access_ended: '' })
  t.match(await exchange('orders', acted), { status: 400 })
  t.match(await exchange('orders', other), { status: 400 }, 'a sign-in in which it did not act')
})

t.test('those who are disabled, and what is over, are not shown', async (t) => {
  const { signIn, exchange, acting, storage, pass } = await actingScene(t, { exchanged_token_ttl: 60 })
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
  const { signIn, exchange, acting, storage } = await actingScene(t)
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
