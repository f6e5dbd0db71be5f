import t from 'tap'
import { ADMIN_SCOPES } from '../../../../src/core/admin-scopes.ts'
import { ERROR_CODES } from '../../../../src/core/error-codes.ts'
import {
  invalidRequest,
  OAuthError,
  serverError,
  temporarilyUnavailable,
} from '../../../../src/core/errors.ts'
import { signInExpired } from '../../../../src/core/request-errors.ts'
import { type ConsentProps, consentPage, consentPageNeeds } from '../../../../src/pages/consent.ts'
import { hostOf } from '../../../../src/pages/destination.ts'
import { deviceConsentPage } from '../../../../src/pages/device-consent.ts'
import { deviceDonePage } from '../../../../src/pages/device-done.ts'
import { errorPage } from '../../../../src/pages/error.ts'
import { formPostPage } from '../../../../src/pages/form-post.ts'
import { html } from '../../../../src/pages/html.ts'
import type { View } from '../../../../src/pages/layout.ts'
import { loginPage } from '../../../../src/pages/login.ts'
import { loggedOutPage, logoutPage } from '../../../../src/pages/logout.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import type { Language } from '../../../../src/pages/messages/language.ts'
import { repeatPage } from '../../../../src/pages/repeat.ts'
import { selectAccountPage } from '../../../../src/pages/select-account.ts'
import { plainName } from '../../../../src/pages/text.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'
import { GALLERY, LINKS } from '../../../support/gallery.ts'
import { LANGUAGES } from '../../../support/languages.ts'

const theme = createTheme({ service_name: 'Wonderland', accent_color: '#0f766e' }, { languages: LANGUAGES })
const english: View = { theme, language: en }
const german: View = { theme, language: builtIn('de') }
const form = { action: '/oauth2/login', csrf: 'the-csrf-token', transaction: 'the-transaction' }
const redirect_uri = 'https://photos.example.com:8443/callback'
const client = { destination: { client_name: 'Photo Album', host: hostOf(redirect_uri) } }
/** A destination whose name is foreign text. */
const to = (client_name: string) => ({ destination: { client_name, host: 'photos.example.com' } })
const alice = { name: 'Alice', detail: 'alice@example.com' }
const login = { ...form, ...client }

/** Names that contain markup or placeholders. */
const PROBES = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</title></style></textarea><base href=//evil.example>',
  '{host} {client} $& $1',
  '&lt;b&gt; &#60; &amp;',
]
const tags = (page: string) => page.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""'))

/** Each page with the same text in place of everything that comes from outside. */
const FOREIGN: Record<string, (text: string, view: View) => string> = {
  login: (text, view) =>
    loginPage(
      {
        action: text,
        csrf: text,
        transaction: text,
        ...to(text),
        username: `x${text}`,
      },
      view,
    ),
  'select account': (text, view) =>
    selectAccountPage({ ...form, ...to(text), accounts: [{ id: text, name: text, detail: text }] }, view),
  consent: (text, view) => {
    const scopes = ['openid', 'told', text]
    const account = { name: text, detail: text }
    return consentPage(
      { ...login, ...to(text), scopes, scope_texts: new Map([['told', text]]), account },
      view,
    )
  },
  logout: (text, view) => logoutPage({ ...form, account: { name: text, detail: text } }, view),
  repeat: (text, view) =>
    repeatPage(
      {
        action: '/',
        fields: [
          ['state', text],
          [text, text],
        ],
      },
      view,
    ),
  'form post': (text, view) => formPostPage({ redirect_uri, parameters: { code: text, state: text } }, view),
  error: (text, view) =>
    errorPage({ error: invalidRequest('request_malformed', text), request_id: text, at: 0 }, view),
  brand: (text) =>
    errorPage(
      { error: serverError(undefined), request_id: '', at: 0 },
      { theme: { ...theme, brand: { ...theme.brand, service_name: text } }, language: en },
    ),
}

