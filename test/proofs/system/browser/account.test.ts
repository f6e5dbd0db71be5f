// The account page in a real browser: by keyboard alone and without scripts, on a phone and at 200 %, dark, in both languages.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'
import { appCode } from '../../../support/authenticator.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, DESKTOP, focus, NARROW } from '../../../support/browser.ts'

const stage = await setStage(t)

for (const [language, scripts, dark] of [
  [en, true, true],
  [builtIn('de'), false, false],
] as const) {
  const { tag, messages: words } = language
  t.test(
    `an app is set up, in ${language.name}: scripts ${scripts ? 'on, dark' : 'off, on a phone'}`,
    async (t) => {
      const username = `owner-${tag}`
      await stage.addUser(username)
      const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts, dark, locale: tag })
      const { page } = person
      const check = async (what: string) => {
        if (scripts) t.same(await accessibilityFaults(page), [], what)
        else t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, what)
      }
      await page.goto(`${stage.issuer}/account`)
      await person.sees(words.login_title)
      await person.signIn(username)
      await person.sees(words.own_title)
      await check('the overview')
      const headings = await page.locator('h1, h2').allTextContents()
      t.strictSame(headings.slice(0, 5), [
        words.own_title,
        words.own_profile,
        words.own_ways,
        words.own_where,
        words.own_applications,
      ])
      // By keyboard: the first link that leads to the second step.
      const link = page.getByRole('link', { name: words.own_second_step_set_up })
      for (let i = 0; i < 20 && !(await link.evaluate((one) => one === one.ownerDocument.activeElement)); i++)
        await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await person.sees(words.own_second_step)
      await check('the picture')
      const key = (await page.locator('code').textContent()) ?? ''
      await focus(page, 'input[name=code]')
      await page.keyboard.type(appCode(key, Date.now()))
      await page.keyboard.press('Enter')
      await person.sees(words.second_step_codes_title)
      await check('the codes')
      const shown = ((await page.locator('pre').textContent()) ?? '').trim().split('\n')
      t.equal(shown.length, 10)
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: words.second_step_codes_file }).click()
      const file = await download
      t.equal(file.suggestedFilename(), 'recovery-codes.txt')
      t.notOk(
        shown.some((code) => file.url().includes(code)),
        'no address has a code',
      )
      await page.getByLabel(words.second_step_codes_saved).check()
      await page.getByRole('button', { name: words.second_step_continue }).click()
      await person.sees(words.own_title)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      t.ok(
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
        'nothing is cut off at 200 %',
      )
      t.same(person.complaints, [])
    },
  )
}
