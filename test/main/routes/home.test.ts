import t from 'tap'
import { signInAndAgree } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { ISSUER, startService } from '../../support/service.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const PROGRAMS = [
  {},
  { accept: '*/*' },
  { accept: 'application/json' },
  { accept: 'application/json, text/html;q=0.9' },
  { accept: 'image/png' },
]

t.test('/ is a page for browsers, and names the metadata to programs', async (t) => {
  const { get } = await startService(t, { demo: false })
  const page = await get('/', BROWSER)
  t.match(page.headers['content-type'], 'text/html')
  t.match(page.text, '/.well-known/openid-configuration')
  t.notMatch(page.text, '/demo')
  for (const headers of PROGRAMS) {
    const { status, json } = await get('/', headers)
    t.equal(status, 200)
    t.same(json, { issuer: ISSUER, openid_configuration: `${ISSUER}/.well-known/openid-configuration` })
  }
})

t.test('/ says who is signed in, and the way out', async (t) => {
  const { get, visitor } = await scene(t)
  t.notMatch((await get('/', BROWSER)).text, 'Signed in as')
  const alice = visitor()
  await signInAndAgree(alice)
  alice.headers.accept = BROWSER.accept
  const page = await alice.page('/')
  t.match(page.text, /Signed in as.*href="\/oauth2\/logout">Sign out</s)
  t.match(page.headers['cache-control'], 'no-store')
})

t.test('/ leads to the demo in demo mode', async (t) => {
  const { get } = await startService(t, { demo: 'public' })
  const { text } = await get('/', BROWSER)
  t.match(text, 'href="/demo"')
  t.match(text, 'href="/demo/device"')
  t.notMatch(text, /\/console|\/demo\/mail/)
})

t.test('/ leads to the console of a demo, also to one at an origin of its own', async (t) => {
  const issuer = 'http://localhost:3000'
  const with_console = { demo: true, issuer, admin_api: 'on', console: 'on' } as const
  for (const origin of [{}, { console_origin: 'http://localhost:9000' }]) {
    const { get } = await startService(t, { ...with_console, ...origin })
    const { text } = await get('/', BROWSER)
    t.match(text, `href="${origin.console_origin ?? issuer}/console"`)
    t.match(text, 'href="/demo/mail"')
  }
})

t.test('404 and 405 are pages for browsers and JSON for programs', async (t) => {
  const { get } = await startService(t)
  for (const [path, status, error] of [
    ['/nothing', 404, 'not_found'],
    ['/oauth2/nothing?code=a-code', 404, 'not_found'],
    ['/oauth2/token', 405, 'method_not_allowed'],
  ] as const) {
    const page = await get(path, BROWSER)
    t.equal(page.status, status, path)
    t.match(page.headers, {
      'content-type': /^text\/html/,
      'cache-control': 'no-store',
      'content-security-policy': /^default-src 'none'/,
      'x-frame-options': 'DENY',
    })
    t.notMatch(page.text, 'a-code', 'what was asked for is not repeated')
    for (const headers of PROGRAMS) {
      const answer = await get(path, headers)
      t.equal(answer.status, status)
      t.equal(answer.json.error, error)
      t.equal(answer.headers.allow, page.headers.allow)
    }
  }
  t.match((await get('/oauth2/token', BROWSER)).headers.allow, 'POST')
  t.equal((await get('/api/nothing', BROWSER)).status, 401, 'the guard of the API answers first')
})

t.test('404 speaks the language of the browser', async (t) => {
  const { get } = await startService(t)
  const { text } = await get('/nothing', { ...BROWSER, 'accept-language': 'de' })
  t.match(text, '<html lang="de"')
  t.match(text, 'Seite nicht gefunden')
})

t.test('the icon has the letter and the colour of the brand', async (t) => {
  const { get } = await startService(t, { service_name: '<Acme>', accent_color: '#aa0000' })
  for (const path of ['/oauth2/icon.svg', '/favicon.ico']) {
    const { status, headers, text } = await get(path)
    t.equal(status, 200)
    t.equal(headers['content-type'], 'image/svg+xml')
    t.match(text, 'fill="#aa0000"')
    t.match(text, '>&lt;</text>')
    t.equal((await get(path, { 'if-none-match': String(headers.etag) })).status, 304)
  }
})

t.test('in another application / and unknown paths are its own', async (t) => {
  const { get } = await startService(t, { home: false })
  for (const path of ['/', '/nothing', '/favicon.ico', '/demo']) {
    const { status, json } = await get(path, BROWSER)
    t.equal(status, 404, path)
    t.equal(json.error, 'not_found')
  }
  t.equal((await get('/oauth2/icon.svg')).status, 200)
})