for (const [name, render] of Object.entries(FOREIGN)) {
  t.test(`${name}: text from outside is escaped`, async (t) => {
    for (const { tag } of LANGUAGES) {
      const view = { theme, language: LANGUAGES.find((language) => language.tag === tag) ?? en }
      const expected = tags(render('plain', view))
      for (const probe of PROBES) t.same(tags(render(probe, view)), expected, `${tag}: ${probe}`)
    }
  })
}

t.test('a name cannot change the direction of the page, and its length is limited', async (t) => {
  t.equal(plainName('Photo\u202emublA\u2066\u200f\u0000\u2028'), 'Photo mublA')
  t.equal(plainName('  a \n b\t'), 'a b')
  t.equal(plainName('\u202e\u200b'), '')
  t.equal(plainName('x'.repeat(80)), 'x'.repeat(80))
  t.equal(plainName('x'.repeat(81)), `${'x'.repeat(80)}…`)
  t.equal(plainName('😀'.repeat(200)), `${'😀'.repeat(80)}…`, 'characters are not split')
  t.equal(plainName(`${'😀'.repeat(319)}x😀`), `${'😀'.repeat(80)}…`)
  t.equal(plainName(`a${' '.repeat(1000)}b`), 'a…')
  t.equal(plainName(`${'a '.repeat(5000)}`), `${'a '.repeat(39)}a…`)
  const flood = '<\u202eevil>'.repeat(1500)
  const account = { name: flood, detail: flood }
  const named = {
    ...login,
    ...to(flood),
    scopes: [flood],
    account,
    accounts: [{ id: '1', ...account }],
  }
  for (const page of [loginPage, consentPage, selectAccountPage, logoutPage]) {
    const text = page(named, english)
    t.ok(Buffer.byteLength(text) < 15_000, `${page.name}: ${Buffer.byteLength(text)} bytes`)
    t.notMatch(text, '\u202e')
  }
  const page = loginPage({ ...login, ...to(`\u202e${'x'.repeat(10_000)}`) }, english)
  t.match(page, `<strong><bdi>${'x'.repeat(80)}…</bdi></strong>`)
  t.notMatch(page, '\u202e')
})

/** The pages with a script. */
const SCRIPTED =
  /^(account-passkey|account-notices|confirm-passkey|login|reset(?!-done)|renew(?!-done)|forgot|sign-up(?!-done)|confirm-address(?!-done)|not-me(?!-done)|welcome(?!-done)|second-step|form-post|repeat|consent|device-consent|ask-consent|select-account)/

/** The most bytes of a page. */
function mostBytes(page: string): number {
  // Questions, profile, ways in, devices, notices, applications with details and who acts stand on one page, in its own style.
  if (page.includes('<body class="account">')) return 33_000
  // All that is kept, one of each.
  if (page.includes('href="/account/data"')) return 17_400
  // A QR code is 2 to 3 kB of lines, and so are the marks of all providers together.
  return /class="(qr|provider)"/.test(page) ? 18_400 : 16_800
}

