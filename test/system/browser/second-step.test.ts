// The second step in a real browser, on two replicas: set up by its picture, entered by keyboard, with scripts and without.
import t from 'tap'
import { appCode, wrongCode } from '../../support/authenticator.ts'
import { accessibilityFaults, DESKTOP, NARROW } from '../../support/browser.ts'
import { readQrCode } from '../../support/read-qr-code.ts'
import { setStage } from './stage.ts'

const STEP_MS = 30_000
const stage = await setStage(t, { second_factor: 'required' })

const WORDS = {
  en: {
    set_up: 'Set up a second step',
    first: 'Code that the app shows now',
    codes: 'Save your recovery codes',
    enter: 'Enter your code',
    code: 'Code from your authenticator app',
    wrong: /That code did not fit/,
    other: 'Use a recovery code',
    recovery: 'Recovery code',
    sign_in: 'Sign in',
  },
  de: {
    set_up: 'Zweiten Schritt einrichten',
    first: 'Code, den die App jetzt zeigt',
    codes: 'Wiederherstellungscodes aufbewahren',
    enter: 'Code eingeben',
    code: 'Code aus Ihrer Authenticator-App',
    wrong: /Dieser Code hat nicht gepasst/,
    other: 'Wiederherstellungscode verwenden',
    recovery: 'Wiederherstellungscode',
    sign_in: 'Anmelden',
  },
} as const

for (const [language, scripts] of [
  ['en', true],
  ['de', false],
] as const) {
  const words = WORDS[language]
  t.test(`set up, then entered, in ${language}: scripts ${scripts ? 'on' : 'off, on a phone'}`, async (t) => {
    const username = `user-${language}`
    await stage.addUser(username)
    const open = async () => {
      const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
      await person.page.goto(stage.shop.url({ ui_locales: language }))
      await person.sees(words.sign_in)
      await person.signIn(username)
      return person
    }
    const person = await open()
    const { page } = person
    const audit = async (what: string) => {
      if (scripts) t.same(await accessibilityFaults(page), [], what)
    }
    await person.sees(words.set_up)
    await audit('the picture')
    const key = (await page.locator('code').textContent()) ?? ''
    if (scripts) {
      await page.locator('svg.qr').scrollIntoViewIfNeeded()
      t.match(await readQrCode(page), `secret=${key.replaceAll(' ', '')}`)
    }
    const first = page.getByLabel(words.first)
    t.ok(await first.evaluate((field) => field === field.ownerDocument.activeElement), 'it has the focus')
    await first.fill(wrongCode(key, Date.now()))
    await page.keyboard.press('Enter')
    t.match(await page.getByRole('alert').textContent(), words.wrong)
    await audit('a wrong code')
    const now = Date.now()
    await page.getByLabel(words.first).fill(appCode(key, now))
    await page.keyboard.press('Enter')
    await person.sees(words.codes)
    await audit('the recovery codes')
    const codes = ((await page.locator('pre').textContent()) ?? '').trim().split('\n')
    t.equal(codes.length, 10)
    await page.click('button.primary')
    await page.locator('button[value=allow]').waitFor()
    t.same(person.complaints, [])

    const again = await open()
    await again.sees(words.enter)
    if (scripts) t.same(await accessibilityFaults(again.page), [], 'the code')
    await again.page.getByLabel(words.code).fill(appCode(key, now + STEP_MS))
    await again.page.keyboard.press('Enter')
    await again.page.locator('button[value=allow]').waitFor()

    const lost = await open()
    await lost.sees(words.enter)
    await lost.page.getByText(words.other).click()
    await lost.page.getByLabel(words.recovery).fill(codes[4]?.toLowerCase() ?? '')
    await lost.page.locator('details button').click()
    await lost.page.locator('button[value=allow]').waitFor()
    t.same(lost.complaints, [])
  })
}
