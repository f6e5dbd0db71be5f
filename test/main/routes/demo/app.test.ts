// What no browser does by itself: test/proofs/system/browser/demo.test.ts has the way through the demo.
import t from 'tap'
import { withOtherCharacter } from '../../../support/other-character.ts'
import { type Answer, ISSUER, type Service, startService } from '../../../support/service.ts'

const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).split(';')[0] ?? ''

/** The cookie of an attempt, and the parameters of its authorization response: alice signs in without a page. */
async function attempt({ get }: Service) {
  const start = await get('/demo/sign-in')
  const location = new URL(String(start.headers.location), ISSUER)
  location.searchParams.set('subject', 'alice')
  const { redirect } = await get(`${location.pathname}${location.search}`)
  return { cookie: cookieOf(start), response: Object.fromEntries(redirect) }
}

const callback = ({ get }: Service, response: Record<string, string>, cookie = '') =>
  get(`/demo/callback?${new URLSearchParams(response)}`, { cookie })

t.test('the demo keeps tokens sealed, in a cookie of its own path', async (t) => {
  const service = await startService(t)
  const { cookie, response } = await attempt(service)
  const done = await callback(service, response, cookie)
  t.equal(done.status, 303)
  t.equal(done.headers.location, '/demo')
  t.match(
    String(done.headers['set-cookie']),
    /^__Secure-redmint-demo=\S{8}\.\S+; Path=\/demo; HttpOnly; Secure; SameSite=Lax$/,
  )
  const page = await service.get('/demo', { cookie: cookieOf(done) })
  t.match(page.text, 'These are your tokens')
  t.equal(page.headers['cache-control'], 'no-store')
  const changed = withOtherCharacter(cookieOf(done), -5)
  t.match((await service.get('/demo', { cookie: changed })).text, 'Try a sign-in')
})

t.test('a response that is not for this attempt is refused', async (t) => {
  const service = await startService(t)
  const { cookie, response } = await attempt(service)
  const other = await attempt(service)
  for (const [what, changes, sent] of [
    ['of another browser', {}, ''],
    ['of another attempt', {}, cookieOf(await service.get('/demo/sign-in'))],
    ['with another state', { state: 'another' }, cookie],
    ['from another issuer (RFC 9207 §2.4)', { iss: 'https://other.example.com' }, cookie],
    ['with an unknown code', { code: 'unknown' }, cookie],
    ['with the code of another sign-in', { code: other.response.code ?? '' }, cookie],
  ] as const) {
    const { status, text, headers } = await callback(service, { ...response, ...changes }, sent)
    t.equal(status, 200, what)
    t.match(text, 'role="alert"', what)
    t.notMatch(cookieOf({ headers } as Answer), /^__Secure-redmint-demo=./, what)
  }
  t.equal((await callback(service, response, cookie)).status, 303, 'the attempt itself is still good')
})

t.test('without tokens a form of the demo leads to its start', async (t) => {
  const { post } = await startService(t)
  for (const action of ['api', 'userinfo', 'refresh', 'sign-out', 'else']) {
    const { status, headers } = await post('/demo', { action })
    t.equal(status, 303)
    t.equal(headers.location, '/demo')
  }
})

t.test('there is no demo outside demo mode', async (t) => {
  const { get, post } = await startService(t, { demo: false })
  for (const path of ['/demo', '/demo/sign-in', '/demo/callback'])
    t.equal((await get(path)).status, 404, path)
  t.equal((await post('/demo', {})).status, 404)
})