for (const [name, render] of Object.entries(GALLERY)) {
  t.test(`${name}: a small page without anything that its policy forbids`, async (t) => {
    for (const language of LANGUAGES) {
      const page = render({ theme, language })
      t.ok(Buffer.byteLength(page) < mostBytes(page), `${Buffer.byteLength(page)} bytes`)
      t.match(page, `<html lang="${language.tag}" dir="${language.dir}">`)
      t.equal(page.match(/<h1>/g)?.length, 1)
      t.equal(page.match(/<main[ >]/g)?.length, 1)
      t.notMatch(page, /\son\w+=|\sstyle=|undefined|\[object|\{\w+\}/)
      const scripts = name.endsWith('-with-passkey') ? 2 : 1
      t.equal(page.match(/<script/g)?.length ?? 0, SCRIPTED.test(name) ? scripts : 0)
      t.match(page, ' · Wonderland</title>')
    }
  })
}

t.test('right-to-left languages', async (t) => {
  const language: Language = { ...en, tag: 'ar', dir: 'rtl' }
  t.match(loginPage(login, { theme, language }), '<html lang="ar" dir="rtl">')
  // Rules use start and end in place of left and right.
  t.notMatch(theme.style, /(margin|padding|border)-(left|right)|text-align:(left|right)|[;{](left|right):/)
})

t.test('the sign-in page', async (t) => {
  const page = loginPage(login, english)
  t.match(page, '<form method="post" action="/oauth2/login">')
  t.match(page, '<input type="hidden" name="csrf" value="the-csrf-token">')
  t.match(page, '<input type="hidden" name="transaction" value="the-transaction">')
  t.match(
    page,
    /to continue to<\/p>\n<div class="account app"><span class="mark" aria-hidden="true">P<\/span><span><strong><bdi>Photo Album<\/bdi><\/strong><small><bdi>photos.example.com:8443<\/bdi><\/small>/,
    'the application has a row of its own',
  )
  t.match(page, /<input id="username" name="username" value="" autocomplete="username"[^>]* autofocus>/)
  t.match(
    page,
    /<input id="password" name="password" type="password" required autocomplete="current-password"[^>]*>/,
  )
  t.notMatch(page, /role="alert"|aria-(invalid|describedby)=/)
  t.equal(page.match(/ autofocus>/g)?.length, 1)
  t.match(page, '<title>Sign in · Wonderland</title>')
  t.match(loginPage(login, german), /<h1>Anmelden<\/h1>\n<p class="lead">weiter zu<\/p>/)

  const hinted = loginPage({ ...login, username: 'al"ice' }, english)
  t.match(hinted, 'name="username" value="al&quot;ice"')
  t.match(hinted, /<input id="password"[^>]* autofocus>/, 'the password field has the focus')
  t.equal(hinted.match(/autofocus/g)?.length, 1)
  t.equal(hostOf('com.example.app:/callback'), 'com.example.app')
  t.equal(hostOf('com.example.app://bank.example/callback'), 'com.example.app')
})

t.test('a destination without a host is named by its client alone', async (t) => {
  const destination = { client_name: 'TV' }
  const props = {
    ...form,
    destination,
    account: alice,
    accounts: [{ id: 'one', ...alice }],
    scopes: ['openid'],
  }
  for (const render of [loginPage, selectAccountPage, consentPage]) {
    const page = render(props, english)
    t.match(page, 'T</span><span><strong><bdi>TV</bdi></strong></span></div>')
    t.notMatch(page, /undefined|taken back|sent back/)
  }
  t.match(consentPage(props, english), 'Allow this only if you trust <strong><bdi>TV</bdi></strong>.</p>')
})

t.test('the fields of a sign-in method take the place of username and password', async (t) => {
  const page = loginPage({ ...login, fields: html`<input name="answer">` }, english)
  t.match(page, /<form [^>]*>\n<input [^>]*name="csrf"[^>]*>\n<input [^>]*>\n<input name="answer">\n<\/form>/)
  t.notMatch(page, /name="(username|password)"/)
})

t.test('the sign-in page after a failure', async (t) => {
  const page = loginPage({ ...login, username: 'alice', problem: 'failed' }, english)
  t.match(page, '<p class="alert" id="problem" role="alert">Wrong username or password.</p>')
  t.equal(page.match(/aria-describedby="problem"/g)?.length, 2)
  t.match(page, /<input id="password"[^>]* aria-invalid="true" autofocus>/)
  t.equal(page.match(/aria-invalid="true"/g)?.length, 1, 'only the field with the focus is marked')
  t.match(theme.style, 'input[aria-invalid]:focus-visible{outline-color:var(--error)}')
  t.match(page, '<title>Error: Sign in · Wonderland</title>')
  t.match(page, 'value="alice"')
  const table: [seconds: number, view: View, text: string][] = [
    [1, english, 'try again in 1 second.'],
    [90, english, 'try again in 90 seconds.'],
    [91, english, 'try again in 2 minutes.'],
    [900, english, 'try again in 15 minutes.'],
    [30, german, 'es in 30 Sekunden noch einmal.'],
    [120, german, 'es in 2 Minuten noch einmal.'],
  ]
  for (const [retry_after_seconds, view, text] of table) {
    const throttled = loginPage({ ...login, problem: { retry_after_seconds } }, view)
    t.match(throttled, text)
    t.match(throttled, 'role="alert"')
    t.notMatch(throttled, 'aria-invalid=', 'the input may be right')
    const [before = '', form = ''] = throttled.split('<details>')
    t.notMatch(before, /<form|<input/, 'nobody is invited to press on')
    t.match(form, /<summary>[^<]+<\/summary>\n<form method="post"/, 'another account can sign in')
    t.notMatch(throttled, 'autofocus')
  }
})

/** The texts and addresses of the links of a page. */
const linksOf = (page: string) =>
  [...page.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, href, text]) => `${text} ${href}`)
