// What the console shows of texts that others wrote, how it edits records, and what it shows once.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { changeClient, changeUser, createClient } from '../../../support/records.ts'
import { fieldsOf, indexUsers, withRecords } from '../../../support/scene/operators.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Page } from '../../../support/visitor.ts'

const MARKUP = '<img src=x onerror=alert(1)>"\'&<script>alert(1)</script>'
const RTL = 'א\u202Eevil\u2066'
const EMOJI = '👩🏽‍🚀🏳️‍🌈'
const LONG = 'x'.repeat(10_000)

const isText = ({ text }: Page) => !/<img|<script>|onerror=alert\(1\)>"/.test(text)

t.test('H2 names with markup, marks of direction, emoji and 10 kB are text everywhere', async (t) => {
  const { operator, storage, visitor } = await scene(t, { with: ['console'] })
  const names = { name: MARKUP, nickname: RTL, given_name: EMOJI }
  await changeUser(storage, 'alice', { set: names })
  await changeUser(storage, 'bob', { set: { name: LONG, 'claim:title': LONG + MARKUP } })
  // As it would be after its own registration, or a hand edit.
  const { client_secret_hash: _, ...open } = CLIENTS.web
  const hash = formatClient({
    ...open,
    client_id: 'open',
    is_public: true,
    registered_at: new Date().toISOString(),
  })
  const uris = {
    client_uri: 'https://evil.example/"><img>',
    redirect_uris: `https://evil.example/${MARKUP.replaceAll(' ', '%20')}`,
  }
  await createClient(storage, 'open', { ...hash, ...uris, client_name: MARKUP })
  const browser = visitor()
  browser.headers['user-agent'] = MARKUP
  asPage(await signInOn(browser, await browser.page('/console'), 'alice'))
  const ada = await operator()
  for (const path of [
    ...[
      '/people',
      '/people/alice',
      '/people/alice/sessions',
      '/people/alice/edit',
      '/people/alice/applications',
      '/people/bob',
      '/people/bob/edit',
    ],
    ...[
      '/applications',
      '/applications/open',
      '/applications/open/edit',
      '/groups',
      '/events',
      '/explain',
      '',
    ],
    `/search?q=${encodeURIComponent(MARKUP)}`,
    `/people?q=${encodeURIComponent(MARKUP)}`,
    `/applications/open?uri=${encodeURIComponent(MARKUP)}`,
    `/explain?id=${encodeURIComponent(MARKUP)}`,
    `/people/${encodeURIComponent(MARKUP)}`,
    `/people/${encodeURIComponent(MARKUP)}/disable`,
    `/events?actor=${encodeURIComponent(MARKUP)}`,
    `/people?done=${encodeURIComponent(MARKUP)}&n=${encodeURIComponent(MARKUP)}`,
  ]) {
    const page = await ada.page(`/console${path}`)
    t.ok(isText(page), path)
    t.ok(page.status < 500, path)
  }
  const { text } = await ada.page('/console/people/alice')
  t.match(text, '&lt;img src=x onerror=alert(1)&gt;')
  t.match(text, EMOJI)
  t.match(text, `<bdi>${RTL}</bdi>`, 'which is apart from the text around it')
})

