// What the script of the console adds to its pages: keys, results while somebody types, copying, and following events.

import t from 'tap'
import { noteFitted } from '../../../../src/storage/indexes.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, NARROW, type Screen } from '../../../support/browser.ts'
import { createUser } from '../../../support/records.ts'
import { redisStorage } from '../../../support/redis-storage.ts'

const stage = await setStage(t, { admin_api: 'on', console: 'on', audit: 'on' })
const base = `${stage.issuer}/console`
await stage.addUser('ada', { name: 'Ada Lovelace' })
await stage.redis.cli('HSET', 'redmint:user:ada', 'admin', 'redmint:read redmint:write')
const MARKUP = 'car<img src=x onerror=alert(1)>'
const FOUND = ['carl', 'carla', MARKUP]
const storage = redisStorage(t, stage.redis)
for (const name of FOUND) await createUser(storage, name, { sub: `sub-of-${name}` })
for (const name of FOUND) await indexUser(storage, name)
await noteFitted(storage, Date.now())

/** An operator at the start of the console. */
async function ada(screen: Screen = DESKTOP) {
  const person = await stage.welcome(screen)
  await person.page.goto(base)
  await person.signIn('ada')
  await person.sees('Home')
  return { ...person, focused: person.page.locator(':focus') }
}

t.test('H5 a slash is the way to the search box, and a text in a field', async (t) => {
  const { page, focused, complaints } = await ada()
  await page.keyboard.press('/')
  t.equal(await focused.getAttribute('aria-label'), 'Search')
  await page.keyboard.type('a/b')
  t.equal(await focused.inputValue(), 'a/b')
  t.same(complaints, [])
})

t.test('H5 arrows go through a list, and Enter opens', async (t) => {
  const { page, focused, sees, complaints } = await ada()
  await page.goto(`${base}/people`)
  const names = await page.locator('tbody th a').allTextContents()
  const sees_focus = async (name: string | undefined) => t.equal(await focused.textContent(), name)
  await page.keyboard.press('ArrowDown')
  await sees_focus(names[0])
  await page.keyboard.press('ArrowDown')
  await sees_focus(names[1])
  await page.keyboard.press('ArrowUp')
  await sees_focus(names[0])
  await page.keyboard.press('ArrowUp')
  await sees_focus(names[0])
  await page.keyboard.press('Enter')
  await sees(names[0] ?? '')
  t.same(complaints, [])
})

t.test('H7 what is found while somebody types is text, and what is typed is in no address', async (t) => {
  const { page, focused, sees, complaints } = await ada()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.keyboard.press('/')
  await page.keyboard.type('car')
  const found = page.locator('.found a')
  await found.first().waitFor()
  t.same((await found.allTextContents()).sort(), [...FOUND].sort())
  t.equal(await page.locator('.found img').count(), 0)
  t.ok(asked.length > 0)
  t.notOk(asked.some((url) => url.includes('car')))
  t.equal(page.url(), base)
  await page.keyboard.press('Escape')
  await found.first().waitFor({ state: 'detached' })

  // Which empties the box, too.
  await page.keyboard.type('carla')
  await found.first().waitFor()
  t.same(await found.allTextContents(), ['carla'], 'what is the only one')
  await page.keyboard.press('ArrowDown')
  t.equal(await focused.textContent(), 'carla')
  await page.keyboard.press('Enter')
  await sees('carla')
  t.same(complaints, [])
})

t.test('a button copies what stands beside it, and says so if it cannot', async (t) => {
  const { page, context, complaints } = await ada()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${base}/people/alice`)
  const copy = page.locator('button.copy').first()
  const beside = await page.locator('.facts dd > code:has(+ button.copy)').first().textContent()
  await copy.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), beside)
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))')
  await page.locator('button.copy').first().click()
  await page.getByRole('button', { name: 'Not copied', exact: true }).waitFor()
  t.same(complaints, [])
})

t.test('events are followed until the button is pressed again, or for ten minutes alone', async (t) => {
  const { page, complaints } = await ada()
  await page.clock.install()
  await page.goto(`${base}/events`)
  let asked = 0
  page.on('request', () => asked++)
  const follow = page.getByRole('button', { name: 'Follow live', exact: true })
  const isOn = async () => (await follow.getAttribute('aria-pressed')) === 'true'
  t.notOk(await isOn(), 'nothing is followed before')
  /** The time of the browser goes on until the condition holds. */
  const passUntil = async (holds: () => Promise<boolean>) => {
    for (let round = 0; round < 200 && !(await holds()); round++) await page.clock.runFor(1000)
    t.ok(await holds())
  }
  await follow.focus()
  await page.keyboard.press('Space')
  t.ok(await isOn())
  const bob = await stage.welcome()
  await bob.page.goto(base)
  await bob.signIn('bob')
  await passUntil(async () => (await page.locator('[data-live]').textContent())?.includes('bob') ?? false)
  await page.keyboard.press('Space')
  t.notOk(await isOn())
  await page.waitForLoadState('networkidle')
  const before = asked
  await page.clock.runFor(30_000)
  t.equal(asked, before, 'nobody asks any more')

  await page.keyboard.press('Space')
  t.ok(await isOn())
  await page.clock.fastForward(601_000)
  await passUntil(async () => !(await isOn()))
  t.same(complaints, [])
})

t.test('H5 with what the script adds a phone shows all without scrolling sideways', async (t) => {
  const { page, complaints } = await ada(NARROW)
  const fits = () =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
  for (const path of ['/people/alice', '/applications/shop', '/events', '/applications/shop/settings']) {
    await page.goto(base + path)
    t.ok(await fits(), path)
  }
  await page.locator('input[name=q]').fill('car')
  await page.locator('.found a').first().waitFor()
  t.ok(await fits(), 'what is found')
  t.same(complaints, [])
})