const linked = createTheme({ service_name: 'Wonderland', accent_color: '#0f766e', ...LINKS })

t.test("the operator's links", async (t) => {
  const footer = [
    'Help mailto:help@example.com',
    'Privacy https://example.com/privacy',
    'Terms https://example.com/terms',
    'Imprint https://example.com/imprint',
  ]
  const view = { theme: linked, language: en }
  t.same(linksOf(loginPage(login, view)), [
    'Forgot password? /reset',
    'Create an account https://example.com/join',
    ...footer,
  ])
  t.same(linksOf(loginPage(login, english)), [], 'none is set')
  t.notMatch(loginPage(login, english), '<footer>')
  const locked = loginPage({ ...login, problem: { retry_after_seconds: 900 } }, view)
  t.match(linksOf(locked)[1], 'Get help mailto:help@example.com', 'a way out of a lock-out')
  for (const [name, render] of Object.entries(GALLERY)) {
    t.same(linksOf(render(view)).slice(-4), footer, name)
  }
})

/** The pages that send a form by themselves. */
const ANSWERS = ['form-post', 'repeat']

t.test('each page leads to itself in the other languages', async (t) => {
  const query = 'language=en&transaction=a%26b&x'
  const fields = `<form>
<input type="hidden" name="transaction" value="a&amp;b">
<input type="hidden" name="x" value="">
<details>
`
  for (const [name, render] of Object.entries(GALLERY)) {
    // A page that answers a request cannot be loaded again.
    t.equal(render({ ...english, query }).includes(fields), !ANSWERS.includes(name), name)
    t.notMatch(render(english), /name="language"/, `${name} after a form`)
    const carried = render({ ...english, kept: 'a-sealed-page' }).includes('value="a-sealed-page"')
    t.equal(carried, !ANSWERS.includes(name), `${name} carries itself`)
  }
  t.match(loginPage(login, { ...german, query: '' }), '<button name="language" value="en" lang="en">')
  t.match(
    loginPage(login, { ...german, query: '' }),
    /<summary><svg .*Deutsch<\/span><\/summary>\n.*role="group" aria-label="Sprache">\n.*English<\/button>\n<span aria-current="true">Deutsch<\/span>/s,
    'the languages look like languages',
  )
})

t.test('the consent page says when a client registered itself, and that nobody checked it', async (t) => {
  const props = { ...login, scopes: ['openid'], account: alice }
  const described = {
    registered_at: '2026-11-22T23:30:00.000Z',
    is_local: false,
    history: { state: 'first' },
    others: [],
  } as const
  const page = consentPage({ ...props, described }, english)
  t.match(page, 'registered itself on <time datetime="2026-11-22T23:30:00.000Z">November 22, 2026</time>. ')
  t.match(page, /Wonderland\S* has not checked who is behind it\./)
  t.match(consentPage({ ...props, described }, german), /am <time[^>]*>22\. November 2026<\/time> selbst/)
  t.notMatch(page, 'others')
  t.notMatch(consentPage(props, english), 'registered itself')
})

