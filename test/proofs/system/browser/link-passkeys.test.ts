// Links in a browser with a virtual authenticator: an account with a passkey in place of a password, and a new password that
// takes the passkey of the account.
import t, { type Test } from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../../src/self-service/reset-password.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { behind, withAuthenticator } from '../../../support/browser/virtual-authenticator.ts'
import { accessibilityFaults, NARROW } from '../../../support/browser.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const context = behind(t, stage)
const { messages } = en
const NEW = 'seven wet umbrellas at noon'

t.test('an account with a passkey, which a new password takes, too', async (t: Test) => {
  const person = await stage.welcome(NARROW)
  const { page } = person
  const { touch, recognizes, ids } = await withAuthenticator(person)
  await touch(true)
  const by = { kind: 'command', id: '' } as const
  const { url } = await giveInvitation(context, { uses: 1, days: 1, groups: [], by })
  await page.goto(url)
  await person.sees(messages.welcome_title)
  const create = page.getByRole('button', { name: messages.choose_passkey })
  await create.waitFor()
  t.same(await accessibilityFaults(page), [], 'axe')

  await create.click()
  t.equal((await ids()).length, 0, 'without a username no passkey is made')
  await page.fill('input[name=username]', 'carol')
  await create.click()
  await person.sees(messages.welcome_done_title)
  const passkeys = async () => [...(await findFactors(context, 'carol')).factors.passkeys.keys()]
  t.same(await passkeys(), await ids())
  t.equal((await passkeys()).length, 1)
  t.same(await accessibilityFaults(page), [], 'axe')
  await page.locator('a.main').click()
  await person.sees(messages.own_title)

  const link = await giveResetLink(context, 'carol')
  await page.goto(link?.url ?? '')
  await page.fill('input[name=password]', NEW)
  const save = page.getByRole('button', { name: messages.reset_submit })
  await save.waitFor()
  t.same(await accessibilityFaults(page), [], 'axe')
  const hashOf = async () => (await stage.redis.cli('HGET', 'redmint:user:carol', 'password_hash')).trim()
  await recognizes(false)
  await save.click()
  const problem = page.locator('[data-passkey-problem]')
  await until('the page says that it did not work', async () => (await problem.textContent()) !== '')
  t.equal(await hashOf(), '', 'not without the person')
  await recognizes(true)
  await save.click()
  await until('the password is saved', async () => (await hashOf()) !== '')
  t.same(await passkeys(), await ids(), 'the passkey stays')
})