t.test('a change is shown before it is saved', async (t) => {
  const { operator, storage, trail } = await scene(t, { with: ['console'] })
  await indexUsers(storage)
  const ada = await operator()
  const form = await ada.page('/console/applications/web/edit')
  const fields = fieldsOf(form)
  t.equal(fields.client_name, 'Web application')
  const typed = { ...fields, client_name: 'Shop', who: 'groups', allowed_groups: 'staff\r\nboard\r\n' }
  const preview = asPage(await ada.submit(form, typed))
  t.match(preview, { status: 200, title: 'Save this change to Web application?' })
  t.match(
    preview.text,
    /client_name<\/code><\/th><td><del><bdi>Web application<\/bdi><\/del><\/td><td><ins><bdi>Shop</,
  )
  t.match(preview.text, '<bdi>staff\nboard</bdi>', 'an entry in each line')
  const read = () =>
    storage.records.read({ name: 'client', parse: (hash) => ({ ok: true, record: hash }) }, 'web')
  t.equal((await read())?.hash.client_name, 'Web application', 'nothing is saved yet')
  const edited = asPage(await ada.submit(preview, { edit: 'again' }))
  t.match(fieldsOf(edited), { client_name: 'Shop', allowed_groups: 'staff\r\nboard' }, 'what was typed stays')
  t.equal((await read())?.hash.client_name, 'Web application', 'and is not saved')
  t.match(asPage(await ada.submit(asPage(await ada.submit(edited, fieldsOf(edited))), {})), {
    ...{ status: 200, title: 'Shop' },
  })
  t.match((await read())?.hash, {
    client_name: 'Shop',
    allowed_groups: 'staff board',
    allowed_scopes: 'openid api.read api.write',
  })
  t.match((await trail()).find(({ event }) => event === 'client_changed')?.actor.username, 'ada')

  const none = asPage(
    await ada.submit(
      await ada.page('/console/applications/web/edit'),
      fieldsOf(await ada.page('/console/applications/web/edit')),
    ),
  )
  t.match(none, { status: 422 })
  t.match(none.text, 'Nothing would change.')
  const again = await ada.page('/console/applications/web/edit')
  const wrong = asPage(
    await ada.submit(again, { ...fieldsOf(again), access_token_ttl: 'soon', client_name: 'Kept' }),
  )
  t.equal(wrong.status, 422)
  t.match(wrong.text, 'access_token_ttl must be a whole number')
  t.notMatch(wrong.text, 'Only what redmint notes itself changed', 'nobody changed it meanwhile')
  t.equal(fieldsOf(wrong).client_name, 'Kept', 'what was typed stays')
})

t.test('H4 of two operators nobody overwrites the other: the second sees what changed', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page('/console/applications/web/edit')
  const typed = {
    ...fieldsOf(form),
    redirect_uris: 'https://app.example.com/callback\r\nhttps://app.example.com/new',
  }
  const preview = asPage(await ada.submit(form, typed))
  await changeClient(storage, 'web', { set: { client_name: 'By somebody else' } })
  const stale = asPage(await ada.submit(preview, {}))
  t.match(stale, { status: 409 })
  t.match(stale.text, 'This was changed since you opened the form. Nothing was saved.')
  t.match(stale.text, 'What changed meanwhile')
  t.match(
    stale.text,
    /Name<br><code class="quiet">client_name<\/code><\/th><td[^>]*><bdi>Web application<\/bdi><\/td><td[^>]*><bdi>By somebody else</,
  )
  t.notMatch(stale.text, 'allowed_scopes</code></th>', 'what did not change is not named')
  const fields = fieldsOf(stale)
  t.equal(fields.client_name, 'By somebody else', 'what she did not touch is as it is now')
  t.match(fields.redirect_uris, 'https://app.example.com/new', 'what she typed stays')
  const second = asPage(await ada.submit(stale, fields))
  t.equal(second.title, 'Save this change to By somebody else?')
  t.notMatch(second.text, 'client_name</code></th>')
  t.match(asPage(await ada.submit(second, {})), { status: 200, title: 'By somebody else' })
  const first = asPage(await ada.submit(form, { ...typed, client_name: 'Old' }))
  t.equal(first.status, 409, 'a form of before cannot even show a difference')
})

t.test('a person is edited by her claims, and members that are taken out go', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page('/console/people/alice/edit')
  const is_verified = /name="verified" value="true" checked/.test(form.text)
  const fields: Record<string, string> = { ...fieldsOf(form), ...(is_verified && { verified: 'true' }) }
  t.equal(fields['claim-name'], 'Alice Example')
  const unchanged = asPage(await ada.submit(form, fields))
  t.match(unchanged.text, 'Nothing would change.', 'what nobody touches is as it was')
  const typed = { ...fields, 'claim-name': '', 'claim-given_name': 'Alice', groups: '\r\nstaff' }
  const preview = asPage(await ada.submit(await ada.page('/console/people/alice/edit'), typed))
  t.equal(preview.status, 200)
  const saved = asPage(await ada.submit(preview, {}))
  t.match(saved.text, '<span class="chip"><bdi>staff</bdi></span>')
  t.match(saved.text, '<dt>First name</dt><dd><bdi>Alice</bdi>')
  // The form that takes it back has what was there.
  t.notMatch(saved.text.replace(/<form class="undo"[\s\S]*?<\/form>/, ''), 'Alice Example')
})