t.test(
  'a consent page names everybody else who can get answers of a client that describes itself',
  async (t) => {
    const history = { state: 'first' } as const
    const many = Array.from({ length: 23 }, (_, index) => `https://host-${index}.example`)
    const cases: [others: string[], shown: RegExp][] = [
      [['https://evil.test:8443'], /<li><bdi>evil\.test:8443<\/bdi><\/li>\s*<\/ul>/],
      [['http://localhost'], /<li>a program on your device<\/li>/],
      [['com.example.app:'], /<li>an app on your device named <bdi>com\.example\.app<\/bdi><\/li>/],
      [['http://old.example'], /<li><bdi>old\.example<\/bdi><\/li>/],
      [many, /host-19\.example<\/bdi><\/li>\s*<li>3 more<\/li>\s*<\/ul>/],
    ]
    const props = { ...login, scopes: ['openid'], account: alice }
    const device = { user_code: 'WDJB-MJHT', address: '203.0.113.7', asked_at: 0 }
    for (const [others, shown] of cases) {
      const asked = { ...props, described: { is_local: false, history, others, host: 'a.example' } }
      t.match(consentPage(asked, english), shown)
      t.match(deviceConsentPage({ ...asked, device, now: 0 }, english), shown)
    }
  },
)

t.test("the client's logo and documents on the consent page", async (t) => {
  const { destination } = client
  const props = { ...login, scopes: ['openid'], account: alice }
  const bare = consentPage(props, english)
  t.notMatch(bare, '<img')
  t.same(linksOf(bare), [])
  t.same(Object.keys(consentPageNeeds(destination)), ['script_source'])
  const logo_uri = 'https://cdn.example.com/logo.png'
  const policy_uri = 'https://photos.example.com/privacy'
  const tos_uri = 'https://photos.example.com/terms'
  const documented = { ...destination, logo_uri, policy_uri, tos_uri }
  const page = consentPage({ ...props, destination: documented }, english)
  t.match(page, `<div class="account app"><img class="logo" src="${logo_uri}" alt=""><span>`)
  t.same(linksOf(page), [
    `Privacy policy of <bdi>Photo Album</bdi> ${policy_uri}`,
    `Terms of <bdi>Photo Album</bdi> ${tos_uri}`,
  ])
  const needs = consentPageNeeds(documented)
  t.match(theme.policyWith(needs), ";img-src 'self' https://cdn.example.com;script-src")
  const one = consentPage({ ...props, destination: { ...destination, tos_uri } }, english)
  t.same(linksOf(one), [`Terms of <bdi>Photo Album</bdi> ${tos_uri}`])
})

t.test('each scope of the admin API has a text in each language', async (t) => {
  for (const view of [english, german]) {
    const page = consentPage({ ...login, scopes: ADMIN_SCOPES, account: alice }, view)
    const items = [...page.matchAll(/<li>(.*?)<\/li>/g)].map(([, text = '']) => text)
    t.equal(new Set(items).size, ADMIN_SCOPES.length)
    for (const text of items) t.match(text, /^[A-ZÄÖÜ][^:<]+$/)
  }
})

t.test('the consent page shows the email address that is released', async (t) => {
  const account = { name: 'Alice', email: 'al<ice@example.com' }
  const page = consentPage({ ...login, scopes: ['openid', 'email', 'phone'], account }, english)
  t.equal(page.match(/al&lt;ice@example.com/g)?.length, 1)
  t.match(page, '<li>See your email address<small><bdi>al&lt;ice@example.com</bdi></small></li>')
  t.notMatch(consentPage({ ...login, scopes: ['openid', 'profile'], account }, english), 'ice@example')
})

