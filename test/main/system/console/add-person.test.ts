// Adding a person at the console: the account, and the link with which somebody comes in.
import t from 'tap'
import { fieldsOf } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('who is added is led in by a link that is shown once, and is named by the address', async (t) => {
  const { operator, call, tokenOf } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const typed = { name: 'Eve Martin', email: 'Eve.M@example.com', 'groups[]': 'staff', username: '' }
  const form = await ada.page('/console/people/new')
  const added = asPage(await ada.submit(form, typed))
  t.match(added, { status: 200, title: 'Hand this link over' })
  t.match(added.text, /<pre tabindex="0"><bdi>https:\/\/auth\.example\.com\//)
  t.match((await ada.page('/console/people/eve.m')).title, 'Eve Martin')
  const { json } = await call('GET', '/users/eve.m', { token: await tokenOf('redmint:read') })
  t.match(json.claims, {
    ...{ name: 'Eve Martin', email: 'Eve.M@example.com', email_verified: true, groups: ['staff'] },
  })
  const again = asPage(await ada.submit(await ada.page('/console/people/new'), typed))
  t.equal(again.status, 409)
  t.match(again.text, 'value="Eve.M@example.com"', 'what was typed stays')
  const nameless = asPage(
    await ada.submit(await ada.page('/console/people/new'), { ...typed, email: '', username: '' }),
  )
  t.equal(nameless.status, 422)
})

t.test('the page of somebody who has no way in says so, with what helps', async (t) => {
  const { operator, call, tokenOf } = await scene(t, { with: ['console'] })
  const ada = await operator()
  t.notMatch((await ada.page('/console/people/alice')).text, 'Nobody can sign in as')
  const token = await tokenOf('redmint:read redmint:write')
  await call('POST', '/users', { token, body: { username: 'eve', claims: { name: 'Eve Martin' } } })
  const form = await ada.page('/console/people/eve/edit')
  const preview = asPage(await ada.submit(form, { ...fieldsOf(form), 'claim-given_name': 'Eve' }))
  const saved = asPage(await ada.submit(preview, {}))
  t.match(
    saved.text,
    /<b>Nobody can sign in as <bdi>Eve Martin<\/bdi> yet\.<\/b>[^\n]*people\/eve\/reset-link">Make a/,
  )
  await call('POST', '/users/eve/disable', { token })
  t.notMatch((await ada.page('/console/people/eve')).text, 'Nobody can sign in as', 'nobody shall')
})
