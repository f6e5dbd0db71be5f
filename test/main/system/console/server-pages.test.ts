// What the pages of the server say and offer: settings, mail and keys.
import t from 'tap'
import { createAdministrator } from '../../../support/admin.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('settings say what they mean in words, those that are changed first', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const rowIn = (text: string, variable: string) =>
    text
      .split('<tr>')
      .find((row) => row.includes(`<bdi>${variable}<`) || row.includes(`>${variable}</code>`)) ?? ''
  const pageOf = async (path: string) => (await ada.page(path)).text.replaceAll('<wbr>', '')
  const first = await pageOf('/console/settings')
  t.match(rowIn(first, 'CONSOLE'), '<code><bdi>on<')
  t.equal(rowIn(first, 'CODE_TTL'), '', 'a default is one click away')
  const text = await pageOf('/console/settings?show=all')
  t.match(rowIn(text, 'CODE_TTL'), /<th scope="row">Code lifetime<br>/)
  t.match(rowIn(text, 'CODE_TTL'), /1 minute[\s\S]*lifetime of an authorization code/)
  t.notMatch(text, /\]\([^)]*\.md/, 'links of the docs are their names')
  t.match(await pageOf('/console/settings?q=authorization+code'), 'CODE_TTL')
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
  t.match((await ada.page('/console/invitations/new')).text, 'name="send" value="true"')
  const ben = await operator('ben')
  t.notMatch((await ben.page('/console/server')).text, '/console/mails/test', 'who may only read')
  t.equal((await ben.page('/console/mails/test')).status, 403)
})

t.test('Health and Home name the same things that need an operator', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const readable = /signing keys? (?:is|are) readable in storage/
  for (const path of ['/console', '/console/server']) {
    const { text } = await ada.page(path)
    t.match(text, readable, path)
    t.notMatch(text, '<b>All is well.', path)
  }
  t.notMatch((await ada.page('/console/server')).text, '>See health<', 'no button leads to the page itself')

  await createAdministrator(storage, 'eve', 'redmint:server:read')
  const eve = await operator('eve')
  for (const path of ['/console', '/console/server'])
    t.match((await eve.page(path)).text, '<b>All is well.', `${path}, of what eve may see`)
})

t.test('people are called by their names, and so is the operator', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await changeUser(storage, 'ada', { set: { name: 'Ada Lind' } })
  await changeUser(storage, 'alice', { set: { name: 'Alice Ek' } })
  await changeClient(storage, 'web', { set: { client_name: 'Shop' } })
  const ada = await operator()
  const titles = {
    '/people/alice/edit': 'Edit Alice Ek',
    '/people/alice/sessions': 'Where Alice Ek is signed in',
    '/people/alice/applications': 'Applications of Alice Ek',
    '/people/alice/consents': 'What Alice Ek allowed applications',
    '/applications/web/try': 'Try the sign-in of Shop',
    '/applications/web/grants': 'People with access by Shop',
    '/applications/web/settings': 'Settings of Shop to paste',
    '/applications/web/connection': 'How far Shop came',
  }
  for (const [path, title] of Object.entries(titles))
    t.equal((await ada.page(`/console${path}`)).title, title)
  t.match((await ada.page('/console')).text, '>AL</span><span class="nowrap"><bdi>Ada Lind</bdi>')
})