t.test('a page on which nothing goes on links back to the client', async (t) => {
  const back = { client_name: 'Photo <Album>', client_uri: 'https://photos.example.com/' }
  const expected = ['Back to <bdi>Photo &lt;Album&gt;</bdi> https://photos.example.com/']
  t.same(linksOf(loggedOutPage({ signed_in: false, client: back }, english)), expected)
  t.same(
    linksOf(errorPage({ error: signInExpired(back, 'over'), request_id: 'x', at: 0 }, english)),
    expected,
  )
  const unknown = { client_name: 'Photo Album' }
  for (const signed_in of [false, true]) {
    const end = loggedOutPage({ signed_in, client: unknown }, english)
    t.same(linksOf(end), ['Start page /'])
    t.equal(end.includes('<div class="check">'), !signed_in, 'a check mark if it is done')
  }
  t.same(linksOf(deviceDonePage({ is_allowed: true }, english)), ['Start page /'])
  t.same(linksOf(errorPage({ error: signInExpired(unknown, 'over'), request_id: 'x', at: 0 }, english)), [])
})

t.test('the consent page', async (t) => {
  const scope_texts = new Map([
    ['api.write', 'Add pictures'],
    ['email', 'Write to you'],
  ])
  const scope_claims = new Map([
    ['groups', 'staff'],
    ['roles', 'staff'],
    ['level', 'api.write'],
  ])
  const scopes = ['openid', 'email', 'api.write', 'staff', 'api.read', '__proto__', 'constructor']
  const props: ConsentProps = { ...login, scopes, scope_texts, scope_claims, account: alice }
  const page = consentPage(props, english)
  t.same(
    [...page.matchAll(/<li>(.*)<\/li>/g)].map(([, text]) => text),
    [
      'Know who you are',
      'Write to you',
      'Add pictures',
      'See these details of your account: <code>groups, roles</code>',
      ...scopes.slice(4).map((name) => `<code>${name}</code>`),
    ],
    "the operator's words, ours, the claims, or the name",
  )
  t.match(page, '<h1>Allow <bdi>Photo Album</bdi> to access your account?</h1>')
  t.match(page, '<title>Allow Photo Album to access your account? · Wonderland</title>')
  t.match(page, '<bdi>photos.example.com:8443</bdi>')
  t.notMatch(page, 'would like to', 'the heading says it')
  t.match(page, 'aria-label="Not you? Use another account">Not you?</button>')
  t.match(page, /Signed in as<\/small><strong><bdi>Alice<\/bdi><\/strong><small><bdi>alice@example.com/)
  t.same(
    [...page.matchAll(/<button[^>]*name="decision" value="(\w+)"/g)].map(([, value]) => value),
    ['other_account', 'allow', 'deny'],
    'who consents is named first',
  )
  const bare = consentPage({ ...login, scopes: ['openid', 'phone'], account: { name: 'alice' } }, german)
  t.match(bare, '<li>Erfahren, wer Sie sind</li>\n<li>Ihre Telefonnummer sehen</li>')
})

t.test('the page to choose an account', async (t) => {
  const accounts = [
    { id: 'one', ...alice },
    { id: 'two', name: 'Bob' },
  ]
  const page = selectAccountPage({ ...login, accounts }, english)
  t.same(
    [...page.matchAll(/<button[^>]*name="(\w+)" value="(\w+)"/g)].map(([, name, value]) => [name, value]),
    [
      ['account', 'one'],
      ['account', 'two'],
      ['decision', 'other_account'],
    ],
  )
})

t.test('the sign-out page', async (t) => {
  const page = logoutPage({ ...form, account: alice }, english)
  t.match(page, '<h1>Sign out of Wonderland?</h1>')
  t.same(
    [...page.matchAll(/<button[^>]*value="(\w+)"/g)].map(([, value]) => value),
    ['logout', 'stay'],
  )
  t.match(logoutPage({ ...form, account: alice }, german), '<h1>Von Wonderland abmelden?</h1>')
})

