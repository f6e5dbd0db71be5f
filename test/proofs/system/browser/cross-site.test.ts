// What another site and another port can do in a real browser: forge requests, fix a session, plant requests, and frame pages.
import t from 'tap'
import { startRelyingParty } from '../../../support/browser/relying-party.ts'
import { type Person, setStage } from '../../../support/browser/stage.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const { issuer, shop, wiki } = stage
const ALLOW = 'Allow The shop to access your account?'
const OVER = 'This sign-in is no longer open'
const INTERACTION = `${issuer}/oauth2/interaction`

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
  return { person, username, form: await formOf(person) }
}

const formOf = async ({ page }: Person) => ({
  transaction: await page.inputValue('input[name=transaction]'),
  csrf: await page.inputValue('input[name=csrf]'),
})
const sessionOf = async ({ context }: Person) =>
  (await context.cookies(issuer)).find(({ name }) => name === 'redmint-session')?.value

/** A foreign page that posts a form as soon as it is opened. */
function trap(host: typeof evil, action: string, fields: Record<string, string>): string {
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
  const path = `/trap-${host.pages.size}`
  const script = '<script>document.forms[0].submit()</script>'
  host.pages.set(
    path,
    `<title>trap</title><form method="post" action="${action}">${inputs.join('')}</form>${script}`,
  )
  return host.origin + path
}

for (const host of [evil, neighbour]) {
  const where = host === evil ? 'another site' : 'another port'

  t.test(`a form of ${where} cannot sign a user in`, async (t) => {
    const attacker = await begin()
    const { person, form } = await begin()
    const credentials = { username: attacker.username, password: 'correct horse battery staple' }
    const attempts = {
      'with nothing': {},
      "with the attacker's own request": attacker.form,
      "with the person's request": { transaction: form.transaction },
      "with the person's request and a token of the attacker's": {
        transaction: form.transaction,
        csrf: attacker.form.csrf,
      },
    }
    for (const [what, fields] of Object.entries(attempts)) {
      await person.page.goto(trap(host, INTERACTION, { ...fields, ...credentials }))
      await person.page.waitForURL(`${INTERACTION}**`)
      t.equal(await sessionOf(person), undefined, what)
    }
    t.equal(shop.arrivals.length, 0)
    // The user's own request still works.
    await person.page.goto(`${INTERACTION}?transaction=${form.transaction}`)
    await person.sees('Sign in')
    await attacker.person.page.reload()
    await attacker.person.sees('Sign in')
  })

  t.test(`a form of ${where} cannot give consent`, async (t) => {
    const { person, username } = await begin()
    await person.signIn(username)
    await person.sees(ALLOW)
    const { transaction } = await formOf(person)
    const before = shop.arrivals.length
    for (const csrf of ['', 'a'.repeat(43)]) {
      await person.page.goto(trap(host, INTERACTION, { transaction, csrf, decision: 'allow' }))
      await person.page.waitForURL(`${INTERACTION}**`)
    }
    t.equal(shop.arrivals.length, before)
    await person.page.goto(`${INTERACTION}?transaction=${transaction}`)
    await person.sees(ALLOW)
  })

  t.test(`${where} cannot sign a user out`, async (t) => {
    const { person, username } = await begin()
    const { page } = person
    await person.signIn(username)
    await person.sees(ALLOW)
    const session = await sessionOf(person)
    const logout = `${issuer}/oauth2/logout`
    await page.goto(logout)
    await person.sees('Sign out of redmint?')
    const { transaction } = await formOf(person)
    const attempts: Record<string, string>[] = [
      {},
      { decision: 'logout' },
      { decision: 'logout', transaction, csrf: '' },
      { decision: 'logout', transaction, csrf: 'a'.repeat(43) },
    ]
    for (const fields of attempts) {
      await page.goto(trap(host, logout, fields))
      await page.waitForURL(`${logout}**`)
      t.equal(await sessionOf(person), session)
    }
    host.pages.set('/picture', `<title>picture</title><img src="${logout}" alt="">`)
    await page.goto(`${host.origin}/picture`)
    t.equal(await sessionOf(person), session)
    await page.goto(wiki.url())
    await person.sees('Allow The wiki to access your account?')
  })
}

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
