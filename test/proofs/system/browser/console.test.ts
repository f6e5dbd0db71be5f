// Every page of the console in Chromium: light, dark, on a phone, without scripts, and by keyboard alone.
import t from 'tap'
import { setConsole } from '../../../support/browser/console-stage.ts'
import { accessibilityFaults, DESKTOP, NARROW } from '../../../support/browser.ts'

const { stage, base, places } = await setConsole(t)

for (const [look, screen] of [
  ['light', { ...DESKTOP, scripts: true, dark: false }],
  ['dark', { ...DESKTOP, scripts: true, dark: true }],
  ['on a phone without scripts', { ...NARROW, scripts: false, dark: false }],
] as const) {
  t.test(`H5 every page and action, ${look}`, async (t) => {
    const ada = await stage.welcome(screen)
    const { page } = ada
    await page.goto(base)
    await ada.signIn('ada')
    await ada.sees('Home')
    for (const place of places) {
      await page.goto(place)
      t.match(page.url(), place, 'nobody has to sign in again')
      // What is light differs in its colours.
      if (screen.scripts)
        t.same(await accessibilityFaults(page, screen.dark ? [] : ['color-contrast']), [], place)
      t.ok(
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
        `nothing is cut off: ${place}`,
      )
    }
    t.same(ada.complaints, [])
  })
}

t.test('H5 by keyboard alone, without scripts: find somebody, disable and enable him', async (t) => {
  const ada = await stage.welcome({ ...DESKTOP, scripts: false })
  const { page } = ada
  await page.goto(base)
  await ada.signIn('ada')
  await ada.sees('Home')
  /** Presses Tab until the element with this name has the focus, and then Enter. */
  const go = async (role: 'link' | 'button' | 'searchbox', name: string, key = 'Enter') => {
    const wanted = page.getByRole(role, { name, exact: true })
    for (let i = 0; i < 60 && !(await wanted.evaluate((one) => one === one.ownerDocument.activeElement)); i++)
      await page.keyboard.press('Tab')
    await page.keyboard.press(key)
  }
  await page.keyboard.press('Tab')
  t.equal(await page.locator(':focus').textContent(), 'Skip to the contents')
  await go('searchbox', 'Search', 'b')
  await page.keyboard.type('ob')
  await page.keyboard.press('Enter')
  await ada.sees('Bob')
  await go('link', 'Disable…')
  await ada.sees('Disable Bob?')
  await go('button', 'Disable Bob')
  await ada.sees('Bob')
  t.match(await page.getByRole('status').textContent(), 'The person is disabled')
  await go('link', 'Enable')
  await go('button', 'Enable Bob')
  t.match(await page.getByRole('status').textContent(), 'The person is enabled')
  await page.goBack()
  await page.goBack()
  t.match(await page.content(), 'bob', 'and the way back works')
  t.same(ada.complaints, [])
})