t.test(
  'H6 a secret is shown once: the form that made it makes no other one, and shows it no more',
  async (t) => {
    const { operator } = await scene(t, { with: ['console'] })
    const ada = await operator()
    const question = await ada.page('/console/applications/web/secret')
    const made = asPage(await ada.submit(question, { keep: '0' }))
    t.match(made, { status: 200, title: 'The new secret' })
    const secret = /<pre tabindex="0"><bdi>([\w-]{20,})<\/bdi>/.exec(made.text)?.[1] ?? ''
    t.not(secret, '')
    t.equal(made.headers['cache-control'], 'no-store')
    const again = asPage(await ada.submit(question, { keep: '0' }))
    t.match(again, { status: 409, title: 'This form was sent already' })
    for (const path of [
      '/applications/web',
      '/applications/web/edit',
      '/applications/web/settings?for=express',
      '/events',
    ])
      t.notMatch((await ada.page(`/console${path}`)).text, secret, path)
  },
)

t.test('what only the operator can say of a new application is asked for', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const added = async (kind: string, typed: Record<string, string>) =>
    asPage(
      await ada.submit(await ada.page(`/console/applications/new?for=${kind}`), {
        kind,
        client_name: `New ${kind}`,
        redirect_uris: '',
        allowed_scopes: '',
        origin: '',
        ...typed,
      }),
    )
  t.match(await added('mcp', {}), { status: 422, text: /Say what its tokens may be for/ })
  t.match(await added('mcp', { allowed_scopes: 'notes.read' }), { status: 200, text: /notes\.read/ })
  t.match(await added('ios', {}), { status: 422, text: /Say where people come back to/ })
  t.match(await added('go', {}), { status: 422, text: /Say where it is/ })
  const address = 'https://orders.example.com'
  t.match(await added('go-api', { redirect_uris: address }), { status: 422, text: /Say where the API is/ })
  t.match(await added('go-api', { origin: address }), { status: 200, text: `RESOURCE=&quot;${address}` })

  const settings = '/console/applications/new-go-api/settings?for=go-api'
  const asked = await ada.page(settings)
  t.match(asked.text, /name="origin"[\s\S]*Say where the API is/)
  t.notMatch(asked.text, 'RESOURCE')
  const shown = await ada.page(`${settings}&origin=${encodeURIComponent(address)}`)
  t.match(shown.text, `RESOURCE=&quot;${address}`)
})

t.test(
  'an application is registered by what it is, and a name is typed before something is removed',
  async (t) => {
    const { operator } = await scene(t, { with: ['console'] })
    const ada = await operator()
    const form = await ada.page('/console/applications/new?for=web')
    const typed = {
      client_id: 'bazaar',
      client_name: 'Shop',
      redirect_uris: 'https://shop.example/cb',
      allowed_scopes: 'openid',
    }
    const made = asPage(await ada.submit(form, { ...typed, kind: 'web' }))
    t.match(made, { status: 200, title: 'Shop is ready to connect' })
    const taken = asPage(
      await ada.submit(await ada.page('/console/applications/new?for=web'), { ...typed, kind: 'web' }),
    )
    t.equal(taken.status, 409)
    const job = {
      client_id: 'job',
      client_name: '',
      redirect_uris: '',
      allowed_scopes: 'api.read',
      kind: 'machine',
    }
    t.equal(asPage(await ada.submit(await ada.page('/console/applications/new?for=web'), job)).status, 200)
    const page = { ...typed, client_id: 'page', kind: 'single_page' }
    const open = asPage(await ada.submit(await ada.page('/console/applications/new?for=web'), page))
    t.match(open, { title: 'Shop is ready to connect' })
    t.match((await ada.page('/console/applications/page')).title, 'Shop')
    const known = await ada.page('/console/applications/bazaar?uri=https%3A%2F%2Fshop.example%2Fcb')
    t.match(known.text, 'is registered')
    t.match(
      (await ada.page('/console/applications/bazaar?uri=https%3A%2F%2Fshop.example%2Fcb%2F')).text,
      'is not registered',
    )

    const remove = await ada.page('/console/applications/bazaar/remove')
    t.match(asPage(await ada.submit(remove, { typed: 'Shop' })), { status: 422 })
    t.equal((await ada.page('/console/applications/bazaar')).status, 200)
    const second = await ada.page('/console/applications/bazaar/remove')
    t.match(asPage(await ada.submit(second, { typed: 'bazaar' })), { title: 'Applications' })
    t.equal((await ada.page('/console/applications/bazaar')).status, 404)
  },
)

