// Mail tells a person that a client asks: it leads to the account page, and answers nothing.
import t from 'tap'
import { listMails } from '../../../../src/mail/mail-queue.ts'
import { answerFirst, startWithAsks } from '../../../support/asks.ts'
import { changeClient } from '../../../support/records.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { addressFor } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const LINK = /https:\/\/auth\.example\.com(\/[^\s"<]*)/g

t.test('a question sends one mail, to the confirmed address, and its link answers nothing', async (t) => {
  const { id, poll, mails, visitor } = await startWithAsks(t, { with: ['mail'] })
  const asked = await id({ binding_message: 'Invoice 4711' })
  const [mail, ...more] = await mails(1)
  t.same(more, [])
  t.match(mail, { to: addressFor('alice'), text: /Corner Bank asks for your answer/ })
  t.notMatch(mail?.text, 'Invoice 4711', 'what is asked is read after a sign-in')
  const links = new Set([...(mail?.text ?? '').matchAll(LINK)].map(([, path = '']) => path))
  t.same([...links], ['/account'])
  // A scanner follows it, however often.
  const scanner = visitor()
  for (let i = 0; i < 3; i++) t.match((await scanner.page('/account')).title, 'Sign in')
  t.match(await poll(asked), { json: { error: 'authorization_pending' } })
  const alice = visitor()
  const page = asPage(await signInOn(alice, await alice.page('/account')))
  t.match(page.text, '<bdi>Corner Bank</bdi> asks for your answer')
  t.match(await poll(asked), { json: { error: /authorization_pending|slow_down/ } })
  await answerFirst(alice)
  t.match(await poll(asked), { status: 200 })
})

t.test('who is not asked gets no mail, and nor does who has no confirmed address', async (t) => {
  const { ask, mails, setFields, storage, happened } = await startWithAsks(t, { with: ['mail'] })
  await changeClient(storage, 'bank', { set: { allowed_groups: 'staff' } })
  await setFields('bob', { 'claim:groups': '["staff"]', email_verified: 'false' })
  await setFields('alice', { 'claim:groups': '["staff"]', muted_clients: 'bank' })
  for (const login_hint of ['nobody', 'bob', 'alice'])
    t.match(await ask({ login_hint }), { status: 200 }, login_hint)
  await setFields('alice', { muted_clients: 'games' })
  for (const binding_message of ['first', 'first', 'last']) await ask({ binding_message })
  const told = await mails(2)
  t.same([told.map(({ to }) => to), happened('person_asked')], [Array(2).fill(addressFor('alice')), 3])
})

t.test('a mail that cannot leave ends with its question', async (t) => {
  // Nobody listens there.
  const { id, storage } = await startWithAsks(t, { with: ['mail'], smtp_url: 'smtp://127.0.0.1:1' })
  await id({ requested_expiry: '60' })
  const [mail] = await listMails(storage, 10)
  t.equal((mail?.ends_at ?? 0) - (mail?.created_at ?? 0), 60_000)
})
