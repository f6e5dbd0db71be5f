// Session fixation, planted requests and framing, in a real browser.
import t from 'tap'
import { startRelyingParty } from '../../../support/browser/relying-party.ts'
import { type Person, setStage } from '../../../support/browser/stage.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const { issuer, shop, wiki } = stage
const ALLOW = 'Allow The shop to access your account?'
const OVER = 'This sign-in is no longer open'

/** Another site, and another port of the same host, to which SameSite cookies apply as well. */
const evil = await startRelyingParty(t, issuer, 'evil', 'evil.localhost')
const neighbour = await startRelyingParty(t, issuer, 'neighbour', 'localhost')

let people = 0
/** A user on the sign-in page of the shop. */
async function begin() {
  const username = `person-${++people}`
  await stage.addUser(username)
  const person = await stage.welcome()
  await person.page.goto(shop.url())
  await person.sees('Sign in')
  return { person, username }
}

const sessionOf = async ({ context }: Person) =>
  (await context.cookies(issuer)).find(({ name }) => name === 'redmint-session')?.value

t.test('a sign-in replaces a session cookie that an attacker knows', async (t) => {
  const attacker = await begin()
  await attacker.person.signIn(attacker.username)
  await attacker.person.sees(ALLOW)
  const planted = {
    'made up': 'A'.repeat(43),
    "the attacker's own": String(await sessionOf(attacker.person)),
  }
  for (const [what, value] of Object.entries(planted)) {
    const username = `person-${++people}`
    await stage.addUser(username)
    const person = await stage.welcome()
    await person.context.addCookies([{ name: 'redmint-session', value, url: issuer }])
    await person.page.goto(shop.url({ prompt: 'login' }))
    await person.sees('Sign in')
    await person.signIn(username)
    await person.sees(ALLOW)
    t.match(await person.page.locator('.account.chip').textContent(), username, what)
    const session = await sessionOf(person)
    t.match(session, /^[\w-]{43}$/)
    t.not(session, value, what)
    await attacker.person.context.addCookies([{ name: 'redmint-session', value, url: issuer }])
    await attacker.person.page.goto(wiki.url())
    await attacker.person.sees('Sign in')
  }
})

t.test("an attacker's browser cookie gives no access to the user's session", async (t) => {
  const attacker = await begin()
  const known = await attacker.person.context.cookies(issuer)
  const { person, username } = await begin()
  await person.context.addCookies(known)
  await person.page.goto(attacker.person.page.url())
  await person.sees('Sign in')
  await person.signIn(username)
  await person.sees(ALLOW)
  // The browser cookie alone gives no session.
  await attacker.person.page.reload()
  await attacker.person.sees('Sign in')
  t.equal(await sessionOf(attacker.person), undefined)
  await person.press('allow')
  await person.sees('Welcome back to shop')
  // The request was answered, so nobody else gets an answer to it.
  const before = shop.arrivals.length
  await attacker.person.signIn(attacker.username)
  await attacker.person.sees(ALLOW)
  await attacker.person.press('allow')
  await attacker.person.sees(OVER)
  t.equal(shop.arrivals.length, before)
})

t.test('no page is shown in a frame', async (t) => {
  const { person, username } = await begin()
  const { page, complaints } = person
  await person.signIn(username)
  await person.sees(ALLOW)
  const targets = [
    page.url(),
    shop.url({ prompt: 'consent' }),
    `${issuer}/oauth2/logout`,
    shop.url({ scope: '' }),
  ]
  for (const host of [evil, neighbour]) {
    for (const [index, target] of [...targets, `${issuer}/oauth2/authorize`].entries()) {
      host.pages.set(
        '/frame',
        `<title>frame</title><iframe src="${target.replaceAll('&', '&amp;')}"></iframe>`,
      )
      const before = complaints.length
      await page.goto(`${host.origin}/frame`)
      await until('the browser refuses', () =>
        complaints.slice(before).some((text) => text.includes('frame')),
      )
      const shown = await page.frames()[1]?.evaluate('document.querySelector("main")?.textContent ?? ""')
      t.equal(shown, '', `${host.client_id} ${index}`)
    }
  }
})
