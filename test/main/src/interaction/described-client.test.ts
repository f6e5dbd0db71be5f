// What users are asked about a client that a document describes, and what is remembered.
import t from 'tap'
import { CONSENT, consentId } from '../../../../src/interaction/consent.ts'
import { recordOf } from '../../../../src/storage/records.ts'
import type { RecordStore } from '../../../../src/storage/storage.ts'
import {
  allow,
  askConsent,
  CALLBACK,
  CLIENT_URL,
  DOCUMENT,
  documentRequest,
  fetched,
  redeem,
  startWithDocuments,
} from '../../../support/clients/document-clients.ts'
import { ANSWERED_BY_PAGE } from '../../../support/scene/requests.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const ALLOW = { decision: 'allow' }
const textOf = (page: { text: string }) => page.text.replace(/<[^>]*>/g, '').replaceAll('&#39;', "'")
/** The consent of alice. */
async function agreed({ records }: RecordStore) {
  return recordOf(await records.read(CONSENT, consentId('sub-of-alice', CLIENT_URL)))
}

t.test('the page says where the client comes from, and the user is asked once', async (t) => {
  const { storage, visitor, pass } = await startWithDocuments(t)
  const alice = visitor()
  const page = await askConsent(alice)
  t.match(textOf(page), 'is not registered with redmint. It describes itself at tool.example.net.')
  t.match(textOf(page), /Example Tool\s*tool\.example\.net/, 'and where the user returns to')
  t.match(textOf(page), 'As far as redmint knows, you have not allowed it before.')
  await allow(alice, page)
  t.match(await agreed(storage), {
    scope: 'openid offline_access',
    described_since: /^\d{4}-/,
    description: /"client_name":"Example Tool"/,
  })
  asDeparture(await alice.open(documentRequest()))
  const again = asPage(await alice.open(documentRequest({ prompt: 'consent' })))
  t.match(textOf(again), /Its description has not changed since you allowed it on \w+ \d+, \d{4}\./)
  const before = await agreed(storage)
  pass(1)
  await allow(alice, again)
  const after = await agreed(storage)
  t.equal(after?.described_since, before?.described_since, 'agreed to again')
  t.not(after?.given_at, before?.given_at)
})

t.test('a changed document is asked about again, and the page says what changed', async (t) => {
  const changes: [Record<string, unknown>, RegExp][] = [
    [
      { client_name: 'Your Bank' },
      /this has changed:\s+its name, which was Example Tool\s+(?!the addresses)/,
    ],
    [
      { redirect_uris: [CALLBACK, 'https://evil.example/cb'] },
      /this has changed:\s+the addresses it may send you back to/,
    ],
    [
      { logo_uri: 'https://tool.example.net/logo.svg' },
      /this has changed:\s+its logo, home page, privacy policy or terms/,
    ],
  ]
  for (const [change, text] of changes) {
    const { host, storage, visitor, pass } = await startWithDocuments(t)
    const alice = visitor()
    await allow(alice, await askConsent(alice))
    const before = await agreed(storage)
    host.answer = () => fetched({ ...DOCUMENT, ...change })
    pass(61)
    const page = asPage(await alice.open(documentRequest()))
    t.match(textOf(page), text)
    await allow(alice, page)
    t.not((await agreed(storage))?.described_since, before?.described_since)
    asDeparture(await alice.open(documentRequest()))
  }
})

t.test('what was allowed to an earlier description is forgotten with it', async (t) => {
  const { host, storage, visitor, pass } = await startWithDocuments(t)
  const alice = visitor()
  await allow(alice, await askConsent(alice, { scope: 'openid email' }))
  host.answer = () => fetched({ ...DOCUMENT, client_name: 'Your Bank' })
  pass(61)
  await allow(alice, asPage(await alice.open(documentRequest())))
  t.equal((await agreed(storage))?.scope, 'openid offline_access')
})

t.test('what changes nothing that users see is not asked about', async (t) => {
  const { host, visitor, pass } = await startWithDocuments(t)
  const alice = visitor()
  await allow(alice, await askConsent(alice))
  host.answer = () => fetched({ ...DOCUMENT, software_version: '2', contacts: ['a@example.net'], unknown: 1 })
  pass(61)
  asDeparture(await alice.open(documentRequest()))
})

