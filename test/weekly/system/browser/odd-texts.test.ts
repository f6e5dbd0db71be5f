// Texts with a special meaning, and hostile addresses.
import t from 'tap'
import { startRelyingParty } from '../../../support/browser/relying-party.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults } from '../../../support/browser.ts'

const stage = await setStage(t)
const { issuer, shop } = stage
const evil = await startRelyingParty(t, issuer, 'evil', 'evil.localhost')

const PROBES = [
  '<script>document.title = "hacked"</script>',
  '"><img src=x onerror="document.title = \'hacked\'">',
  "' autofocus onfocus='document.title = `hacked`",
  '</textarea></title></style><svg onload="document.title = \'hacked\'">',
  'javascript:document.title="hacked"',
  '{{constructor.constructor("document.title=1")()}} &lt;b&gt; %3Cscript%3E',
]

t.test('special texts are shown as text on the pages', async (t) => {
  const person = await stage.welcome()
  const { page, complaints } = person
  await stage.addUser('eve', { name: PROBES[1] ?? '' })
  const untouched = async (what: string) => {
    t.not(await page.title(), 'hacked', what)
    t.equal(
      await page
        .locator('img, svg:not(.icon), textarea, [onfocus], [onerror], a[href^="javascript"]')
        .count(),
      0,
      what,
    )
    t.ok((await page.locator('script:not([src^="/oauth2/passkeys."])').count()) <= 1, what)
  }
  let signedIn = false
  for (const probe of PROBES) {
    const client = { ...shop.registration, client_id: `odd-${PROBES.indexOf(probe)}`, client_name: probe }
    await stage.register(client)
    const odd = {
      client_id: client.client_id,
      state: probe,
      nonce: probe,
      login_hint: probe,
      ui_locales: probe,
    }
    const consent = { ...odd, prompt: signedIn ? 'consent' : 'login consent' }
    await page.goto(shop.url({ ...odd, display: probe, prompt: 'login' }))
    await person.sees('Sign in')
    t.equal(await page.inputValue('input[name=username]'), probe)
    t.match(await page.locator('.account.app').textContent(), probe)
    await untouched(`sign-in: ${probe}`)
    await page.goto(shop.url(consent))
    if (!signedIn) await person.signIn('eve')
    signedIn = true
    await page.locator('button[value=allow]').waitFor()
    t.match(await page.locator('h1').textContent(), probe)
    t.match(await page.locator('.account.chip').textContent(), PROBES[1])
    await untouched(`consent: ${probe}`)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.equal(shop.arrivals.at(-1)?.parameters.state, probe)
    await page.goto(shop.url({ ...odd, response_mode: 'form_post' }))
    await person.sees('Welcome back to shop')
    t.equal(shop.arrivals.at(-1)?.parameters.state, probe)
    t.equal(shop.arrivals.at(-1)?.method, 'POST')
    t.same(complaints, [])
  }
})

t.test('special texts in refused requests are harmless', async (t) => {
  const person = await stage.welcome()
  const { page, complaints } = person
  for (const probe of PROBES) {
    for (const name of ['client_id', 'redirect_uri']) {
      await page.goto(shop.url({ [name]: probe }))
      const isUnknown = name === 'client_id'
      await person.sees(isUnknown ? 'Unknown application' : 'This sign-in link does not work')
      t.not(await page.title(), 'hacked')
      t.equal(await page.locator('img, svg:not(.icon), script, textarea').count(), 0, name)
    }
    await page.goto(`${issuer}/oauth2/interaction?transaction=${encodeURIComponent(probe)}`)
    await person.sees('This sign-in is no longer open')
    await page.goto(`${issuer}/oauth2/logout?${new URLSearchParams({ state: probe, id_token_hint: probe })}`)
    await person.sees('You are signed out')
    t.not(await page.title(), 'hacked')
  }
  // Other errors are sent to the client only.
  for (const name of [
    'scope',
    'prompt',
    'max_age',
    'claims',
    'response_type',
    'id_token_hint',
    'request_uri',
  ]) {
    await page.goto(shop.url({ [name]: PROBES[1] }))
    await person.sees('Welcome back to shop')
    t.type(shop.arrivals.at(-1)?.parameters.error, 'string', name)
  }
  await page.goto(shop.url({ redirect_uri: PROBES[1] }))
  await person.sees('This sign-in link does not work')
  t.same(await accessibilityFaults(page), [])
  t.same(
    complaints.filter((text) => !text.includes('400 (Bad Request)')),
    [],
  )
})

t.test('no parameter redirects to an unregistered address', async (t) => {
  const person = await stage.welcome()
  await person.page.goto(shop.url())
  await person.signIn()
  await person.sees('Allow The shop to access your account?')
  await person.press('allow')
  await person.sees('Welcome back to shop')
  const { tokens } = await shop.redeem()
  const cookie = (await person.context.cookies(issuer))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const evils = [
    evil.origin,
    evil.origin.replace('http:', ''),
    `${shop.redirect_uri}@evil.localhost`,
    '/\\evil.localhost',
  ]
  const names = [
    ...[
      'client_id',
      'redirect_uri',
      'response_type',
      'response_mode',
      'scope',
      'state',
      'nonce',
      'prompt',
      'display',
    ],
    ...[
      'max_age',
      'ui_locales',
      'claims_locales',
      'id_token_hint',
      'login_hint',
      'acr_values',
      'claims',
      'request',
    ],
    ...[
      'request_uri',
      'registration',
      'code_challenge',
      'code_challenge_method',
      'subject',
      'transaction',
      'iss',
    ],
    ...[
      'post_logout_redirect_uri',
      'logout_hint',
      'next',
      'return_to',
      'url',
      'target_link_uri',
      'initiate_login_uri',
    ],
  ]
  const bases = {
    '/oauth2/authorize': shop.request(),
    '/oauth2/interaction': {},
    '/oauth2/logout': { id_token_hint: String(tokens.id_token), state: 'a state' },
  }
  const headers = { cookie, accept: 'text/html' }
  let redirects = 0
  for (const [path, parameters] of Object.entries(bases)) {
    for (const name of names) {
      // With a valid hint the session is already over.
      if (path === '/oauth2/logout' && name !== 'post_logout_redirect_uri' && name !== 'state') continue
      for (const value of evils) {
        const url = `${issuer}${path}?${new URLSearchParams({ ...parameters, [name]: value })}`
        const { headers: answer } = await fetch(url, { headers, redirect: 'manual' })
        const location = answer.get('location')
        if (location === null) continue
        redirects++
        const { origin, pathname } = new URL(location, issuer)
        t.ok(
          origin === issuer || `${origin}${pathname}` === shop.redirect_uri,
          `${path} ${name}=${value} leads to ${origin}`,
        )
      }
    }
  }
  t.ok(redirects > 80, `${redirects} redirects`)
  t.equal(evil.arrivals.length, 0)
})
