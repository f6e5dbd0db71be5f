// The person answers what a client asks: in a session, on a page, once.
import t from 'tap'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { ASKED } from '../../../../src/tokens/asked-record.ts'
import { answerFirst, openFirst, startWithAsks, waitingFor } from '../../../support/asks.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInOn, usePasskey } from '../../../support/scene/requests.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('C6: a link answers nothing, and nor does a form of another page or another browser', async (t) => {
  const { id, poll, alice, visitor } = await startWithAsks(t)
  const asked = await id()
  const [link = ''] = await waitingFor(alice)
  const page = await alice.page(link)
  for (const address of [link, `${link}&decision=allow`, page.url]) await alice.page(address)
  t.match(await poll(asked), { json: { error: 'authorization_pending' } }, 'opened, however often')
  t.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
  await alice.post('/oauth2/interaction', { ...page.hidden, csrf: 'forged', decision: 'allow' })
  const thief = visitor()
  await thief.post('/oauth2/interaction', { ...page.hidden, decision: 'allow' })
  t.match(await poll(asked), { json: { error: /authorization_pending|slow_down/ } }, 'not by a forged form')
  await alice.submit(page, { decision: 'allow' })
  t.match(await poll(asked), { status: 200 })
})

t.test('what waits is for its person: others see nothing of it', async (t) => {
  const { id, poll, alice, visitor } = await startWithAsks(t)
  const asked = await id({ binding_message: 'Secret 17' })
  const [link = ''] = await waitingFor(alice)
  const bob = visitor()
  const page = asPage(await signInOn(bob, await bob.page(link), 'bob'))
  t.match(page.title, 'Nothing waits for your answer')
  t.notMatch(page.text, 'Secret 17')
  t.notMatch(page.text, 'Corner Bank')
  const nobody = await visitor().page(link)
  t.match(nobody.title, 'Sign in')
  t.notMatch(nobody.text, 'Corner Bank')
  t.match(await poll(asked), { json: { error: 'authorization_pending' } })
})

t.test('whoever takes over a page with another account sees nothing of what it asked', async (t) => {
  const { id, poll, alice } = await startWithAsks(t)
  const asked = await id({ binding_message: 'Secret 17' })
  const page = await openFirst(alice)
  t.match(page.text, 'Secret 17')
  const login = asPage(await alice.submit(page, { decision: 'other_account' }))
  const theirs = asPage(await signInOn(alice, login, 'bob'))
  t.match(theirs.title, 'Nothing waits for your answer')
  t.notMatch(theirs.text, 'Secret 17')
  t.match(await poll(asked), { json: { error: 'authorization_pending' } })
})

t.test('C9: yes and no at once: the first counts, and the second is told', async (t) => {
  const { id, poll, alice } = await startWithAsks(t)
  const asked = await id()
  const [link = ''] = await waitingFor(alice)
  const [one, other] = [await alice.page(link), await alice.page(link)]
  const first = asPage(await alice.submit(one, { decision: 'deny' }))
  t.match(first.title, 'You said no')
  t.match(asPage(await alice.submit(other, { decision: 'allow' })).title, 'This has an answer already')
  t.match((await alice.page(first.url)).title, 'You said no', 'loaded again')
  t.match((await alice.page(link)).title, 'Nothing waits for your answer')
  t.match(await poll(asked), { json: { error: 'access_denied' } })
})

t.test('C7: of 50 polls at the moment of the answer one gets tokens', async (t) => {
  const { id, poll, alice } = await startWithAsks(t)
  const asked = await id()
  const page = await openFirst(alice)
  const polls = Array.from({ length: 50 }, () => poll(asked))
  await alice.submit(page, { decision: 'allow' })
  const answers = [...(await Promise.all(polls)), await poll(asked)]
  t.ok(answers.filter(({ status }) => status === 200).length <= 1)
})

t.test('C2: a person who is locked in between gets nobody tokens', async (t) => {
  const { id, poll, alice, setFields, happened } = await startWithAsks(t)
  const asked = await id()
  await answerFirst(alice)
  await setFields('alice', { disabled: 'true' })
  t.match(await poll(asked), { status: 400, json: { error: 'invalid_grant' } })
  t.equal(happened('grant_ended'), 1)
})