t.test('an error has a sentence in the language of the page, and the technical one in English', async (t) => {
  for (const code of ERROR_CODES) {
    const error = new OAuthError(code, 'request_malformed', 'The technical sentence.')
    for (const { tag, messages } of LANGUAGES) {
      const language = LANGUAGES.find((known) => known.tag === tag) ?? en
      const page = errorPage({ error, request_id: 'x', at: 0 }, { theme, language })
      t.match(page, `<dd>${messages[`code_${code}`]}</dd>`, `${code} in ${tag}`)
      t.match(page, '<dd><span lang="en" dir="ltr">The technical sentence.</span></dd>')
    }
  }
})

t.test('the error page', async (t) => {
  const request_id = 'the-request-id'
  const at = Date.UTC(2026, 10, 22, 12, 3, 4)
  const refused = invalidRequest('request_malformed', 'Not <b>this</b>.')
  const page = errorPage({ error: refused, request_id, at }, english)
  t.match(page, '<dd><span lang="en" dir="ltr">Not &lt;b&gt;this&lt;/b&gt;.</span></dd>')
  t.match(page, '<dd><code>invalid_request</code></dd>')
  const [, inside = '', outside = ''] = /<details class="details">(.*)<\/details>(.*)/s.exec(page) ?? []
  t.match(inside, '<summary>For support</summary>')
  t.match(inside, 'Not &lt;b&gt;this&lt;/b&gt;.')
  t.match(outside, '<dd><code>the-request-id</code></dd>')
  t.match(outside, '<time dir="ltr">2026-11-22 12:03:04Z</time>')
  t.match(page, '<h1>This sign-in link does not work</h1>')
  t.notMatch(page, '<a ')
  const fault = errorPage({ error: serverError(new Error('hush')), request_id, at, retry: true }, english)
  t.match(fault, '<h1>Something went wrong</h1>')
  t.match(fault, '<a class="button main" href="">Try again</a>')
  t.notMatch(fault, 'hush')
  const away = errorPage({ error: temporarilyUnavailable(new Error('hush')), request_id, at }, german)
  t.match(away, '<h1>Die Anmeldung ist gerade nicht möglich</h1>')
  t.notMatch(away, 'hush')
  const late = errorPage({ error: signInExpired(undefined, 'over'), request_id, at }, english)
  t.match(late, '<h1>This sign-in is no longer open</h1>')
})

/** A page of the gallery in English. */
const shown = (name: string) => GALLERY[name]?.(english) ?? ''

t.test('the start page has one way on before all others, and its name once', async (t) => {
  const page = shown('home-demo')
  t.equal(page.match(/class="button main"/g)?.length, 1)
  t.notMatch(page, '<h1>Wonderland</h1>')
  t.match(page, /<li><a class="link" href="\/\.well-known\/openid-configuration">/)
  t.match(page, /<p class="note">redmint [\d.]+ · <bdi>https:/)
  t.match(shown('home-signed-in'), /Alice Liddell.*<a class="link" href="\/oauth2\/logout">Sign out</)
})

t.test('the tokens of the demo have room: raw text folded, times in words', async (t) => {
  const page = shown('demo-tokens')
  t.match(page, '<div class="card wide">')
  t.match(page, /<details>\n<summary>Raw token<\/summary>\n<pre tabindex="0">eyJ/)
  t.match(page, /exp&quot;: \d+<small> in 15 minutes<\/small>/)
  t.notMatch(shown('login'), 'card wide')
})

t.test('code and QR code of the demo device stand in one box, and its buttons together', async (t) => {
  const page = shown('demo-device-code')
  t.match(page, /<div class="shown"><code>WDJB-MJHT<\/code>\n<svg class="qr"/)
  t.match(page, /class="choice">\n<a class="button main"[^>]*>[^<]*<\/a>\n<button /)
})
