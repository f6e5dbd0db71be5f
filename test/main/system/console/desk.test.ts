// What operators do at the console: taking back, tokens, wizard, filters, files, and names that paths do not carry.
import t from 'tap'
import { indexAdministrator } from '../../../../src/users/administrators.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { signIn as makeFamily } from '../../../support/contract/family.ts'
import { changeClient, changeUser, createUser, issueClientToken } from '../../../support/records.ts'
import { fieldsOf, indexUsers } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, type Page } from '../../../support/visitor.ts'

const undoOf = ({ text }: Page) => /<form class="undo"[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
const pressed = ({ text }: Page) => {
  const form = undoOf({ text } as Page)
  const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
  ])
  return {
    action: /action="([^"]*)"/.exec(form)?.[1] ?? '',
    body: new URLSearchParams(Object.fromEntries(fields)).toString(),
  }
}

t.test('what was done names its event, and is undone while the record is as it was left', async (t) => {
  const { operator, storage, trail } = await scene(t, { with: ['console'] })
  await indexUsers(storage)
  const ada = await operator()
  const done = asPage(await ada.submit(await ada.page('/console/people/bob/disable'), {}))
  const [entry] = (await trail()).filter(({ event }) => event === 'user_disabled')
  t.match(done.text, `<a href="/console/events?id=${entry?.id}">See the event</a>`)
  const shown = await ada.page(`/console/events?id=${entry?.id}`)
  t.match(shown, { title: 'ada disabled Bob' })
  t.equal(shown.text.split('<span class="face"').length - 1, 2, 'that one alone, beside who looks')
  const { action, body } = pressed(done)
  t.equal(action, '/console/people/bob/enable')
  t.equal((await ada.request('POST', action, body)).status, 303)
  t.notMatch((await ada.page('/console/people/bob')).text, 'state bad">disabled')

  const again = asPage(await ada.submit(await ada.page('/console/applications/web/disable'), {}))
  await changeClient(storage, 'web', { set: { client_name: 'By somebody else' } })
  const late = pressed(again)
  const refused = await ada.request('POST', late.action, late.body)
  t.equal(refused.status, 409)
  t.match(refused.text, 'Nothing was saved')
  t.match((await ada.page('/console/applications/web')).text, 'state bad">disabled')
})

t.test('a setting that was changed is given back, and a link of somebody else undoes nothing', async (t) => {
  const { operator, passWithKeys } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page('/console/applications/web/edit')
  const before = fieldsOf(form).allowed_scopes ?? ''
  t.not(before, '')
  const name = /name="client_name" type="text" value="([^"]*)"/.exec(form.text)?.[1] ?? ''
  const hidden = form.hidden.before ?? ''
  const kept = JSON.parse(hidden) as Record<string, string>
  const preview = asPage(await ada.submit(form, { ...kept, client_name: 'Changed' }))
  t.match(preview.text, 'Advice', 'lint speaks before anything is saved')
  const saved = asPage(await ada.submit(preview, {}))
  t.equal(saved.title, 'Changed')
  const { action, body } = pressed(saved)
  t.equal(action, '/console/applications/web/edit')
  t.equal((await ada.request('POST', action, body)).status, 303)
  t.equal((await ada.page('/console/applications/web')).title, name)

  const other = await operator()
  t.equal(undoOf(await other.page(saved.url)), '', 'not in another session')
  t.equal(undoOf(await ada.page(saved.url.replace(/undo=[^&]*/, 'undo=x'))), '')
  await passWithKeys(590)
  t.not(undoOf(await ada.page(saved.url)), '', 'for ten minutes')
  await passWithKeys(11)
  t.equal(undoOf(await ada.page(saved.url)), '')
})

t.test('a pasted token is explained with its family, and is nowhere on the page', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const look = async (token: string) =>
    asPage(await ada.submit(await ada.page('/console/explain/token'), { token }))
  const own = await issueClientToken(storage, { client_id: 'service' })
  const page = await look(` ${own}\r\n`)
  t.match(page, {
    status: 200,
    title: 'An access token of Service, valid',
    url: '/console/explain/token',
  })
  t.match(page.text, 'the application acts for itself')
  t.notMatch(page.text, own)
  const { access_token, refresh_token, grant } = await makeFamily(storage)
  const family = await look(refresh_token)
  t.match(family.text, 'it is a refresh token, which only the token endpoint accepts')
  t.match(family.text, /Access token <span class="state good">valid/)
  t.match(
    family.text,
    /<div class="inside tree"><p><b>Sign-in[\s\S]*Refresh token <span class="state good">valid/,
  )
  for (const token of [access_token, refresh_token])
    t.notMatch(family.text, token.split('.')[1], 'nothing that could be used')
  await storage.families.revokeFamily(grant)
  t.match((await look(access_token)).text, 'state bad">ended')
  const unknown = asPage(await ada.submit(await ada.page('/console/explain/token'), { token: 'x.y' }))
  t.match(unknown.title, 'This is no token that counts here')
  t.match((await look(`${'x'.repeat(16)}.${'y'.repeat(43)}`)).text, 'no sign-in here has such a token')
})