t.test('C2: a session that ends while its person says yes allows nothing', async (t) => {
  const { id, poll, alice, storage } = await startWithAsks(t)
  const asked = await id()
  const page = await openFirst(alice)
  const { records } = storage
  const { change } = records
  records.change = async (...given: Parameters<typeof change>) => {
    const [kind, session] = given
    if (kind.name !== SESSION.name) return change.apply(records, given)
    records.change = change
    await records.take(SESSION, session)
    return change.apply(records, given)
  }
  t.match(asPage(await alice.submit(page, { decision: 'allow' })).title, /^Sign in/)
  t.match(await poll(asked), { json: { error: 'authorization_pending' } })
})

t.test('C10: what was shown is what is allowed', async (t) => {
  const { id, poll, alice, storage } = await startWithAsks(t)
  await storePayments(storage, {}, ['bank'])
  const authorization_details = detailsOf()
  const asked = await id({ scope: undefined, authorization_details })
  const page = await openFirst(alice)
  t.match(page.text, 'Merchant A')
  const [entry] = await storage.bounded.read({ asks_of: 'sub-of-alice' })
  const { id: record } = JSON.parse(entry?.text ?? '{}') as { id: string }
  const other = detailsOf({ ...PAYMENT, creditor: 'Merchant B' })
  t.equal(await storage.records.change(ASKED, record, { set: { authorization_details: other } }), 'ok')
  const again = asPage(await alice.submit(page, { decision: 'allow' }))
  t.match(again.text, 'Merchant B', 'asked again, for what is there now')
  t.match(await poll(asked), { json: { error: 'authorization_pending' } })
})

t.test('details are allowed in one token, and never more', async (t) => {
  const { id, poll, alice, storage } = await startWithAsks(t)
  await storePayments(storage, {}, ['bank'])
  const asked = await id({ scope: undefined, authorization_details: detailsOf() })
  await answerFirst(alice)
  t.match(await poll(asked), { status: 200, json: { authorization_details: [PAYMENT], scope: '' } })
})

t.test('C13: where the type of details says so, the session that is there is not enough', async (t) => {
  const service = await startWithAsks(t)
  const { id, poll, alice, storage, makePasskey } = service
  await storePayments(storage, { required_acr: 'phr' }, ['bank'])
  const passkey = await makePasskey('alice')
  const asked = await id({ scope: undefined, authorization_details: detailsOf() })
  const [link = ''] = await waitingFor(alice)
  const page = await alice.page(link)
  t.notMatch(page.text, 'value="allow"', 'the session of the browser answers nothing')
  const shown = asPage(await usePasskey(alice, page, passkey))
  t.match(shown.text, 'value="allow"')
  await alice.submit(shown, { decision: 'allow' })
  t.match(await poll(asked), { status: 200 })
  const second = await id({ scope: undefined, authorization_details: detailsOf(), binding_message: 'second' })
  const [next = ''] = await waitingFor(alice)
  t.notMatch((await alice.page(next)).text, 'value="allow"', 'a passkey of just now is not for this one')
  t.match(await poll(second), { json: { error: 'authorization_pending' } })
})

t.test('an acr of the request is demanded of the sign-in that answers', async (t) => {
  const { id, alice, makePasskey } = await startWithAsks(t)
  const passkey = await makePasskey('alice')
  await id({ acr_values: 'phr' })
  const [link = ''] = await waitingFor(alice)
  const page = await alice.page(link)
  t.notMatch(page.text, 'value="allow"')
  t.match(asPage(await usePasskey(alice, page, passkey)).text, 'value="allow"')
})

t.test('what the client lost since it asked is not given', async (t) => {
  const { id, poll, alice, storage } = await startWithAsks(t)
  const asked = await id({ scope: 'openid api.read' })
  await changeClient(storage, 'bank', { set: { allowed_scopes: 'openid' } })
  await answerFirst(alice)
  t.match(await poll(asked), { status: 200, json: { scope: 'openid' } })
})

t.test('an answer remembers no consent: the next sign-in at the client asks', async (t) => {
  const { id, alice, happened } = await startWithAsks(t)
  const before = happened('consent_given')
  await id({ scope: 'openid api.read' })
  await answerFirst(alice)
  t.equal(happened('consent_given'), before + 1, 'it is said')
  const page = await alice.page(requestUrl({ client_id: 'bank', scope: 'openid api.read' }))
  t.match(page.text, 'value="allow"')
})

t.test('a request object carries the whole request, and nothing beside it', async (t) => {
  const { ask, storage } = await startWithAsks(t)
  await changeClient(storage, 'bank', { set: { require_signed_request_object: 'true' } })
  t.match(await ask(), { status: 400, json: { error: 'invalid_request' } }, 'unsigned')
  t.match(await ask({ request: 'nonsense' }), { status: 400, json: { error: 'invalid_request_object' } })
})
