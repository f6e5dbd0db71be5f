// What the pages of the server say and offer: settings, mail and keys.
import t from 'tap'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('settings say what they mean, and where their values come from', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const { text } = await (await operator()).page('/console/settings')
  const row = /<tr><th scope="row"><code><bdi>CODE_TTL<[\s\S]*?<\/tr>/.exec(text)?.[0] ?? ''
  t.match(row, 'lifetime of an authorization code in seconds')
  t.match(row, 'data-label="From">default<')
  t.notMatch(text, /\]\([^)]*\.md/, 'links of the docs are their names')
})

t.test('a test mail, and the keys', async (t) => {
  const { operator } = await scene(t, {
    with: ['console'],
    smtp_url: 'smtps://mail.example.com',
    mail_from: 'login@example.com',
  })
  const ada = await operator()
  const { text } = await ada.page('/console/server')
  t.match(text, /Servers rotate them by themselves: <time/)
  t.match(text, '/console/mails/test')
  t.match(text, '/console/keys/rotate')
  const question = await ada.page('/console/mails/test')
  const wrong = asPage(await ada.submit(question, { to: 'nobody' }))
  t.match(wrong, { status: 422 })
  t.match(wrong.text, 'to must be an address')
  t.match((await ada.page('/console/invitations/new')).text, 'is sent by mail, too')
  const ben = await operator('ben')
  t.notMatch((await ben.page('/console/server')).text, '/console/mails/test', 'who may only read')
  t.equal((await ben.page('/console/mails/test')).status, 403)
})
