// Every page and action of the console with its script, on the narrowest phone and by keyboard alone.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { setConsole } from '../../../support/browser/console-stage.ts'
import { NARROW } from '../../../support/browser.ts'

/** What a keyboard reaches below an element, in the order of its text. */
const CONTROLS = `(within) =>
  [...within.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex]')]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
    // The radio buttons of a name are one stop, the chosen one.
    .filter((one, _, all) => {
      const group = all.filter(({ type, name }) => type === 'radio' && name === one.name)
      return one.type !== 'radio' || one === (group.find(({ checked }) => checked) ?? group[0])
    })`
/** The element that has the focus, by its place in that order, and what is wrong with how it is seen; -1: it is elsewhere. */
const focusIn = (part: string) => `(() => {
  const focused = document.activeElement
  const at = (${CONTROLS})(document.querySelector('${part}')).indexOf(focused)
  if (focused === document.body) return { at, faults: [] }
  const { outlineStyle, outlineWidth } = getComputedStyle(focused)
  const { top, bottom, left, right } = focused.getBoundingClientRect()
  const before = window.before ?? -Infinity
  window.before = top + scrollY
  const on_top = document.elementFromPoint((Math.max(0, left) + right) / 2, (Math.max(0, top) + Math.min(bottom, innerHeight)) / 2)
  return {
    at,
    faults: [
      ...(outlineStyle === 'none' || outlineWidth === '0px' ? ['the focus is not seen'] : []),
      ...(right <= 0 || left >= innerWidth || bottom <= 0 || top >= innerHeight ? ['it is out of sight'] : []),
      ...(focused.contains(on_top) || on_top?.contains(focused) ? [] : ['something is upon it']),
      ...(bottom + scrollY <= before ? ['it is above the one before'] : []),
    ].map((fault) => fault + ': ' + focused.outerHTML.slice(0, 200)),
  }
})()`
interface Focus {
  readonly at: number
  readonly faults: readonly string[]
}

const { stage, base, places } = await setConsole(t)

/** Presses Tab from the beginning of a page, or from the link to its contents, until it has left this part. */
async function tabThrough(t: Test, page: Page, part: 'body' | 'main') {
  const place = page.url()
  if (part === 'main') {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }
  const count = await page.evaluate<number>(`(${CONTROLS})(document.querySelector('${part}')).length`)
  const reached: number[] = []
  const faults: string[] = []
  for (let i = 0; i <= count; i++) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate<Focus>(focusIn(part))
    reached.push(focus.at)
    if (i < count) faults.push(...focus.faults)
  }
  const all = Array.from({ length: count }, (_, i) => i)
  t.same(reached.slice(0, count), all, `Tab goes through ${place} in the order of its text`)
  t.ok([-1, 0].includes(reached[count] ?? count), `and nothing holds it there: ${place}`)
  t.same(faults, [], place)
}

t.test('H5 every page and action at 320 px and by keyboard alone, with scripts', async (t) => {
  const ada = await stage.welcome(NARROW)
  const { page } = ada
  await page.goto(base)
  await ada.signIn('ada')
  await ada.sees('Home')
  let with_lists = 0
  for (const [i, place] of places.entries()) {
    await page.goto(place)
    t.match(page.url(), place, 'nobody has to sign in again')
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    t.ok(width <= NARROW.width, `nothing is beside the screen: ${place}, ${width} px`)

    // What is above the contents is the same on each page.
    await tabThrough(t, page, i === 0 ? 'body' : 'main')

    await page.locator('h1').click()
    await page.keyboard.press('/')
    t.equal(await page.locator(':focus').getAttribute('name'), 'q', `a slash leads to the search: ${place}`)

    const first = page.locator('tbody th a').first()
    if ((await first.count()) === 0) continue
    with_lists += 1
    await page.locator('h1').click()
    await page.keyboard.press('ArrowDown')
    const address = new URL((await first.getAttribute('href')) ?? '', base).href
    t.equal(await page.evaluate('document.activeElement.href'), address, place)
    await page.keyboard.press('Enter')
    await page.waitForURL(address)
  }
  t.ok(with_lists > 4, `${with_lists} pages have lists to go through`)
  t.same(ada.complaints, [])
})
