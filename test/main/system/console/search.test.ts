// The search of the console: records by their names first, then ids, and a token only if it can be nothing else.
import t from 'tap'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const PEOPLE = {
  anna: { name: 'Anna Kowalski', email: 'anna.garcia362@example.com' },
  hannah: { name: 'Hannah Osei', email: 'hannah.osei@example.org' },
  abcdefghijklmnop: { name: 'Sixteen Characters' },
}
const PUBLIC = {
  is_public: 'true',
  redirect_uris: 'https://app.example.com/cb',
  allowed_scopes: 'openid',
  grant_types: 'authorization_code',
}

t.test('the search finds people, applications and providers by their names', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  for (const [username, claims] of Object.entries(PEOPLE))
    await createUser(storage, username, { sub: username, ...claims })
  await createClient(storage, 'com.example.phone', { ...PUBLIC, client_name: 'Savanna planner' })
  const partner = { name: 'Partner', kind: 'oidc', issuer: 'https://partner.example.com', client_id: 'us' }
  await storage.records.put({ kind: PROVIDER, id: 'acme', hash: partner })
  const ada = await operator()
  const search = (q: string) => ada.page(`/console/search?q=${encodeURIComponent(q)}`)
  for (const [q, url] of [
    ['anna.garcia362@example.com', '/console/people/anna'],
    ['GARCIA362', '/console/people/anna'],
    ['kowalski anna', '/console/people/anna'],
    ['com.example.phone', '/console/applications/com.example.phone'],
    ['savanna', '/console/applications/com.example.phone'],
    ['Partner', '/console/providers/acme'],
    ['abcdefghijklmnop', '/console/people/abcdefghijklmnop'],
  ] as const)
    t.equal((await search(q)).url, url, q)
  const { text } = await search('anna')
  const order = ['<b>Anna</b> Kowalski', 'H<b>anna</b>h Osei', 'Sav<b>anna</b> planner']
  t.strictSame(
    order.map((one) => text.indexOf(one)).sort((a, b) => a - b),
    order.map((one) => text.indexOf(one)),
  )
  for (const one of order) t.match(text, one)
  t.match(text, '<h1>2 people, 1 application for “anna”</h1>')
  t.match(text, '<b>anna</b>.garcia362@example.com', 'what is found is bold wherever it stands')
  t.match(text, 'href="/console/people?q=anna">All in People</a>')
  const none = await search('<i>nobody</i>')
  t.match(none.text, 'Nothing has this name')
  t.match(none.text, 'href="/console/people">All people</a>')
})

t.test('an address or a client id with two dots is no token in the box', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  for (const [username, claims] of Object.entries(PEOPLE))
    await createUser(storage, username, { sub: username, ...claims })
  await createClient(storage, 'com.example.phone', { ...PUBLIC, client_name: 'Phone' })
  const ada = await operator()
  const find = async (q: string) => asPage(await ada.submit(await ada.page('/console/find'), { q }))
  t.equal((await find('anna.garcia362@example.com')).url, '/console/people/anna')
  t.equal((await find(' com.example.phone ')).url, '/console/applications/com.example.phone')
  t.match((await find('no.such.name')).text, 'Nothing has this name')
  const header = Buffer.from('{"alg":"ES256","typ":"JWT"}').toString('base64url')
  for (const token of [`${header}.e30.c2ln`, `${header}.e30`, `${header}.a.b.c.d`]) {
    const { text } = await find(token)
    t.match(text, '<h1>This is no token that counts here</h1>', token)
  }
})

t.test('an operator who may read only some kinds is told what was not looked in', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'dora', 'redmint:clients:read')
  await createUser(storage, 'anna', { sub: 'anna', name: 'Anna Kowalski' })
  const dora = await operator('dora')
  const { text } = await dora.page('/console/search?q=kowalski')
  t.match(text, 'Nothing has this name')
  t.match(
    text,
    'Not looked in people, groups, sessions: that takes the right <code>redmint:users:read</code>.',
  )
  t.match(text, 'Not looked in providers: that takes the right <code>redmint:apis:read</code>.')
  t.notMatch(text, 'Not looked in applications')
  t.notMatch((await (await operator()).page('/console/search?q=nobody')).text, 'Not looked in')
})
