// Who is listed besides the people who are here: those who are invited, and those of a group; and what the groups page says.

import t from 'tap'
import { createAdministrator } from '../../../support/admin.ts'
import { changeClient, changeUser, createUser } from '../../../support/records.ts'
import { pathOf } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

/** The rows of the tables of a page, as text. */
const rowsAt = async (visitor: Visitor, path: string) =>
  [...(await visitor.page(`/console${path}`)).text.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/gs)].map(
    ([, row = '']) =>
      row
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
  )
const rowsOf = (visitor: Visitor, query: string) => rowsAt(visitor, `/people?${query}`)

async function invite(visitor: Visitor, typed: Record<string, string>) {
  const page = asPage(await visitor.submit(await visitor.page('/console/invitations/new'), typed))
  return /<pre tabindex="0"><bdi>([^<]*)/.exec(page.text)?.[1] ?? ''
}

t.test('an invitation to an address is listed until somebody used it', async (t) => {
  const { operator, visitor, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  t.same(await rowsOf(ada, 'only=invited'), [])
  const form = { groups: '', days: '7', send: '' }
  const url = await invite(ada, { ...form, email: 'Zoe@example.com', uses: '1' })
  await invite(ada, { ...form, email: '', uses: '5' })
  t.match(await rowsOf(ada, 'only=invited'), [
    /Zoe@example\.com Invited until .* not chosen yet none never$/i,
  ])
  t.equal((await rowsOf(ada, 'only=invited&q=ZOE')).length, 1)
  t.equal((await rowsOf(ada, 'only=invited&q=oe')).length, 0)
  const zoe = visitor()
  const welcome = await zoe.page(pathOf(url))
  asPage(await zoe.submit(welcome, { username: 'zoe', password: 'correct horse battery' }))
  t.match((await rowsOf(ada, 'q=zoe')).length, 1)
  t.same(await rowsOf(ada, 'only=invited'), [], 'who is here is no longer invited')
  t.notMatch((await ada.page('/console/invitations')).text, /zoe@example/i, 'nor does it wait')
  for (let i = 0; i < 201; i += 1)
    await storage.records.put({
      kind: { name: 'user-invitation', listed: true },
      id: `${i}`.padStart(16, '0'),
      hash: {
        secret_hash: 'x',
        uses_left: '1',
        created_at: '2026-11-28T00:00:00Z',
        expires_at: '2026-12-28T00:00:00Z',
        by_kind: 'command',
        groups: '[]',
      },
    })
  const { text } = await ada.page('/console/people?only=invited')
  t.match(text, '200 invitations were looked at')
  t.match(text, /only=invited&amp;.*cursor=/, 'and it goes on there')
})

t.test('the people of a group, and how many are in each', async (t) => {
  const { operator, storage, passWithKeys } = await scene(t, {
    with: ['console'],
    keepers: { every: 20 },
    groups_claim: 'roles',
  })
  await changeUser(storage, 'alice', {
    set: { 'claim:roles': '["staff","board"]', 'claim:groups': '["no"]' },
  })
  await createUser(storage, 'carl', { sub: 'sub-of-carl', 'claim:roles': '"staff"' })
  await changeClient(storage, 'web', { set: { allowed_groups: 'staff guests', required_acr: '2' } })
  const ada = await operator()
  const names = async (query: string) =>
    [
      ...(await ada.page(`/console/people?${query}`)).text.matchAll(
        /<a class="name" href="[^"]*\/([^"/]*)"/g,
      ),
    ].map(([, name]) => name)
  t.same(await names('only=group&group=staff'), ['alice', 'carl'])
  t.same(await names('only=group&group=board'), ['alice'])
  t.same(await names('only=group&group=no'), [])
  await passWithKeys(90_000)
  const again = await operator()
  const rows = () => rowsAt(again, '/groups')
  await until('people are counted', async () => (await rows()).some((row) => row.startsWith('board 1')))
  t.match(await rows(), [
    'board 1 0 none: it changes nothing',
    'guests 0 1 Web application with a second step',
    'staff 2 1 Web application with a second step',
  ])
  t.match((await again.page('/console/groups')).text, '/console/people?only=group&amp;group=staff')
})

t.test('groups say how strongly to sign in, and who has rights, to those who may see people', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'dora', 'redmint:clients:read')
  await changeClient(storage, 'web', { set: { allowed_groups: 'staff', required_acr: '2 phr 9' } })
  const of_web = 'Web application with a second step or a passkey or acr 9'
  for (const [username, people, sees_rights] of [
    ['ben', 'not counted', true],
    ['dora', 'not shown', false],
  ] as const) {
    const visitor = await operator(username)
    t.same(await rowsAt(visitor, '/groups'), [`staff ${people} 1 ${of_web}`])
    t.equal((await visitor.page('/console/groups')).text.includes('>Administrators<'), sees_rights)
  }
})
