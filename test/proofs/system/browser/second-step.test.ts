// The second step in a real browser, on two replicas: set up by its picture, entered by keyboard, with scripts and without.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'
import { appCode, wrongCode } from '../../../support/authenticator.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, DESKTOP, focus, NARROW } from '../../../support/browser.ts'
import { readQrCode } from '../../../support/read-qr-code.ts'

const STEP_MS = 30_000
const stage = await setStage(t, { second_factor: 'required' })

for (const [language, scripts] of [
  [en, true],
  [builtIn('de'), false],
] as const) {
  const { tag, messages: words } = language
  t.test(
    `set up, then entered, in ${language.name}: scripts ${scripts ? 'on' : 'off, on a phone'}`,
    async (t) => {
      const username = `user-${tag}`
      await stage.addUser(username)
      const open = async () => {
        const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
        await person.page.goto(stage.shop.url({ ui_locales: tag }))
        await person.sees(words.login_title)
        await person.signIn(username)
        return person
      }
      const person = await open()
      const { page } = person
      const audit = async (what: string, shown = page) => {
        if (scripts) t.same(await accessibilityFaults(shown), [], what)
      }
      await person.sees(words.second_step_set_up_title)
      await audit('the picture')
      const key = (await page.locator('code').textContent()) ?? ''
      if (scripts) t.match(await readQrCode(page), `secret=${key.replaceAll(' ', '')}`)
      const first = page.getByLabel(words.second_step_first_code)
      await focus(page, 'input[name=code]')
      await first.fill(wrongCode(key, Date.now()))
      await page.keyboard.press('Enter')
      t.match(await page.getByRole('alert').textContent(), words.second_step_wrong)
      await audit('a wrong code')
      const now = Date.now()
      await page.getByLabel(words.second_step_first_code).fill(appCode(key, now))
      await page.keyboard.press('Enter')
      await person.sees(words.second_step_codes_title)
      await audit('the recovery codes')
      const codes = ((await page.locator('pre').textContent()) ?? '').trim().split('\n')
      t.equal(codes.length, 10)
      await page.getByLabel(words.second_step_codes_saved).check()
      await page.click('button.main')
      await page.locator('button[value=allow]').waitFor()
      t.same(person.complaints, [])

      const again = await open()
      await again.sees(words.second_step_title)
      if (scripts) t.same(await accessibilityFaults(again.page), [], 'the code')
      await again.page.getByLabel(words.second_step_code).fill(appCode(key, now + STEP_MS))
      await again.page.keyboard.press('Enter')
      await again.page.locator('button[value=allow]').waitFor()

      const lost = await open()
      await lost.sees(words.second_step_title)
      await lost.page.getByText(words.second_step_use_recovery).click()
      await lost.sees(words.second_step_recovery_title)
      await audit('the recovery code', lost.page)
      const typed = lost.page.getByLabel(words.second_step_recovery_code)
      await typed.fill('0'.repeat(24))
      await lost.page.keyboard.press('Enter')
      t.match(await lost.page.getByRole('alert').textContent(), words.second_step_recovery_wrong)
      t.equal(await typed.count(), 1, 'the error stays at the way that was tried')
      await audit('a wrong recovery code', lost.page)
      await lost.page.getByText(words.second_step_use_app).click()
      await lost.sees(words.second_step_title)
      t.equal(await lost.page.getByRole('alert').count(), 0, 'the other way did nothing wrong')
      await lost.page.goBack()
      await typed.fill(codes[4]?.toLowerCase() ?? '')
      await lost.page.keyboard.press('Enter')
      await lost.sees(words.recovery_used_title)
      await lost.page.click('button.main')
      await lost.page.locator('button[value=allow]').waitFor()
      t.same(lost.complaints, [])
    },
  )
}
