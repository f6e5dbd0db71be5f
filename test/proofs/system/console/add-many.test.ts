// Adding many people at the console: each line says what would become of it, and then what did.
import t from 'tap'
import { createAdministrator } from '../../../support/admin.ts'
import { createUser } from '../../../support/records.ts'
import { indexUsers } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const PATH = '/console/people/new/many'
const LIST = [
  'email,name',
  'eve@example.com,Eve Martin',
  'known@example.com,Somebody',
  'nobody',
  'mia@example.com,"Lind, Mia"',
].join('\r\n')

/** The result of each line, as the table says it. */
const resultsOf = ({ text }: { readonly text: string }): string[] =>
  [...text.matchAll(/<td[^>]*data-label="Result"><span class="state \w+">([^<]*)</g)].map(
    ([, word = '']) => word,
  )

t.test('those that are new are added, and every other line says why not', async (t) => {
  const { operator, storage, call, tokenOf } = await scene(t, { with: ['console'] })
  await createUser(storage, 'known', { sub: 'known', email: 'known@example.com', email_verified: 'true' })
  await indexUsers(storage)
  const ada = await operator()
  const typed = { people: LIST, way: 'add', 'groups[]': 'staff' }
  const preview = asPage(await ada.submit(await ada.page(PATH), typed))
  t.match(preview, { status: 200, title: 'Add 2 people?' })
  t.strictSame(resultsOf(preview), ['new', 'here already', 'wrong', 'new'])
  t.equal((await ada.page('/console/people/eve')).status, 404, 'nobody is added yet')
  const done = asPage(await ada.submit(preview, {}))
  t.match(done, { status: 200, title: '2 people were added' })
  t.strictSame(resultsOf(done), ['added', 'here already', 'wrong', 'added'])
  const { json } = await call('GET', '/users/mia', { token: await tokenOf('redmint:read') })
  t.match(json.claims, {
    ...{ name: 'Lind, Mia', email: 'mia@example.com', email_verified: true, groups: ['staff'] },
  })
  const again = asPage(await ada.submit(await ada.page(PATH), typed))
  t.match(again, { status: 200, title: 'Nobody of this list can be added' })
})

t.test('who came meanwhile is not added twice, and the others are', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const preview = asPage(await ada.submit(await ada.page(PATH), { people: LIST, way: 'add' }))
  t.match(preview.title, 'Add 3 people?')
  await createUser(storage, 'eve', { sub: 'eve' })
  const done = asPage(await ada.submit(preview, {}))
  t.match(done.title, '2 people were added')
  t.strictSame(resultsOf(done), ['wrong', 'added', 'wrong', 'added'])
})

t.test('an invitation whose mail is not taken is handed over, and nobody is invited twice', async (t) => {
  // Nobody listens there.
  const { operator } = await scene(t, {
    with: ['console'],
    smtp_url: 'smtp://127.0.0.1:1',
    mail_from: 'login@example.com',
  })
  const ada = await operator()
  const people = Array.from({ length: 6 }, (_, i) => `p${i}@example.com`).join('\n')
  const preview = asPage(await ada.submit(await ada.page(PATH), { people, way: 'invite' }))
  t.match(preview, { status: 200, title: 'Invite 6 people?' })
  const done = asPage(await ada.submit(preview, {}))
  t.match(done, { status: 200, title: '6 people were invited' })
  t.equal(done.text.split('/welcome?link=').length, 7, 'each has a link')
  t.equal(done.text.split('The mail was not sent').length, 6, 'after five no mail is tried')
  const again = asPage(await ada.submit(await ada.page(PATH), { people, way: 'invite' }))
  t.strictSame([...new Set(resultsOf(again))], ['invited already'])
})

t.test('nobody without the right adds anybody, and a list is bounded', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'dora', 'redmint:users:read')
  t.equal((await (await operator('dora')).page(PATH)).status, 403)
  const ada = await operator()
  const people = Array.from({ length: 101 }, (_, i) => `p${i}@example.com`).join('\n')
  const refused = asPage(await ada.submit(await ada.page(PATH), { people, way: 'add' }))
  t.equal(refused.status, 422)
  t.match(refused.text, 'The list has 101 people: at most 100 are added at once.')
  t.match(refused.text, 'p100@example.com', 'what was pasted stays')
})
