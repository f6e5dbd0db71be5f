// Support at the console: the reason is demanded, the token is shown once, and the person page says who acts.
import t from 'tap'
import { createAdministrator } from '../../../support/admin.ts'
import { withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const API = 'https://api.example.com'
const DESK = { ...CLIENTS.service, client_id: 'desk', client_name: 'Help desk' } as const
const PLACE = '/console/people/alice/act-as'
const GIVEN = { client_id: 'desk', resource: API, reason: 'ticket 4711' }

t.test('an operator says where and why, and sees the token once', async (t) => {
  const { operator, storage, post, trail } = await scene(t, { with: ['console'], clients: [DESK] })
  await withRecords(storage)
  const ada = await operator()
  t.match((await ada.page('/console/people/alice')).text, /href="\/console\/people\/alice\/act-as"/)
  const page = await ada.page(PLACE)
  t.equal(page.title, 'Act as Alice Example?')
  t.match(page.text, /for ten minutes/)
  t.match(page.text, /The person is told by mail/)
  t.match(page.text, /<input id="f-reason"[^>]* required/)
  t.match(page.text, />Help desk</)
  const refused = asPage(await ada.submit(page, { ...GIVEN, reason: '' }))
  t.match(refused.text, /reason/)
  const done = asPage(await ada.submit(await ada.page(PLACE), GIVEN))
  const token = /<pre tabindex="0"><bdi>([^<]+)<\/bdi><\/pre>/.exec(done.text)?.[1] ?? ''
  t.match(done.text, /It is not shown again/)
  const seen = await post('/oauth2/introspect', { token }, basic('desk'))
  t.match(seen.json, { active: true, aud: API, act: { sub: 'sub-of-ada' } })
  const [entry] = (await trail()).filter(({ event }) => event === 'user_acted_as')
  t.match(entry, { actor: { id: 'sub-of-ada', via: 'console' }, details: { reason: 'ticket 4711' } })
  const person = (await ada.page('/console/people/alice')).text
  t.match(person, /an operator acts/)
  t.match(person, /by <bdi>user ada<\/bdi>, until/)
  t.notMatch(person, token)
})

t.test('nobody is offered to act as an operator, and who lacks the right at all', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'], clients: [DESK] })
  await withRecords(storage)
  await createAdministrator(storage, 'root', 'redmint:read redmint:write')
  const offered = /\/act-as"/
  t.notMatch((await (await operator()).page('/console/people/ben')).text, offered, 'ben reads')
  const root = await operator('root')
  t.notMatch((await root.page('/console/people/alice')).text, offered, 'no sum gives it')
  t.equal((await root.page(PLACE)).status, 403)
})