t.test('an application is registered by the name of its framework, and its sign-in is tried', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const typed = { client_id: 'board', client_name: '', redirect_uris: '', allowed_scopes: '' }
  const without = asPage(
    await ada.submit(await ada.page('/console/applications/new?for=web'), {
      ...typed,
      kind: 'grafana',
      origin: '',
    }),
  )
  t.match(without, { status: 422 })
  t.match(without.text, 'Say where it is')
  const made = asPage(
    await ada.submit(await ada.page('/console/applications/new?for=web'), {
      ...typed,
      kind: 'grafana',
      origin: 'https://board.example.com',
    }),
  )
  t.match(made.text, 'grafana.ini')
  t.match(made.text, '/console/applications/board/try')
  const page = await ada.page('/console/applications/board')
  t.match(page.text, 'https://board.example.com/login/generic_oauth')
  const attempt = await ada.page('/console/applications/board/try')
  t.match(attempt.text, 'redirect_uri=https%3A%2F%2Fboard.example.com%2Flogin%2Fgeneric_oauth')
  t.notMatch(attempt.text, 'redirect_uri=https%3A%2F%2Fauth.example.com', 'the console adds no redirect URI')
  const unlisted = await ada.submit(await ada.page('/console/applications/new?for=web'), {
    ...typed,
    kind: 'toString',
  })
  t.match(asPage(unlisted), { status: 422 })
  t.match(asPage(unlisted).text, 'Choose what it is from the cards.')
  for (const kind of ['web', 'single_page', 'mobile']) {
    const nowhere = await ada.submit(await ada.page('/console/applications/new?for=web'), {
      ...typed,
      kind,
      origin: '',
    })
    t.match(asPage(nowhere), { status: 422 }, `${kind}: it would be a machine`)
    t.match(asPage(nowhere).text, 'Say where people come back to')
    const uri = kind === 'mobile' ? 'com.example.app:/cb' : 'https://app.example.com/cb'
    const form = { ...typed, client_id: `my-${kind}`, kind, origin: '', redirect_uris: uri }
    asPage(await ada.submit(await ada.page('/console/applications/new?for=web'), form))
    const scopes = fieldsOf(await ada.page(`/console/applications/my-${kind}/edit`)).allowed_scopes
    t.equal(scopes, 'openid\r\nprofile\r\nemail', `${kind}: who signs in has a name`)
  }
  for (const kind of ['mcp', 'device']) {
    const answer = await ada.submit(await ada.page('/console/applications/new?for=web'), {
      ...typed,
      client_id: kind,
      kind,
      origin: '',
      allowed_scopes: 'api.read',
    })
    t.match(asPage(answer), { status: 200, title: `${kind} is ready to connect` })
  }
  const back = await ada.page(
    '/console/tried?code=very-secret&state=board&iss=https%3A%2F%2Fauth.example.com',
  )
  t.match(back.text, 'The sign-in <span class="state good">works')
  t.notMatch(back.text, 'very-secret')
  t.match(back.text, /From this issuer<\/dt><dd><span class="state good">/)
  const foreign = await ada.page('/console/tried?code=x&state=board&iss=https%3A%2F%2Fevil.example')
  t.match(foreign.text, /From this issuer<\/dt><dd><span class="state bad">/)
  t.match((await ada.page('/console/tried?error=access_denied&state=board')).text, 'was refused')
})

