// Pages say that something waits for the person who is signed in, and cost nothing where nothing can.
import t from 'tap'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { answerFirst, openFirst, startWithAsks, waitingFor } from '../../../support/asks.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'

const BAR = 'Something waits for your answer.'
/** Pages of a person who is signed in. */
const PAGES = {
  home: '/',
  consent: requestUrl({ client_id: 'bank', scope: 'openid api.read' }),
  'account choice': requestUrl({ client_id: 'bank', scope: 'openid', prompt: 'select_account' }),
  device: '/device',
  'device, with a code that no device shows': '/device?user_code=BBBB-BBBB',
  'own data': '/account/data/page',
  logout: '/oauth2/logout',
}

t.test('while something waits, each page of a person says so and leads there', async (t) => {
  const { id, alice, visitor } = await startWithAsks(t)
  const stranger = visitor()
  for (const { headers } of [alice, stranger]) headers.accept = 'text/html'
  for (const [name, address] of Object.entries(PAGES))
    t.notMatch((await alice.page(address)).text, BAR, `${name}: nothing waits`)
  await id()
  for (const [name, address] of Object.entries(PAGES)) {
    const { text } = await alice.page(address)
    t.match(text, BAR, name)
    t.match(text, 'href="/account#asks"', name)
    t.notMatch((await stranger.page(address)).text, BAR, `${name}: of nobody else`)
  }
  t.notMatch((await openFirst(alice)).text, BAR, 'who answers is there')
  t.notMatch((await alice.page('/account')).text, BAR, 'and it is the first thing on the account page')
  await answerFirst(alice)
  for (const [name, address] of Object.entries(PAGES))
    t.notMatch((await alice.page(address)).text, BAR, `${name}: it is answered`)
})

t.test('the page after an answer says that something else waits', async (t) => {
  const { id, alice } = await startWithAsks(t)
  await id()
  await id({ binding_message: 'another' })
  t.match((await answerFirst(alice)).text, BAR)
  t.notMatch((await answerFirst(alice)).text, BAR)
})

t.test('the account page reads what waits once, and others do not fail because of it', async (t) => {
  const { id, alice, storage } = await startWithAsks(t)
  await id()
  const { read } = storage.bounded
  let reads = 0
  storage.bounded.read = async (...given) => {
    if (typeof given[0] === 'object' && 'asks_of' in given[0]) reads++
    return read.apply(storage.bounded, given)
  }
  t.equal((await waitingFor(alice)).length, 1)
  t.equal(reads, 1)
  storage.bounded.read = async () => {
    throw new StorageUnavailable()
  }
  alice.headers.accept = 'text/html'
  const { status, text } = await alice.page('/')
  t.equal(status, 200)
  t.match(text, 'Alice')
  t.notMatch(text, BAR)
})

t.test('where nobody can be asked, no page looks', async (t) => {
  const { visitor, redmint } = await scene(t, { people: { alice: {} } })
  t.equal(redmint.waitsFor, undefined)
  t.notMatch((await visitor().page('/')).text, BAR)
  const without = await scene(t, { ask_people: 'on', account_page: 'off', people: { alice: {} } })
  t.equal(without.redmint.waitsFor, undefined, 'nor does one where there is no account page to lead to')
})

t.test('the page says where the client is at home', async (t) => {
  const { id, alice, storage } = await startWithAsks(t)
  await id()
  t.match((await openFirst(alice)).text, '<bdi>app.example.com</bdi>', 'the host that it comes back to')
  await changeClient(storage, 'bank', { set: { client_uri: 'https://bank.example/about' } })
  t.match((await openFirst(alice)).text, '<bdi>bank.example</bdi>')
})
