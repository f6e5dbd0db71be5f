// The pages as axe-core judges them, in Chromium and with their policy in force.
import t from 'tap'
import { accessibilityFaults, DESKTOP, NARROW, type Screen, startBrowser } from '../../../support/browser.ts'
import { GALLERY, openGallery } from '../../../support/gallery.ts'
import { WEEKLY } from '../../../support/suite.ts'

const browser = await startBrowser(t)

const NARROW_DARK = { ...NARROW, dark: true }
const DESKTOP_DARK = { ...DESKTOP, dark: true }

// All languages on all screens would take longer than a file may.
const RUNS: readonly { screen: Screen; tag: string; rules?: readonly string[] }[] = [
  { screen: NARROW, tag: 'en' },
  // What is dark differs in its colours.
  { screen: DESKTOP_DARK, tag: 'ar', rules: WEEKLY ? [] : ['color-contrast'] },
  ...(WEEKLY
    ? [
        { screen: DESKTOP, tag: 'de' },
        { screen: NARROW_DARK, tag: 'ar' },
      ]
    : []),
]

for (const { screen, tag, rules = [] } of RUNS) {
  const { width, dark = false } = screen
  t.test(`every page, ${width} pixels wide, ${dark ? 'dark' : 'light'}`, async (t) => {
    const { address, close } = await openGallery()
    t.teardown(close)
    const { page } = await browser.welcome(screen)
    for (const name of Object.keys(GALLERY)) {
      await page.goto(`${address}/${name}?stay&ui_locales=${tag}`)
      t.same(await accessibilityFaults(page, rules), [], `${name} in ${tag}`)
    }
  })
}

t.test('a page with faults is detected', async (t) => {
  const bare = () => '<!doctype html><title>bare</title><input><p style="color:#999">too pale'
  const { address, close } = await openGallery({}, { bare })
  t.teardown(close)
  const { page } = await browser.welcome()
  await page.goto(`${address}/bare`)
  const rules = (await accessibilityFaults(page)).map((fault) => fault.replace(/:.*/s, ''))
  for (const rule of ['html-has-lang', 'label', 'page-has-heading-one', 'region'])
    t.ok(rules.includes(rule), rule)
})
