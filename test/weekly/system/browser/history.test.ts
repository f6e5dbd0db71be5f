// Back, reload, a second tab, another browser and expired requests: each step shows a sensible page.
import t from 'tap'
import { type Person, setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, DESKTOP } from '../../../support/browser.ts'
import { withOtherCharacter } from '../../../support/other-character.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const { issuer, redis, shop, wiki } = stage
const ALLOW = 'Allow The shop to access your account?'
const OVER = 'This sign-in is no longer open'
const OVER_IN_GERMAN = 'Diese Anmeldung ist nicht mehr offen'
const NOT_FOUND = 'Failed to load resource: the server responded with a status of 400 (Bad Request)'

let people = 0
/** A new user on the sign-in page of the shop. */
async function begin(screen = DESKTOP): Promise<{ person: Person; username: string; transaction: string }> {
  const username = `person-${++people}`
  await stage.addUser(username)
  const person = await stage.welcome(screen)
  await person.page.goto(shop.url())
  await person.sees('Sign in')
  const transaction = new URL(person.page.url()).searchParams.get('transaction') ?? ''
  return { person, username, transaction }
}

for (const scripts of [true, false]) {
  const how = scripts ? 'scripts on' : 'scripts off'

  t.test(`reloading at each step changes nothing, ${how}`, async (t) => {
    const { person, username } = await begin({ ...DESKTOP, scripts })
    const { page } = person
    await page.reload()
    await person.sees('Sign in')
    await person.signIn(username)
    await person.sees(ALLOW)
    // A reload repeats a GET, so no form is sent twice.
    await page.reload()
    await person.sees(ALLOW)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.ok((await shop.redeem()).tokens.access_token)
    t.same(person.complaints, [])
  })

  t.test(`going back at each step shows the current step, ${how}`, async (t) => {
    const { person, username } = await begin({ ...DESKTOP, scripts })
    const { page } = person
    await person.signIn(username, 'wrong')
    await page.locator('[role=alert]').waitFor()
    await person.signIn(username)
    await person.sees(ALLOW)
    await page.goBack()
    await person.sees(ALLOW)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.same(person.complaints, [])
    // A finished request stays finished; the page says how to start again.
    await page.goBack()
    await person.sees(OVER)
    t.match(await page.locator('main').textContent(), 'Go back to the application and sign in again.')
    // axe-core needs scripts too.
    if (scripts) t.same(await accessibilityFaults(page), [])
    await page.reload()
    await person.sees(OVER)
    await page.goto(shop.url())
    await person.sees('Welcome back to shop')
    t.same([...new Set(person.complaints)], [NOT_FOUND])
  })
}

for (const scripts of [true, false]) {
  t.test(
    `an error page changes its language and nothing else, ${scripts ? 'scripts on' : 'scripts off'}`,
    async (t) => {
      const { page, sees, complaints } = await stage.welcome({ ...DESKTOP, scripts })
      await page.goto(`${issuer}/oauth2/interaction?transaction=over`)
      await sees(OVER)
      const id = await page.locator('dd code').last().textContent()
      await page.locator('footer summary').click()
      await page.getByRole('button', { name: 'Deutsch' }).click()
      await sees(OVER_IN_GERMAN)
      t.equal(page.url(), `${issuer}/oauth2/language`)
      t.equal(await page.locator('dd code').last().textContent(), id)
      if (scripts) t.same(await accessibilityFaults(page), [])
      await page.goBack()
      await sees(OVER_IN_GERMAN)
      await page.locator('footer summary').click()
      await page.getByRole('button', { name: 'English' }).click()
      await sees(OVER)
      t.same([...new Set(complaints)], [NOT_FOUND])
    },
  )
}

t.test('pressing a button twice, while the client is slow, still leads to the client', async (t) => {
  const { person, username } = await begin()
  const { page } = person
  await person.signIn(username)
  await person.sees(ALLOW)
  const release = shop.hold()
  const before = shop.arrivals.length
  const allow = page.locator('button[value=allow]')
  const { x = 0, y = 0 } = (await allow.boundingBox()) ?? {}
  // Not the click of the locator, which waits for the way to the client.
  const press = () => page.mouse.click(x + 20, y + 10)
  await press()
  await until('the client was asked', () => shop.arrivals.length > before)
  await press()
  release()
  await person.sees('Welcome back to shop')
  t.ok((await shop.redeem()).tokens.access_token)
  t.equal(shop.arrivals.length, before + 1)
  t.same(person.complaints, [])
})

t.test('the form_post page cannot be sent twice', async (t) => {
  const { person, username } = await begin()
  const { page } = person
  await page.goto(shop.url({ response_mode: 'form_post' }))
  await person.signIn(username)
  await person.sees(ALLOW)
  const before = shop.arrivals.length
  await person.press('allow')
  await person.sees('Welcome back to shop')
  t.equal(shop.arrivals.length, before + 1)
  await page.goBack()
  // There is no second response, whatever the browser shows.
  await page.goto(wiki.url())
  await person.sees('Allow The wiki to access your account?')
  t.equal(shop.arrivals.filter(({ method }) => method === 'POST').length, 1)
})

