// A form that comes too late is kept for its operator, without secrets, and comes again filled in; nothing is done by that.
import t from 'tap'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const NEW_API = '/console/apis/new'
const TYPED = { resource: 'https://api.example.com', resource_name: 'Orders & <b>more</b>', scopes: 'a\nb' }
const SESSION = '__Secure-redmint-console'
const HALF_AN_HOUR = 1800

t.test('after ten minutes a form asks for the sign-in, and comes again as it was typed', async (t) => {
  const { operator, passWithKeys, call, tokenOf } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page(NEW_API)
  await passWithKeys(601)
  const late = asPage(await ada.submit(form, TYPED))
  t.match(late, { status: 403, title: 'Confirm it is you' })
  t.match(late.text, 'Add API')
  const [, address = ''] = /class="[^"]*" href="([^"]*kept=1)"/.exec(late.text) ?? []
  t.equal(address, `${NEW_API}?kept=1`)
  const again = asPage(await signInOn(ada, await ada.page(address), 'ada'))
  t.match(again, { status: 200, title: 'Add API' })
  t.match(again.text, 'value="Orders &amp; &lt;b&gt;more&lt;/b&gt;"')
  const listed = async () =>
    (await call('GET', '/resources', { token: await tokenOf('redmint:read') })).json.items
  t.same(await listed(), [], 'nothing was done by coming back')
  asPage(await ada.submit(again, TYPED))
  t.match(await listed(), [{ resource: TYPED.resource }])
})

t.test('so it is after the session ended, and of a form in another tab', async (t) => {
  const { operator, passWithKeys, visitor } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const [first, second] = [await ada.page(NEW_API), await ada.page(NEW_API)]
  await passWithKeys(HALF_AN_HOUR + 1)
  const late = asPage(await ada.submit(first, TYPED))
  t.match(late, { status: 400, title: 'You have been signed out' })
  const again = asPage(await signInOn(ada, await ada.page(`${NEW_API}?kept=1`), 'ada'))
  t.match(again.text, 'Orders &amp;')
  const of_before = asPage(await ada.submit(second, { ...TYPED, resource_name: 'Of the other tab' }))
  t.match(of_before, { status: 200, title: 'Add API' })
  t.match(of_before.text, 'Of the other tab')

  const ben = await operator('ben')
  t.notMatch((await ben.page(`${NEW_API}?kept=1`)).text, 'Orders', 'nobody else sees it')
  const stranger = visitor()
  stranger.cookies.set(SESSION, 'x'.repeat(43))
  const forged = await stranger.request(
    'POST',
    NEW_API,
    new URLSearchParams({ ...TYPED, owner: 'x' }).toString(),
  )
  t.match(forged.text, 'Sign in, and do it again')
  t.notMatch(forged.text, 'kept')
})

t.test('secrets and forms that are too long are not kept, and no other page shows a kept one', async (t) => {
  const { operator, passWithKeys } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const form = await ada.page('/console/providers/new')
  const long = await ada.page(NEW_API)
  await passWithKeys(601)
  await ada.submit(form, { provider: 'partner', name: 'Partner', client_secret: 'very-secret-text' })
  const again = asPage(await signInOn(ada, await ada.page('/console/providers/new?kept=1'), 'ada'))
  t.match(again.text, 'value="Partner"')
  t.notMatch(again.text, 'very-secret-text')
  t.notMatch((await ada.page(`${NEW_API}?kept=1`)).text, 'Partner')
  await passWithKeys(601)
  const refused = asPage(await ada.submit(long, { ...TYPED, scopes: 'x'.repeat(70_000) }))
  t.match(refused.text, 'too long to be kept')
  t.notMatch(refused.text, 'kept=1')
})