t.test('the search opens what is the only one, and a refusal is explained by its id', async (t) => {
  const { operator, get, storage } = await scene(t, { with: ['console'], explain: { delay: 1 } })
  for (const username of ['alice', 'bob']) await indexUser(storage, username)
  const ada = await operator()
  const at = async (q: string) => (await ada.page(`/console/search?q=${encodeURIComponent(q)}`)).url
  t.equal(await at('alice@example.com'), '/console/people/alice')
  t.equal(await at('sub-of-bob'), '/console/people/bob')
  t.equal(await at('service'), '/console/applications/service')
  const refused = await get(
    '/oauth2/authorize?client_id=web&redirect_uri=https://app.example.com/wrong&response_type=code',
  )
  const id = String(refused.headers['x-request-id'])
  t.equal(refused.status, 400)
  await until('the refusal is kept', async () => (await at(id)) === `/console/explain?id=${id}`)
  const { text } = await ada.page(`/console/explain?id=${id}`)
  t.match(text, 'https://app.example.com/<mark>wrong</mark>')
  t.match(text, 'https://app.example.com/<mark>callback</mark>')
})

t.test('a malformed record says once what is wrong, and shows what is stored', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  await changeClient(storage, 'web', { set: { access_token_ttl: 'long' } })
  await changeUser(storage, 'bob', { set: { second_factor: 'maybe' } })
  const kind = { name: 'resource', listed: true } as const
  await storage.records.put({ kind, id: 'https://bad.example.com', hash: { access_token_ttl: 'long' } })
  const ada = await operator()
  for (const [path, field, value, label = field] of [
    ['/applications/web', 'access_token_ttl', 'long', 'Access tokens are valid for (seconds)'],
    ['/people/bob', 'second_factor', 'maybe'],
    [
      `/apis/${encodeURIComponent('https://bad.example.com')}`,
      'access_token_ttl',
      'long',
      'Access tokens are valid for (seconds)',
    ],
  ] as const) {
    const { text } = await ada.page(`/console${path}`)
    t.match(
      text,
      new RegExp(`What is wrong</dt><dd><ul><li><bdi>${field} (?!is ${field})[^<{]*</bdi></li></ul>`),
      path,
    )
    t.match(text, `<dt>${label}</dt><dd><bdi>${value}</bdi>`, path)
    t.notMatch(text, '{&quot;', 'nothing is JSON')
  }
})

t.test('a client that a document describes is disabled before it has a record', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const id = 'https://tool.example.net/oauth/client.json'
  const question = await ada.page(`/console/applications/${encodeURIComponent(id)}/disable`)
  t.match(question, { status: 200, title: `Disable ${id}?` })
  t.match(asPage(await ada.submit(question, {})).text, 'The application is disabled')
  const read = await storage.records.read(
    { name: 'client', parse: (hash) => ({ ok: true, record: hash }) },
    id,
  )
  t.equal(read?.hash.disabled, 'true')
  t.equal((await ada.page('/console/applications/nobody/disable')).status, 404, 'a name without a record')
})

t.test('a provider is added with its secret in one form, which shows the secret to nobody', async (t) => {
  const key_encryption_key = randomBytes(32)
  const { operator, storage } = await scene(t, { with: ['console'], key_encryption_key })
  const ada = await operator()
  const form = await ada.page('/console/providers/new')
  t.match(form.text, /<input id="f-client_secret" name="client_secret" type="password" value=""/)
  const typed = { client_id: 'redmint', client_secret: 'a-secret-of-acme', issuer: 'https://acme.example' }
  const refused = asPage(await ada.submit(form, { ...typed, provider: 'no name' }))
  t.equal(refused.status, 422)
  t.notMatch(refused.text, typed.client_secret)
  t.match(asPage(await ada.submit(refused, { ...typed, provider: 'acme' })), { status: 200 })
  const stored = (await storage.records.read(PROVIDER, 'acme'))?.hash ?? {}
  t.ok(stored.client_secret_sealed)
  t.notMatch(JSON.stringify(stored), typed.client_secret)
})
