// Cross-site request forgery: forms of another site and of another port, in a real browser.
import t from 'tap'
import { startRelyingParty } from '../../../support/browser/relying-party.ts'
import { type Person, setStage } from '../../../support/browser/stage.ts'

const stage = await setStage(t)
const { issuer, shop, wiki } = stage
const ALLOW = 'Allow The shop to access your account?'
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
