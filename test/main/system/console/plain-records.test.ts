// APIs, trusted issuers and providers in the console: an empty page begins them, a form in words adds and edits them.
import t from 'tap'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { PAYMENT_SCHEMA } from '../../../support/details.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { fieldsOf } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, type Page } from '../../../support/visitor.ts'

const { operator, storage } = await scene(t, { with: ['console'] })
const ada = await operator()

/** What a browser sends of a form that nobody touched. */
const typedIn = (form: Page) => ({
  ...fieldsOf(form),
  ...Object.fromEntries(
    [...form.text.matchAll(/<input type="checkbox" name="(\w+)" value="true" checked>/g)].map(
      ([, name = '']) => [name, 'true'],
    ),
  ),
})

t.test('what there is none of says what it is for, and begins it', async (t) => {
  for (const [path, add] of [
    ['/apis', 'Add API'],
    ['/details', 'Add type'],
    ['/issuers', 'Add trusted issuer'],
    ['/providers', 'Add provider'],
  ] as const) {
    const { text } = await ada.page(`/console${path}`)
    t.match(text, `href="/console${path}/new"`, path)
    t.match(text, `${add}</a>`)
    t.equal(text.split(`${add}</a>`).length, 2, 'one button is the one thing to do')
    t.notMatch(text, '<table')
  }
})

t.test('a form in words adds and edits one, and what nobody touched does not change', async (t) => {
  const api = 'https://orders.example.com'
  const page = `/console/apis/${encodeURIComponent(api)}`
  const added = asPage(
    await ada.submit(await ada.page('/console/apis/new'), {
      resource: ` ${api} `,
      resource_name: 'Orders',
      scopes: 'orders.read\r\norders.write',
      access_token_format: 'jwt',
      access_token_ttl: '600',
    }),
  )
  t.match(added, { status: 200, title: 'Orders' })
  t.match(added.text, '<dd>10 minutes</dd>', 'seconds are words')
  t.match(added.text, 'No application may ask for one of its scopes yet')
  await createClient(storage, 'bazaar', {
    ...{ client_name: 'The shop', is_public: 'true', grant_types: 'authorization_code' },
    ...{ redirect_uris: 'https://shop.example.com/cb', allowed_scopes: 'openid orders.read' },
  })
  t.match((await ada.page(page)).text, /Who may ask for its scopes[\s\S]*The shop/)
  const edit = await ada.page(`${page}/edit`)
  t.equal(edit.title, 'Edit Orders')
  t.match(asPage(await ada.submit(edit, typedIn(edit))).text, 'Nothing would change.')
  const preview = asPage(
    await ada.submit(await ada.page(`${page}/edit`), { ...typedIn(edit), disabled: 'true' }),
  )
  t.match(preview.title, 'Save this change to Orders?')
  const off = asPage(await ada.submit(preview, {}))
  t.match(off.text, '<span class="state bad">disabled</span>')
  const { disabled: _, ...unticked } = typedIn(await ada.page(`${page}/edit`))
  const on = asPage(await ada.submit(await ada.page(`${page}/edit`), unticked))
  t.match(asPage(await ada.submit(on, {})).text, '<span class="state good">active</span>', 'a box not ticked')
})

t.test('boxes of words are a list, and none of them is what the record had without', async (t) => {
  const issuer = 'https://ci.example.com'
  const page = `/console/issuers/${encodeURIComponent(issuer)}`
  const typed = { issuer, profile: 'workload', 'algorithms[]': 'ES256', conditions: 'owner=acme' }
  const added = asPage(await ada.submit(await ada.page('/console/issuers/new'), typed))
  t.match(added, { status: 200, title: 'ci.example.com' })
  t.match(added.text, '<span class="chip"><bdi>ES256</bdi></span>')
  const edit = await ada.page(`${page}/edit`)
  t.match(asPage(await ada.submit(edit, typedIn(edit))).text, 'Nothing would change.')
  const { algorithms: _, ...none } = typedIn(edit)
  const preview = asPage(await ada.submit(await ada.page(`${page}/edit`), none))
  t.match(preview.text, 'Signatures that it may use')
  t.notMatch(asPage(await ada.submit(preview, {})).text, 'ES256</bdi>')
})

t.test('a provider is called as pages call it, and says what this server is there', async (t) => {
  const hash = { kind: 'github', issuer: 'https://github.com', client_id: 'ours', scope: 'read:user' }
  await storage.records.put({ kind: PROVIDER, id: 'github', hash })
  const { title, text } = await ada.page('/console/providers/github')
  t.equal(title, 'GitHub')
  t.match(text, '/sign-in/github/callback</bdi>')
  t.match(text, 'href="/console/providers/github/secret">Set the secret</a>', 'it lacks one')
  const edit = await ada.page('/console/providers/github/edit')
  t.equal(edit.title, 'Edit GitHub')
  t.match(asPage(await ada.submit(edit, typedIn(edit))).text, 'Nothing would change.')
})

t.test('titles of answers have the names of people and applications, not their ids', async (t) => {
  await createUser(storage, 'p-1', { sub: 'p-1', name: 'Eve Martin' })
  const asked = { username: 'p-1', client_id: 'bazaar' }
  const answer = asPage(await ada.submit(await ada.page('/console/explain/what-if'), asked))
  t.match(answer, { status: 200, title: /^Eve Martin could (?:not )?use The shop$/ })
  const nobody = { username: 'nobody', client_id: 'bazaar' }
  const none = asPage(await ada.submit(await ada.page('/console/explain/what-if'), nobody))
  t.match(none, { title: 'nobody could not use The shop' })
})

t.test('a type of details is added and edited as JSON', async (t) => {
  const added = asPage(
    await ada.submit(await ada.page('/console/details/new'), {
      detail_type: 'payment',
      text: '{"en":"Pay {amount} to {creditor}"}',
      schema: JSON.stringify(PAYMENT_SCHEMA),
    }),
  )
  t.match(added, { status: 200, title: 'payment' })
  t.match(added.text, 'Pay {amount} to {creditor}')
  t.match(added.text, 'No application may ask for it yet')
  const edit = await ada.page('/console/details/payment/edit')
  t.match(asPage(await ada.submit(edit, typedIn(edit))).text, 'Nothing would change.')
  const again = await ada.page('/console/details/payment/edit')
  const wrong = asPage(await ada.submit(again, { ...typedIn(again), text: '{"en":"Pay {nothing}"}' }))
  t.match(wrong.text, /which is no required member/)
  t.match((await ada.page('/console/details')).text, 'Pay {amount} to {creditor}')
})
