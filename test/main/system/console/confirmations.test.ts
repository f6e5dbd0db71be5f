// What the console says before it acts: whom it is about, what ends, in numbers, and what stays.
import t from 'tap'
import { CONSOLE_ACTIONS } from '../../../../src/console/rooms.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { changeUser } from '../../../support/records.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import type { Page } from '../../../support/visitor.ts'

/** The numbers of a page, as "3 sessions end now". */
const numbersOf = ({ text }: Page): string[] =>
  [...text.matchAll(/<li><b>([^<]*)<\/b><span>([^<]*)<\/span><\/li>/g)].map(
    ([, number, says]) => `${number} ${says}`,
  )

/** What the main button says. */
const buttonOf = ({ text }: Page): string | undefined =>
  /<button class="main(?: red)?">([^<]*)<\/button>\n<a class="button[^"]*" href="[^"]*">Cancel/.exec(
    text,
  )?.[1]

t.test('what ends with a person is counted, and the button says the name', async (t) => {
  const { operator, visitor, redeem, storage } = await scene(t, { with: ['console'] })
  await changeUser(storage, 'alice', { set: { admin: 'redmint:users:read redmint:clients:read' } })
  for (const agent of ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'other']) {
    const browser = visitor()
    browser.headers['user-agent'] = agent
    await redeem(await signInOn(browser, await browser.page(requestUrl({ client_id: 'own' }))))
  }
  const ada = await operator()
  const disable = await ada.page('/console/people/alice/disable')
  t.equal(disable.title, 'Disable Alice Example?')
  t.equal(buttonOf(disable), 'Disable Alice Example')
  t.same(numbersOf(disable), [
    '2 sessions end now',
    '2 sign-ins of applications end, with their tokens',
    '1 application loses its access',
    '2 rights to manage are lost',
  ])
  t.match(
    disable.text,
    'href="/console/people/alice"><bdi>Alice Example</bdi></a>',
    'the way back has the name, too',
  )
  t.match(disable.text, '<bdi class="address">', 'and who it is of several with the name')
  const out = await ada.page('/console/people/alice/end-sessions')
  t.same([out.title, ...numbersOf(out)], ['Sign Alice Example out everywhere?', '2 sessions end now'])
  const access = await ada.page('/console/people/alice/end-grants')
  t.equal(numbersOf(access).length, 2)
  const list = await ada.page('/console/people/alice/sessions')
  const ends = [...list.text.matchAll(/href="(\/console\/people\/alice\/sessions\/[^"]*\/end)"/g)]
  const told = await Promise.all(ends.map(([, place = '']) => ada.page(place)))
  t.equal(
    told.filter(({ text }) => text.includes('Firefox on Linux')).length,
    1,
    'one session is told as it is',
  )
  const application = await ada.page('/console/applications/own/remove')
  t.same(numbersOf(application), ['2 sign-ins end, with their tokens'])
  t.match(application.text, /name="version" value="[^"]+"/, 'it must be as it was')
})

t.test('each action that asks says what ends, stays or comes next', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ada = await operator()
  // Forms ask for something that is typed.
  const forms = /\/(?:new|edit|test|secret|what-if|what-if-exchange|token|find|many)$/
  for (const { path } of CONSOLE_ACTIONS) {
    const { text, status } = await ada.page(placeOf(path))
    if (status !== 200 || forms.test(path)) continue
    t.match(text, '<ul class="steps">', path)
  }
})

t.test('who may change and not see is asked without numbers', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await createAdministrator(storage, 'carl', 'redmint:users:write redmint:clients:write redmint:apis:write')
  await withRecords(storage)
  const carl = await operator('carl')
  for (const path of ['/people/bob/disable', '/people/bob/end-grants', '/applications/web/disable']) {
    const page = await carl.page(`/console${path}`)
    t.equal(page.status, 200, path)
    t.same(numbersOf(page), [], path)
    t.notMatch(page.text, 'Bob', path)
  }
})