t.test('people are filtered, and names that a path cannot carry have a page', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  await changeUser(storage, 'bob', { set: { disabled: 'true' } })
  const names = async (query: string) =>
    [
      ...(await ada.page(`/console/people?${query}`)).text.matchAll(
        /<a class="name" href="\/console\/people\/([^"]*)"/g,
      ),
    ].map(([, name]) => name)
  t.same(await names('only=disabled'), ['bob'])
  t.same(await names('only=locked'), [])
  t.same(await names('only=admin'), [], 'a hand wrote them, and the index has none yet')
  await indexAdministrator(storage, 'ada', true)
  t.same(await names('only=admin'), ['ada'])
  t.ok((await names('only=no_second_step')).includes('alice'))
  await changeUser(storage, 'bob', { set: { 'claim:groups': '["staff"]' } })
  t.same(await names('group=staff'), ['bob'], 'who types a group means its members')
  t.ok((await names('only=group&group=')).length > 1, 'no name of a group is that of none')
  const unread = await ada.page('/console/people?only=not_seen&days=soon')
  t.match(unread.text, /aria-current="true">Not seen for 90 days</, 'what counts is what is shown')
  t.notMatch(unread.text, '/export/people.csv', 'the file would have others, too')
  t.match((await ada.page('/console/people')).text, '/export/people.csv')
  const unseen = await names('only=not_seen&days=1')
  t.ok(unseen.includes('alice') && !unseen.includes('ada'), 'who signed in just now was seen')
  for (const name of ['.', '..', 'new', '~.', '~']) await createUser(storage, name, { sub: `sub-${name}` })
  const { text } = await ada.page('/console/people')
  const links = [...text.matchAll(/<a class="name" href="([^"]*)"><bdi>([^<]*)/g)]
  for (const [, href = '', name = ''] of links) {
    // As a browser resolves it.
    const { pathname } = new URL(href, 'https://auth.example.com')
    t.equal((await ada.page(pathname)).title, name)
  }
  t.ok(links.some(([, , name]) => name === '..'))
})

t.test('H2: a file has no formulas', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await changeUser(storage, 'alice', { set: { name: '=HYPERLINK("https://evil.example")' } })
  await changeClient(storage, 'web', { set: { client_name: '@SUM(1)' } })
  const ada = await operator()
  const people = await ada.request('GET', '/console/export/people.csv')
  t.match(people, {
    status: 200,
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment' },
  })
  t.match(people.text, /^username,sub,/)
  t.match(people.text, `"'=HYPERLINK(""https://evil.example"")"`)
  t.match((await ada.request('GET', '/console/export/applications.csv')).text, `"'@SUM(1)"`)
  t.match((await ada.request('GET', '/console/export/events.csv')).text, 'sign_in_succeeded')
  const ben = await operator('ben')
  await changeUser(storage, 'ben', { set: { admin: 'redmint:clients:read' } })
  t.equal((await ben.request('GET', '/console/export/people.csv')).status, 403)
})

t.test(
  'a malformed account, a removed one and a part of the rights leave the filters of people right',
  async (t) => {
    const { operator, storage, visitor } = await scene(t, { with: ['console'], sign_in_failures: 2 })
    await createUser(storage, 'bo', { sub: 'sub-of-bo' })
    await createAdministrator(storage, 'dora', 'redmint:users:read')
    const [ada, dora] = [await operator(), await operator('dora')]
    const guesser = visitor()
    const login = await guesser.page('/console')
    for (let i = 0; i < 3; i += 1) await guesser.submit(login, { username: 'bo', password: 'wrong' })
    const rows = async (reader: typeof ada, query: string) =>
      (await reader.page(`/console/people?${query}`)).text.match(/<th scope="row">.*?<\/th>/g)?.join() ?? ''
    t.match(await rows(ada, 'only=locked'), '/people/bo"')
    t.equal(await rows(dora, 'only=locked'), '')
    t.match(
      await dora.page('/console/people?only=locked'),
      { status: 200 },
      'who may not see lockouts sees none',
    )
    await storage.records.remove(USER, 'bo', undefined)
    t.equal(await rows(ada, 'only=locked'), '', 'nobody else whose name begins like it is locked out')
    await changeUser(storage, 'bob', { set: { second_factor: 'maybe' } })
    const lacking = await rows(ada, 'only=no_second_step')
    t.match(lacking, '/people/alice"')
    t.notMatch(lacking, '<bdi>bob</bdi>', 'nobody can say it of a malformed account')
  },
)

t.test('a search finds what its operator may see, and no token', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'dora', 'redmint:users:read')
  const [ada, dora] = [await operator(), await operator('dora')]
  t.equal((await ada.page('/console/search?q=web')).url, '/console/applications/web')
  t.match((await dora.page('/console/search?q=web')).text, 'Nothing has this name')
  t.equal((await dora.page('/console/search?q=alice')).url, '/console/people/alice')
  const token = await issueClientToken(storage, { client_id: 'service' })
  t.match((await ada.page(`/console/search?q=${token}`)).text, 'Paste a token into the box')
  const pasted = asPage(await dora.submit(await dora.page('/console/find'), { q: token }))
  t.match(pasted, { status: 403, title: 'This is a token' })
  t.notMatch(pasted.text, token)
})