t.test('two tabs with one request: the first answer counts', async (t) => {
  const { person, username, transaction } = await begin()
  await person.signIn(username)
  await person.sees(ALLOW)
  const page = await person.context.newPage()
  await page.goto(`${issuer}/oauth2/interaction?transaction=${transaction}`)
  await page.getByRole('heading', { name: ALLOW }).waitFor()
  await person.press('allow')
  await person.sees('Welcome back to shop')
  const before = shop.arrivals.length
  await page.click('button[value=deny]')
  await page.getByRole('heading', { name: OVER }).waitFor()
  t.equal(shop.arrivals.length, before)
})

t.test('two tabs with a request each need one sign-in', async (t) => {
  const { person, username } = await begin()
  const page = await person.context.newPage()
  await page.goto(shop.url({ state: 'of the second tab' }))
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await person.signIn(username)
  await person.sees(ALLOW)
  // The form is older than the sign-in, so it has no effect; the next step is shown.
  await page.fill('input[name=username]', 'bob')
  await page.fill('input[name=password]', 'whatever')
  await page.click('button.main')
  await page.getByRole('heading', { name: ALLOW }).waitFor()
  t.match(await page.locator('.account.chip').textContent(), username)
  await page.click('button[value=allow]')
  await page.getByRole('heading', { name: 'Welcome back to shop' }).waitFor()
  t.match(shop.arrivals.at(-1)?.parameters, { code: String, state: 'of the second tab' })
  // The first tab can continue as well.
  await person.press('allow')
  await person.sees('Welcome back to shop')
  t.match(shop.arrivals.at(-1)?.parameters, { code: String, state: 'a state' })
  t.same(person.complaints, [])
})

t.test("another browser cannot continue a user's request", async (t) => {
  const { person, username, transaction } = await begin()
  const stranger = await stage.welcome()
  const address = `${issuer}/oauth2/interaction?transaction=${transaction}`
  await stranger.page.goto(address)
  await stranger.sees(OVER)
  // Also with a request of its own.
  await stranger.page.goto(shop.url())
  await stranger.sees('Sign in')
  await stranger.page.goto(address)
  await stranger.sees(OVER)
  await person.signIn(username)
  await person.sees(ALLOW)
  await stranger.page.goto(address)
  await stranger.sees(OVER)
  await person.press('allow')
  await person.sees('Welcome back to shop')
  t.same(person.complaints, [])
})

t.test('a changed or invalid transaction shows an error page', async (t) => {
  const { person, transaction } = await begin()
  const [grant = '', secret = ''] = transaction.split('.')
  const flipped = withOtherCharacter(secret, 0)
  const addresses = [
    '',
    `?transaction=${grant}.${flipped}`,
    `?transaction=${grant}`,
    '?transaction=%3Cscript%3E',
  ]
  for (const query of addresses) {
    const answer = await person.page.goto(`${issuer}/oauth2/interaction${query}`)
    t.equal(answer?.status(), 400, query)
    await person.sees(OVER)
  }
  await person.page.goto(`${issuer}/oauth2/interaction?transaction=${transaction}`)
  await person.sees('Sign in')
})

t.test('a browser without cookies shows an error page', async (t) => {
  const { person, username } = await begin()
  await person.context.clearCookies()
  await person.signIn(username)
  await person.sees(OVER)
  await person.page.reload()
  t.equal((await person.context.cookies(issuer)).filter(({ name }) => name === 'redmint-session').length, 0)
})

t.test('a session that ends during consent leads to the sign-in page', async (t) => {
  const { person, username } = await begin()
  await person.signIn(username)
  await person.sees(ALLOW)
  await redis.cli(
    'EVAL',
    "for _, key in ipairs(redis.call('KEYS', 'redmint:session:*')) do redis.call('DEL', key) end",
    '0',
  )
  const before = shop.arrivals.length
  await person.press('allow')
  await person.sees('Sign in')
  t.equal(shop.arrivals.length, before)
  await person.signIn(username)
  await person.sees(ALLOW)
  await person.press('allow')
  await person.sees('Welcome back to shop')
  t.equal((await shop.redeem()).claims.sub, `sub-of-${username}`)
})

t.test('an account that is disabled during a session cannot be used', async (t) => {
  const { person, username } = await begin()
  await person.signIn(username)
  await person.sees(ALLOW)
  await redis.cli('HSET', `redmint:user:${username}`, 'disabled', 'true')
  await person.page.reload()
  await person.sees('Sign in')
  await person.signIn(username)
  await until('it says no', () => person.page.locator('[role=alert]').isVisible())
  t.equal(await person.page.locator('[role=alert]').textContent(), 'Wrong username or password.')
})

// The last test: the contents of storage are lost.
t.test('an outage of storage shows an error page', async (t) => {
  const { person, username } = await begin()
  const { page } = person
  const away = 'Signing in is not possible right now'
  await redis.stop()
  await person.signIn(username)
  await person.sees(away)
  t.equal(await page.getByRole('link', { name: 'Try again' }).count(), 0, 'the form is not sent again')
  await page.goto(shop.url())
  await person.sees(away)
  t.same(await accessibilityFaults(page), [])
  await redis.restart()
  await stage.register(shop.registration)
  await page.getByRole('link', { name: 'Try again' }).click()
  await person.sees('Sign in')
})
