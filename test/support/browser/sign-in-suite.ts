// Users sign in and give or refuse consent; each request goes to another replica.
import type { Test } from 'tap'
import { PASSWORD } from '../accounts.ts'
import { DESKTOP, focus, NARROW } from '../browser.ts'
import { until } from '../until.ts'
import { startRelyingParty } from './relying-party.ts'
import { setStage } from './stage.ts'

const ALLOW_SHOP = 'Allow The shop to access your account?'
const ALLOW_WIKI = 'Allow The wiki to access your account?'

/** All steps of a user between a client and the pages, on a desktop with scripts or on a phone without. */
export async function signInSuite(t: Test, scripts: boolean): Promise<void> {
  const stage = await setStage(t)
  const { issuer, shop, wiki, served } = stage
  const username = 'anna'
  await stage.addUser(username, { name: 'Anna Example' })
  const enter = () => stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })

  t.test('refused consent is an error for the client', async (t) => {
    const person = await enter()
    await person.page.goto(shop.url())
    await person.sees('Sign in')
    await person.signIn(username)
    await person.sees(ALLOW_SHOP)
    await person.press('deny')
    await person.sees('Welcome back to shop')
    t.match(shop.arrivals.at(-1), {
      method: 'GET',
      path: '/callback',
      parameters: { error: 'access_denied', state: 'a state', iss: issuer },
    })
    t.notOk(shop.arrivals.at(-1)?.parameters.code)
    await person.page.goto(shop.url())
    await person.sees(ALLOW_SHOP)
    t.same(person.complaints, [])
  })

  t.test('sign-in, consent, and single sign-on to a second client', async (t) => {
    const person = await enter()
    await person.page.goto(shop.url())
    await person.sees('Sign in')
    await person.signIn(username)
    await person.sees(ALLOW_SHOP)
    t.equal(new URL(person.page.url()).origin, issuer)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.match(shop.arrivals.at(-1), {
      method: 'GET',
      parameters: { code: String, state: 'a state', iss: issuer },
    })
    const first = (await shop.redeem()).claims
    t.match(first, {
      iss: issuer,
      aud: 'shop',
      sub: `sub-of-${username}`,
      nonce: 'a nonce',
      amr: ['pwd'],
      acr: '1',
    })

    await person.page.goto(wiki.url())
    await person.sees(ALLOW_WIKI)
    await person.press('allow')
    await person.sees('Welcome back to wiki')
    const second = (await wiki.redeem()).claims
    t.match(second, { aud: 'wiki', sub: first.sub, auth_time: first.auth_time, sid: first.sid })

    await person.page.goto(shop.url())
    await person.sees('Welcome back to shop')
    t.match((await shop.redeem()).claims, { sid: first.sid, auth_time: first.auth_time })
    await person.page.goto(shop.url({ prompt: 'none' }))
    await person.sees('Welcome back to shop')
    t.ok(shop.arrivals.at(-1)?.parameters.code)
    t.same(person.complaints, [])
  })

  t.test('a wrong password shows an error and allows another attempt', async (t) => {
    const person = await enter()
    const { page } = person
    await page.goto(shop.url({ login_hint: username }))
    t.equal(await page.inputValue('input[name=username]'), username)
    await person.signIn(username, 'wrong')
    const alert = page.locator('[role=alert]')
    t.equal(await alert.textContent(), 'Wrong username or password.')
    t.match(await page.title(), 'Error: Sign in')
    t.equal(await page.inputValue('input[name=username]'), username)
    t.equal(await page.inputValue('input[name=password]'), '')
    await page.reload()
    t.equal(await alert.textContent(), 'Wrong username or password.')
    await person.signIn(username)
    await person.sees('Welcome back to shop')
    t.same(person.complaints, [])
  })

  t.test('too many wrong passwords block further attempts', async (t) => {
    const person = await enter()
    const { page } = person
    await page.goto(shop.url())
    const throttled = page.locator('[role=alert]', { hasText: 'Too many attempts' })
    let attempts = 0
    await until('it is too much', async () => {
      await person.signIn('nobody', `guess ${attempts++}`)
      await page.locator('[role=alert]').waitFor()
      return throttled.isVisible()
    })
    t.equal(attempts, 6, 'five guesses')
    await page.click('text=Sign in with another account')
    await person.signIn(username)
    await person.sees('Welcome back to shop')
    t.same(person.complaints, [])
  })

  t.test('prompt=login and max_age ask for the password again', async (t) => {
    const person = await enter()
    const { page, context } = person
    await page.goto(shop.url())
    await person.signIn(username)
    await person.sees('Welcome back to shop')
    let last = (await shop.redeem()).claims
    for (const again of [{ prompt: 'login' }, { max_age: '0' }]) {
      await until('the clock goes on', () => Date.now() / 1000 > Number(last.auth_time) + 1)
      const cookies = await context.cookies(issuer)
      await page.goto(shop.url(again))
      await person.sees('Sign in')
      t.equal(await page.inputValue('input[name=username]'), username)
      await person.signIn(username)
      await person.sees('Welcome back to shop')
      const { claims } = await shop.redeem()
      t.ok(Number(claims.auth_time) > Number(last.auth_time), 'a later sign-in')
      t.equal(claims.sid, last.sid, 'of the same session')
      const session = (all: typeof cookies) => all.find(({ name }) => name === 'redmint-session')?.value
      t.not(session(await context.cookies(issuer)), session(cookies), 'by another cookie')
      last = claims
    }
    await page.goto(shop.url({ max_age: '3600' }))
    await person.sees('Welcome back to shop')
    t.equal((await shop.redeem()).claims.auth_time, last.auth_time)
    t.same(person.complaints, [])
  })

  t.test('a user who may not use the client goes back, or uses another account', async (t) => {
    const club = await startRelyingParty(t, issuer, 'club', '127.0.0.1', {
      allowed_groups: ['members'],
      contacts: ['club@example.com'],
    })
    await stage.register(club.registration)
    const member = `${username}-in-the-club`
    await stage.addUser(member, { 'claim:groups': '["members"]' })
    const person = await enter()
    const { page } = person
    await page.goto(club.url())
    await person.signIn(username)
    await person.sees('No access to The club')
    t.equal(await page.locator('script').count(), 0)
    t.equal(await page.getAttribute('a.link', 'href'), 'mailto:club@example.com')
    await page.reload()
    await person.press('deny')
    await person.sees('Welcome back to club')
    t.match(club.arrivals.at(-1)?.parameters, { error: 'access_denied', state: 'a state', iss: issuer })

    await page.goto(club.url())
    await person.sees('No access to The club')
    await person.press('other_account')
    await person.sees('Sign in')
    await person.signIn(member)
    await person.sees('Allow The club to access your account?')
    await person.press('allow')
    await person.sees('Welcome back to club')
    t.equal((await club.redeem()).claims.sub, `sub-of-${member}`)
    await stage.redis.cli('HSET', `redmint:user:${member}`, 'claim:groups', '[]')
    await until('the user has left the club', async () => {
      await page.goto(club.url({ prompt: 'none' }))
      return club.arrivals.at(-1)?.parameters.error === 'access_denied'
    })
    t.same(person.complaints, [])
  })

  t.test('choosing or changing the account', async (t) => {
    const person = await enter()
    const { page } = person
    const other = `${username}-too`
    await stage.addUser(other)
    await page.goto(shop.url())
    await person.signIn(username)
    await person.sees('Welcome back to shop')
    await page.goto(shop.url({ prompt: 'select_account' }))
    await person.sees('Choose an account')
    await page.click('button[name=account]')
    await person.sees('Welcome back to shop')
    t.equal((await shop.redeem()).claims.sub, `sub-of-${username}`)

    await page.goto(shop.url({ prompt: 'select_account' }))
    await person.sees('Choose an account')
    await person.press('other_account')
    await person.sees('Sign in')
    t.equal(await page.inputValue('input[name=username]'), '')
    await person.signIn(other)
    await person.sees(ALLOW_SHOP)
    t.match(await page.locator('.account.chip').textContent(), other)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.equal((await shop.redeem()).claims.sub, `sub-of-${other}`)

    // Also from the consent page.
    await page.goto(shop.url({ prompt: 'consent' }))
    await person.sees(ALLOW_SHOP)
    await person.press('other_account')
    await person.sees('Sign in')
    await person.signIn(username)
    await person.sees(ALLOW_SHOP)
    await person.press('allow')
    await person.sees('Welcome back to shop')
    t.equal((await shop.redeem()).claims.sub, `sub-of-${username}`)
    t.same(person.complaints, [])
  })

  t.test('response_mode=form_post', async (t) => {
    const person = await enter()
    const { page } = person
    const state = ` <"'&amp;&#60;+%20> ä漢😀 ${'long '.repeat(100)}`
    const url = shop.url({ response_mode: 'form_post', state })
    const arrive = async () => {
      if (!scripts) {
        await person.sees('Taking you back')
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await person.sees('Welcome back to shop')
      t.equal(shop.arrivals.at(-1)?.method, 'POST')
      t.equal(shop.arrivals.at(-1)?.parameters.state, state)
    }
    await page.goto(url)
    await person.signIn(username)
    await arrive()
    t.equal((await shop.redeem()).claims.sub, `sub-of-${username}`)
    const before = shop.arrivals.length
    await page.goto(url)
    await arrive()
    await page.goto(shop.url({ response_mode: 'form_post', state, prompt: 'consent' }))
    await person.sees(ALLOW_SHOP)
    await person.press('deny')
    await arrive()
    t.match(shop.arrivals.at(-1)?.parameters, { error: 'access_denied', iss: issuer })
    t.equal(shop.arrivals.length, before + 2, 'each answer once')
    t.same(person.complaints, [])
  })

  t.test('all steps work by keyboard alone', async (t) => {
    const person = await enter()
    const { page } = person
    const keys = page.keyboard
    await page.goto(shop.url({ prompt: 'consent' }))
    await focus(page, 'input[name=username]')
    await keys.insertText(username)
    await keys.press('Tab')
    await keys.insertText(PASSWORD)
    await keys.press('Enter')
    await person.sees(ALLOW_SHOP)
    const focused = () => page.locator(':focus').textContent()
    await keys.press('Tab')
    t.equal(await focused(), 'Not you?')
    await keys.press('Tab')
    t.equal(await focused(), 'Allow')
    await keys.press('Tab')
    t.equal(await focused(), 'Do not allow')
    await keys.press('Shift+Tab')
    await keys.press('Enter')
    await person.sees('Welcome back to shop')
    t.equal((await shop.redeem()).claims.sub, `sub-of-${username}`)
    t.same(person.complaints, [])
  })

  t.test('both replicas served requests', async (t) => {
    const [one = 0, other = 0] = served
    t.ok(one > 20 && Math.abs(one - other) <= 1, `${one} and ${other} requests`)
  })
}
