// The example of examples/second-factor/ in a real browser.
import t from 'tap'
import { DESKTOP, focus, startBrowser } from '../../../support/browser.ts'
import { startSecondFactor } from '../../../support/second-factor.ts'

const { address, key, codeOf } = await startSecondFactor(t)
const browser = await startBrowser(t)

for (const scripts of [true, false]) {
  t.test(`a password, a wrong code, and the right one: scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { page, complaints } = await browser.welcome({ ...DESKTOP, scripts })
    const step = Math.floor(Date.now() / 30_000) + (scripts ? 0 : 1)
    await page.goto(`${address}/demo`)
    await page.click('a.main')
    await page.fill('input[name=username]', 'alice')
    await page.fill('input[name=password]', 'wonderland')
    await page.click('button.main')
    const code = page.getByLabel('Code of your authenticator app')
    await focus(page, 'input[name=code]')
    await code.fill(codeOf(key, step - 9))
    await page.keyboard.press('Enter')
    t.equal(await page.getByRole('alert').textContent(), 'That did not work. Please try again.')
    await code.fill(codeOf(key, step))
    await page.keyboard.press('Enter')
    await page.click('button[value=allow]')
    const id_token = page.locator('section[aria-labelledby="id_token"]')
    t.match(await id_token.textContent(), /"acr": "2"/)
    t.same(complaints, [])
  })
}
