// Every page and action of the console, made from their tables: who gets in, what answers have, and what readers cannot do.
import t from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { removeUser } from '../../../support/records.ts'
import { indexUsers, operatorCookie, placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

// Nothing is sent.
const SMTP = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }
/** For tests that change nothing but who is an operator. */
const shared = await scene(t, { with: ['console'] })
const PLACES = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS]

t.test('H3 each page answers an operator, runs nothing, and loads nothing from elsewhere', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'], ...SMTP })
  await withRecords(storage)
  const ada = await operator()
  for (const { path } of PLACES) {
    const page = await ada.page(placeOf(path))
    t.match(page, { status: 200 }, path)
    const [script, ...more] = page.text.match(/<script[^>]*>[^<]*/g) ?? []
    t.match(script, /^<script src="\/console\/script-[\w-]{16}\.js" defer>$/, path)
    t.same(more, [], path)
    t.notMatch(page.text, /<iframe|\bstyle="|\bon[a-z]+="|javascript:/i, path)
    // The sign-in of an application is tried at the issuer.
    const places = path.endsWith('/try')
      ? /^(?:\/console|#[a-z-]+$|https:\/\/auth\.example\.com\/oauth2\/authorize\?)/
      : /^(?:\/console|#[a-z-]+$)/
    for (const [, address = ''] of page.text.matchAll(/(?:href|src|action)="([^"]*)"/g))
      t.match(address, places, path)
    const { headers } = page
    t.equal(
      headers['content-security-policy'],
      "default-src 'none';script-src 'self';connect-src 'self';style-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    )
    t.match(headers, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    })
    t.equal(headers['access-control-allow-origin'], undefined)
  }
  t.match(await ada.page('/console/nothing'), { status: 404, title: 'Nothing is here' })
})

t.test('without a session nothing is shown and nothing is done', async (t) => {
  const { visitor } = shared
  for (const { path } of CONSOLE_PAGES)
    t.equal((await visitor().request('GET', placeOf(path))).status, 302, path)
  for (const { path } of CONSOLE_ACTIONS) {
    t.equal((await visitor().request('GET', placeOf(path))).status, 302, path)
    // As the form of another site arrives: SameSite keeps the cookie away.
    const answer = await visitor().request('POST', placeOf(path), 'csrf=x&key=x')
    t.equal(answer.status, 400, path)
    t.match(answer.text, 'You have been signed out', path)
  }
})

t.test('H4 a form of another session, or of none, does nothing', async (t) => {
  const { operator } = shared
  const [ada, other] = [await operator(), await operator()]
  const foreign = await other.page('/console/people/alice/disable')
  const own = await ada.page('/console/people/alice/disable')
  for (const csrf of [foreign.hidden.csrf, '', 'x'.repeat(43), undefined]) {
    t.match(await ada.submit(own, { csrf, owner: undefined }), {
      ...{ status: 403, title: 'This form is not of this session' },
    })
  }
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    Object.assign(ada.headers, headers)
    t.match(await ada.submit(own, { csrf: '' }), { status: 403 })
  }
  t.notMatch((await ada.page('/console/people/alice')).text, 'state bad">disabled')
})

t.test('H1 who may only read sees every page, and cannot press', async (t) => {
  const { operator, storage, trail } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ben = await operator('ben')
  const reading = CONSOLE_ACTIONS.filter(({ reads }) => reads)
  t.same(
    reading.map(({ path }) => path),
    ['/explain/what-if', '/explain/what-if-exchange', '/explain/token', '/find'],
  )
  for (const { path } of [...CONSOLE_PAGES, ...reading]) {
    const page = await ben.page(placeOf(path))
    t.equal(page.status, 200, path)
    for (const [, address = ''] of page.text.matchAll(/<a class="button" href="([^"]*)"/g))
      t.notMatch(address, /\/(?:disable|remove|edit|new|end|secret|unlock|rotate|withdraw)/, path)
  }
  const { csrf = '' } = (await ben.page('/console/explain/what-if')).hidden
  for (const { path, reads } of CONSOLE_ACTIONS) {
    if (reads) continue
    t.match(await ben.page(placeOf(path)), { status: 403 }, path)
    const body = new URLSearchParams({ csrf, key: path, typed: 'alice', confirm: 'all-sessions' }).toString()
    const answer = await ben.request('POST', placeOf(path), body)
    t.equal(answer.status, 403, path)
    t.match(answer.text, 'This takes the right redmint:', path)
  }
  const happened = (await trail()).map(({ event }) => event)
  t.same(
    happened.filter((event) => event !== 'sign_in_succeeded' && event !== 'user_viewed'),
    [],
    'nothing happened',
  )
})

t.test('an area without a right is neither in the navigation nor open', async (t) => {
  const { operator, storage } = shared
  await createAdministrator(storage, 'carl', 'redmint:clients:read')
  const carl = await operator('carl')
  const home = await carl.page('/console')
  t.match(home.text, 'href="/console/applications"')
  t.notMatch(home.text, /href="\/console\/(?:people|events|settings|providers)/)
  for (const { path, operation } of CONSOLE_PAGES) {
    const may =
      operation === undefined ||
      ['clients', 'client', 'grants_of_client'].some((noun) => operation.endsWith(noun)) ||
      operation === 'client_settings'
    t.equal((await carl.page(placeOf(path))).status === 403, !may, path)
  }
  const found = await carl.page('/console/search?q=alice')
  t.match(found.text, 'Nothing has this name', 'a search finds only what may be seen')
})

t.test('H1 what an operator does is done by the API, in the name of the operator', async (t) => {
  const { operator, storage, trail } = await scene(t, { with: ['console'] })
  await indexUsers(storage)
  const ada = await operator()
  const question = await ada.page('/console/people/alice/disable')
  t.match(question.text, '<b>0</b><span>sessions end now</span>')
  const page = asPage(await ada.submit(question, {}))
  t.match(page, { status: 200, url: '/console/people/alice?done=person_disabled' })
  t.match(page.text, /role="status">.*<p>The person is disabled/)
  t.match(page.text, 'state bad">disabled')
  const [entry] = (await trail()).filter(({ event }) => event === 'user_disabled')
  t.match(entry, {
    actor: { kind: 'operator', username: 'ada', via: 'console', client_id: 'redmint-console' },
    targets: [{ kind: 'user', username: 'alice' }],
  })
  const again = asPage(await ada.submit(question, {}))
  t.match(again, { status: 409, title: 'This form was sent already' })
  const enable = await ada.page('/console/people/alice/enable')
  await removeUser(storage, 'alice')
  const gone = asPage(await ada.submit(enable, {}))
  t.equal(gone.status, 404)
  t.notMatch(gone.text, 'class="narrow-page"', 'a form that cannot be mended does not come again')
  t.not(operatorCookie(ada), undefined)
})
