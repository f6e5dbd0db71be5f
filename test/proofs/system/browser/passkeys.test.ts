// Passkeys in a browser with a virtual authenticator.
import t, { type Test } from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { addPasskey, creationOptions } from '../../../../src/factors/passkeys/create-passkey.ts'
import { passkeySignals, removePasskey } from '../../../../src/factors/passkeys/manage-passkeys.ts'
import { PASSKEY_SCRIPT_PATH } from '../../../../src/factors/passkeys/script.ts'
import { type Html, html } from '../../../../src/pages/html.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { passkeyPart, passkeyScript, passkeySignal } from '../../../../src/pages/passkey.ts'
import { readAccount } from '../../../../src/users/read-account.ts'
import { type Person, type Stage, setStage } from '../../../support/browser/stage.ts'
import { behind, withAuthenticator } from '../../../support/browser/virtual-authenticator.ts'
import { accessibilityFaults, DESKTOP, NARROW } from '../../../support/browser.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const context = behind(t, stage)
const BROWSER = { digest: 'a-browser', name: 'Chromium' }

const user = async () => {
  const found = await readAccount(context, 'alice')
  if (found === undefined) throw new Error('no alice')
  return found
}

/** Shows parts of a page at an address of the service, as the account page does. */
async function show({ page }: Person, { text }: Html) {
  const url = `${stage.issuer}/parts`
  const body = `<!doctype html><html lang="en"><title>Parts</title><link rel="icon" href="data:,">${text}</html>`
  await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body }), { times: 1 })
  await page.goto(url)
}

/** Makes a passkey in the browser, and adds it to the account. */
async function makePasskey(person: Person): Promise<string> {
  const { page } = person
  const options = (await creationOptions(context, await user(), BROWSER)) ?? {}
  const button = html`<button>Create a passkey</button>`
  const part = passkeyPart({ options, use: 'create', script: PASSKEY_SCRIPT_PATH, button }, en)
  await show(person, html`<form method="post" action="/nowhere">${part}</form>`)
  const sent = page.waitForRequest((request) => request.url().endsWith('/nowhere'))
  await page.click('text=Create a passkey')
  const posted = new URLSearchParams((await sent).postData() ?? '').get('credential') ?? undefined
  // Until then the browser interrupts what it is told to open next.
  await page.waitForURL('**/nowhere')
  const added = await addPasskey(context, await user(), posted, BROWSER)
  if (added.outcome !== 'added') throw new Error(added.outcome)
  return added.id
}

const openSignIn = ({ page }: Person, { shop }: Stage) => page.goto(shop.url())

t.test('a passkey is made in the browser, and signs in by the button', async (t: Test) => {
  const person = await stage.welcome()
  const { touch, ids } = await withAuthenticator(person)
  await touch(true)
  const id = await makePasskey(person)
  t.same(await ids(), [id])
  await touch(false)
  await openSignIn(person, stage)
  const button = person.page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  t.same(await accessibilityFaults(person.page), [], 'axe')
  await touch(true)
  await button.click()
  await person.sees('Allow The shop to access your account?')
  t.match((await findFactors(context, 'alice')).factors.passkeys.get(id), { browser: / on Linux$/ })

  await t.test('the browser suggests it in the field of the username', async () => {
    const other = await stage.welcome()
    const own = await withAuthenticator(other)
    await own.touch(true)
    await makePasskey(other)
    await openSignIn(other, stage)
    // The virtual authenticator takes what is suggested without a touch.
    await other.sees('Allow The shop to access your account?')
  })

  await t.test('B10 after a removal the browser forgets it', async (t) => {
    await removePasskey(context, 'alice', id)
    const { factors } = await findFactors(context, 'alice')
    const signals = passkeySignals(context.settings, await user(), factors)
    await show(person, html`${passkeySignal(signals ?? {})}${passkeyScript(PASSKEY_SCRIPT_PATH)}`)
    await until('it is forgotten', async () => (await ids()).length === 0)
    t.same(
      person.complaints.filter((complaint) => !complaint.includes('404')),
      [],
    )
  })

  await t.test('B10 one that no account has is forgotten, too', async (t) => {
    await touch(true)
    await removePasskey(context, 'alice', await makePasskey(person))
    await touch(false)
    const stranger = person.page
    await person.context.clearCookies()
    await openSignIn(person, stage)
    const again = stranger.getByRole('button', { name: 'Sign in with a passkey' })
    await again.waitFor()
    await touch(true)
    await again.click()
    t.equal(await stranger.getByRole('alert').textContent(), en.messages.login_failed)
    await until('it is forgotten', async () => (await ids()).length === 0)
  })
})

t.test('a keeper that has a passkey of the account already says so', async (t: Test) => {
  const person = await stage.welcome()
  const { touch, ids } = await withAuthenticator(person)
  await touch(true)
  await stage.addUser('carol')
  await person.page.goto(`${stage.issuer}/account/passkeys`)
  await person.signIn('carol')
  const button = person.page.getByRole('button', { name: 'Create a passkey' })
  await button.click()
  await person.page.waitForURL('**/account?done=passkey')
  // Else what the browser suggests confirms at once.
  await touch(false)
  await person.page.goto(`${stage.issuer}/account/passkeys`)
  await person.sees(en.messages.confirm_title)
  const use = person.page.getByRole('button', { name: en.messages.confirm_use_passkey })
  await use.waitFor()
  t.same(await accessibilityFaults(person.page), [], 'axe')
  await touch(true)
  await use.click()
  await person.sees(en.messages.own_passkeys)
  await button.click()
  await person.page.getByText(en.messages.passkey_exists).waitFor()
  t.equal((await ids()).length, 1)
})

t.test('after a password a passkey is made with one press', async (t: Test) => {
  const person = await stage.welcome(NARROW)
  const { touch, ids } = await withAuthenticator(person)
  await openSignIn(person, stage)
  await person.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  const can = person.page.locator('input[name=passkeys]')
  await until('the page knows that it can', async () => (await can.inputValue()) === 'yes')
  await person.signIn('bob')
  await person.sees('Create a passkey?')
  const button = person.page.getByRole('button', { name: 'Create a passkey' })
  await button.waitFor()
  t.same(await accessibilityFaults(person.page), [], 'axe')
  t.equal(await person.page.evaluate('document.documentElement.scrollWidth'), 320)
  await touch(true)
  await button.click()
  await person.sees('Allow The shop to access your account?')
  t.equal((await ids()).length, 1)
  t.same([...(await findFactors(context, 'bob')).factors.passkeys.keys()], await ids())
  t.same(person.complaints, [])
})

t.test('without scripts the password signs in, and no button is there', async (t: Test) => {
  for (const screen of [DESKTOP, NARROW]) {
    const person = await stage.welcome({ ...screen, scripts: false })
    await openSignIn(person, stage)
    t.equal(await person.page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
    await person.signIn()
    await person.sees('Allow The shop to access your account?')
  }
})
