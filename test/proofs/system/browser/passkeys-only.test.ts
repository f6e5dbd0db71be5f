// Passkeys and nothing else, in a browser with a virtual authenticator: an invitation, sign-ins by the button and by autofill, and
// a lost passkey. The page of the sign-in without scripts, and without passkeys.
import t, { type Test } from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../../src/self-service/reset-password.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { behind, withAuthenticator } from '../../../support/browser/virtual-authenticator.ts'
import { accessibilityFaults, NARROW } from '../../../support/browser.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t, { sign_in: 'passkeys' })
const context = behind(t, stage)
const { messages } = en

const passkeysOf = async (username: string) => [
  ...(await findFactors(context, username)).factors.passkeys.keys(),
]

t.test('an invitation ends in a passkey, and a lost one in another', async (t: Test) => {
  const person = await stage.welcome(NARROW)
  const { page } = person
  const { touch, ids } = await withAuthenticator(person)
  await touch(true)
  const by = { kind: 'command', id: '' } as const
  const { url } = await giveInvitation(context, { uses: 1, days: 1, groups: [], by })
  await page.goto(url)
  await person.sees(messages.welcome_title)
  const create = page.getByRole('button', { name: messages.welcome_submit })
  await create.waitFor()
  t.equal(await page.locator('input[type=password]').count(), 0)
  t.same(await accessibilityFaults(page), [], 'axe')
  await page.fill('input[name=username]', 'carol')
  await page.keyboard.press('Enter')
  await person.sees(messages.welcome_done_title)
  const [first] = await passkeysOf('carol')
  t.strictSame(await ids(), [first])

  await page.goto(`${stage.issuer}/account`)
  await person.sees(messages.own_title)
  await touch(false)
  await page.context().clearCookies()
  await page.goto(`${stage.issuer}/account`)
  await person.sees(messages.login_title)
  const sign_in = page.getByRole('button', { name: messages.passkey_sign_in })
  await sign_in.waitFor()
  t.same(await accessibilityFaults(page), [], 'axe')
  await touch(true)
  await sign_in.click()
  await person.sees(messages.own_title)
  await page.context().clearCookies()
  await page.goto(`${stage.issuer}/account`)
  // The virtual authenticator takes what is suggested without a touch.
  await person.sees(messages.own_title)

  const link = await giveResetLink(context, 'carol')
  const other = await stage.welcome(NARROW)
  const another = await withAuthenticator(other)
  await another.touch(true)
  await other.page.goto(link?.url ?? '')
  await other.sees(messages.renew_title)
  const renew = other.page.getByRole('button', { name: messages.passkey_create })
  await renew.waitFor()
  t.same(await accessibilityFaults(other.page), [], 'axe')
  await renew.click()
  await other.sees(messages.renew_done_title)
  await other.page.getByText(messages.still_yours_title).waitFor()
  const [second] = await another.ids()
  t.strictSame(new Set(await passkeysOf('carol')), new Set([first, second]))
  await other.page.getByRole('button', { name: messages.own_passkey_remove_of.replace('{name}', '') }).click()
  await until('the lost one is removed', async () => (await passkeysOf('carol')).length === 1)
  t.strictSame(await passkeysOf('carol'), [second])
  await touch(false)
  await page.goto(`${stage.issuer}/account`)
  await person.sees(messages.login_title)
})

t.test(
  'without scripts, or without passkeys in the browser, the page says what it needs',
  async (t: Test) => {
    const without = await stage.welcome({ ...NARROW, scripts: false })
    await without.page.goto(`${stage.issuer}/account`)
    await without.sees(messages.login_title)
    t.equal(await without.page.locator('noscript p').textContent(), messages.passkey_missing)
    t.equal(await without.page.locator('button:visible', { hasText: messages.passkey_sign_in }).count(), 0)
    const unable = await stage.welcome(NARROW)
    await unable.page.addInitScript('delete window.PublicKeyCredential')
    await unable.page.goto(`${stage.issuer}/account`)
    await unable.page.getByText(messages.passkey_missing).waitFor()
    t.equal(await unable.page.locator('button:visible', { hasText: messages.passkey_sign_in }).count(), 0)
  },
)
