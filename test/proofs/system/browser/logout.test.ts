// Users sign out, and clients are notified; each request goes to another replica.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import t from 'tap'
import { type Person, setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, NARROW } from '../../../support/browser.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const { issuer, shop, wiki } = stage
const LOGOUT = `${issuer}/oauth2/logout`
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))

const address = (parameters: Record<string, string>) => `${LOGOUT}?${new URLSearchParams(parameters)}`
const sessionOf = async ({ context }: Person) =>
  (await context.cookies(issuer)).find(({ name }) => name === 'redmint-session')?.value

for (const scripts of [true, false]) {
  const how = scripts ? 'scripts on' : 'scripts off'

  /** A user who is signed in to both clients, and the id_token of the shop. */
  const signedIn = async (username: string) => {
    await stage.addUser(username, { name: 'Anna Example' })
    const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
    await person.page.goto(wiki.url())
    await person.signIn(username)
    await person.sees('Allow The wiki to access your account?')
    await person.press('allow')
    await person.sees('Welcome back to wiki')
    await person.page.goto(shop.url())
    await person.sees('Allow The shop to access your account?')
    await person.press('allow')
    await person.sees('Welcome back to shop')
    const { tokens, claims } = await shop.redeem()
    return { person, id_token_hint: String(tokens.id_token), sid: String(claims.sid) }
  }

  t.test(`logout with an id_token_hint returns to the client, ${how}`, async (t) => {
    const { person, id_token_hint, sid } = await signedIn(`anna-${scripts}`)
    const { page } = person
    const state = 'a state & more'
    const { post_logout_redirect_uri } = shop
    await page.goto(address({ id_token_hint, post_logout_redirect_uri, state }))
    await person.sees('Welcome back to shop')
    t.equal(page.url().split('?')[0], post_logout_redirect_uri)
    t.same(shop.arrivals.at(-1), { method: 'GET', path: '/bye', parameters: { state } })
    t.equal(await sessionOf(person), undefined)

    for (const client of [shop, wiki]) {
      const about = () => client.logout_tokens.filter((token) => decodeJwt(token).sid === sid)
      await until(`${client.client_id} is told`, () => about().length > 0)
      const [token = '', ...more] = about()
      t.equal(more.length, 0, 'once')
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: client.client_id,
        typ: 'logout+jwt',
      })
      t.match(payload, { sid, sub: `sub-of-anna-${scripts}`, events: { [EVENT]: {} } })
      t.notOk('nonce' in payload)
    }
    await page.goto(shop.url())
    await person.sees('Sign in')
    await page.goto(shop.url({ prompt: 'none' }))
    await person.sees('Welcome back to shop')
    t.equal(shop.arrivals.at(-1)?.parameters.error, 'login_required')
    // Again: there is no session any more.
    await page.goto(address({ id_token_hint, post_logout_redirect_uri }))
    await person.sees('Welcome back to shop')
    t.same(person.complaints, [])
  })

  t.test(`logout by a form of the client, ${how}`, async (t) => {
    const { person, id_token_hint } = await signedIn(`otto-${scripts}`)
    const { post_logout_redirect_uri } = shop
    const fields = { id_token_hint, post_logout_redirect_uri, state: 'by form' }
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    const form = `<form method="post" action="${LOGOUT}">${inputs.join('')}<button>Leave</button></form>`
    shop.pages.set('/leave', `<title>leave</title>${form}`)
    await person.page.goto(`${shop.origin}/leave`)
    await person.page.click('button')
    if (!scripts) {
      await person.sees('One moment')
      t.equal(person.page.url(), LOGOUT, 'the token is in no address')
      await person.page.click('button')
    }
    await person.sees('Welcome back to shop')
    t.same(shop.arrivals.at(-1), { method: 'GET', path: '/bye', parameters: { state: 'by form' } })
    t.equal(await sessionOf(person), undefined)
    t.same(person.complaints, [])
  })

  t.test(`logout without a hint asks first, ${how}`, async (t) => {
    const { person } = await signedIn(`emil-${scripts}`)
    const { page } = person
    await page.goto(LOGOUT)
    await person.sees('Sign out of redmint?')
    t.match(await page.locator('.account').textContent(), 'Anna Example')
    await page.reload()
    await person.sees('Sign out of redmint?')
    await person.press('stay')
    await person.sees('You are still signed in')
    await page.reload()
    await person.sees('You are still signed in')
    await page.goto(shop.url())
    await person.sees('Welcome back to shop')

    await page.goto(LOGOUT)
    await person.sees('Sign out of redmint?')
    await person.press('logout')
    await person.sees('You are signed out')
    t.equal(await sessionOf(person), undefined)
    await page.reload()
    await person.sees('You are signed out')
    await page.goBack()
    await person.page.locator('h1').waitFor()
    t.match(await page.locator('h1').textContent(), /You are signed out|Welcome back to shop/)
    await page.goto(shop.url())
    await person.sees('Sign in')
    t.same(person.complaints, [])
  })
}

t.test('logout does not redirect to an unregistered address', async (t) => {
  await stage.addUser('nobodys', { name: 'Anna Example' })
  const person = await stage.welcome()
  await person.page.goto(shop.url())
  await person.signIn('nobodys')
  await person.sees('Allow The shop to access your account?')
  await person.press('allow')
  await person.sees('Welcome back to shop')
  const id_token_hint = String((await shop.redeem()).tokens.id_token)
  const uris = [
    wiki.post_logout_redirect_uri,
    `${shop.post_logout_redirect_uri}/`,
    shop.redirect_uri,
    'javascript:alert(1)',
  ]
  const before = [shop.arrivals.length, wiki.arrivals.length]
  for (const post_logout_redirect_uri of uris) {
    await person.page.goto(address({ id_token_hint, post_logout_redirect_uri }))
    await person.page.locator('h1').waitFor()
    t.equal(new URL(person.page.url()).origin, issuer, post_logout_redirect_uri)
  }
  t.same([shop.arrivals.length, wiki.arrivals.length], before)
  t.same(person.complaints, [])
})