t.test('a document that changes while the page is open is shown before anything is allowed', async (t) => {
  const { host, storage, visitor, token, pass } = await startWithDocuments(t)
  const alice = visitor()
  const page = await askConsent(alice, ANSWERED_BY_PAGE)
  host.answer = () => fetched({ ...DOCUMENT, client_name: 'Your Bank' })
  pass(61)
  const again = asPage(await alice.submit(page, ALLOW))
  t.equal(again.title, 'Allow Your Bank to access your account?')
  t.equal(await agreed(storage), undefined)
  // Once agreed, a later change is not what was agreed to, either.
  const location = await alice.request(
    'POST',
    '/oauth2/interaction',
    new URLSearchParams({ ...again.hidden, ...ALLOW }).toString(),
  )
  host.answer = () => fetched({ ...DOCUMENT, client_name: 'Third Name' })
  pass(61)
  const third = asPage(await alice.open(String(location.headers.location)))
  t.equal(third.title, 'Allow Third Name to access your account?')
  t.equal((await token(redeem(await allow(alice, third)))).status, 200)
})

t.test('a redirect_uri that the document has no longer gets no code', async (t) => {
  const { host, visitor, pass } = await startWithDocuments(t)
  const alice = visitor()
  const page = await askConsent(alice)
  host.answer = () => fetched({ ...DOCUMENT, redirect_uris: ['https://tool.example.net/other'] })
  pass(61)
  const refused = asPage(await alice.submit(page, ALLOW))
  t.equal(refused.status, 400)
})

t.test('a code is for the address that the user agreed to, whatever the document says then', async (t) => {
  const { host, visitor, token, pass } = await startWithDocuments(t, { code_ttl: 600 })
  const alice = visitor()
  const code = await allow(alice, await askConsent(alice))
  const evil = 'https://evil.example/cb'
  host.answer = () => fetched({ ...DOCUMENT, redirect_uris: [evil] })
  pass(61)
  t.equal((await token(redeem(code, { redirect_uri: evil }))).json.error, 'invalid_grant')
  t.equal((await token(redeem(code))).status, 200)
})

t.test('a client on the device is warned of, asked each time, and not remembered', async (t) => {
  const local = 'http://localhost:4711/callback'
  for (const redirect_uris of [['http://localhost/callback'], [CALLBACK, 'http://localhost/callback']]) {
    const { host, storage, visitor } = await startWithDocuments(t)
    host.answer = () => fetched({ ...DOCUMENT, redirect_uris })
    const alice = visitor()
    const page = await askConsent(alice, { redirect_uri: local })
    t.match(textOf(page), 'Any program there can pretend to be Example Tool')
    t.match(textOf(page), 'You will be taken back to localhost:4711.')
    t.notMatch(textOf(page), 'you have not allowed it before')
    await allow(alice, page)
    t.equal(await agreed(storage), undefined)
    t.equal(asPage(await alice.open(documentRequest({ redirect_uri: local }))).status, 200)
    const silent = asDeparture(await alice.open(documentRequest({ redirect_uri: local, prompt: 'none' })))
    t.equal(silent.told.get('error'), 'consent_required')
  }
})

t.test('a consent record that was edited by hand counts as none', async (t) => {
  for (const description of ['x', '[]', '{"client_name":1}', undefined]) {
    const { storage, visitor } = await startWithDocuments(t)
    const alice = visitor()
    await allow(alice, await askConsent(alice))
    const id = consentId('sub-of-alice', CLIENT_URL)
    const change =
      description === undefined ? { set: {}, unset: ['description'] } : { set: { description }, unset: [] }
    await storage.records.change(CONSENT, id, change)
    t.match(textOf(asPage(await alice.open(documentRequest()))), 'you have not allowed it before')
  }
})

t.test('names of a document cannot imitate the page', async (t) => {
  const { host, visitor } = await startWithDocuments(t)
  host.answer = () => fetched({ ...DOCUMENT, client_name: '<b>redmint</b>' })
  const page = await askConsent(visitor())
  t.match(page.text, '&lt;b&gt;redmint')
  t.notMatch(page.text, '<b>redmint')
})

t.test('a name that would turn the direction of the page is refused', async (t) => {
  const { host, visitor } = await startWithDocuments(t)
  host.answer = () => fetched({ ...DOCUMENT, client_name: 'redmint\u202Egro.knab' })
  const page = await visitor().page(documentRequest())
  t.equal(page.title, 'This application cannot be used here')
  t.notMatch(page.text, '\u202E')
})
