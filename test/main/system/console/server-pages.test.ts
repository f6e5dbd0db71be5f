// What the pages of the server say and offer: settings, mail and keys.
import t from 'tap'
import { startConsole } from '../../../support/scene/operators.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('settings say what they mean, and where their values come from', async (t) => {
  const { signIn } = await startConsole(t)
  const { text } = await (await signIn()).page('/console/settings')
  const row = /<tr><th scope="row"><code><bdi>CODE_TTL<[\s\S]*?<\/tr>/.exec(text)?.[0] ?? ''
  t.match(row, 'lifetime of an authorization code in seconds')
  t.match(row, 'data-label="From">default<')
  t.notMatch(text, /\]\([^)]*\.md/, 'links of the docs are their names')
})

t.test('a test mail, and the keys', async (t) => {
  const { signIn } = await startConsole(t, {
    smtp_url: 'smtps://mail.example.com',
    mail_from: 'login@example.com',
  })
  const ada = await signIn()
  const { text } = await ada.page('/console/server')
  t.match(text, /Servers rotate them by themselves: <time/)
  t.match(text, '/console/mails/test')
  t.match(text, '/console/keys/rotate')
  const question = await ada.page('/console/mails/test')
  const wrong = asPage(await ada.submit(question, { to: 'nobody' }))
  t.match(wrong, { status: 422 })
  t.match(wrong.text, 'to must be an address')
  t.match((await ada.page('/console/invitations/new')).text, 'is sent by mail, too')
  const ben = await signIn('ben')
  t.notMatch((await ben.page('/console/server')).text, '/console/mails/test', 'who may only read')
  t.equal((await ben.page('/console/mails/test')).status, 403)
})
