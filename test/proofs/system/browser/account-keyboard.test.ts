// The account page without scripts and by keyboard alone: what gets the focus, in which order and under which name.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { say } from '../../../../src/pages/say.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { type Person, setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, focus } from '../../../support/browser.ts'

const { messages: words } = en
const NEW = 'seven wet umbrellas at noon'
const MOST_STOPS = 60

/** What a screen reader calls the element that has the focus; empty: none has it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return ''
    const label = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent
    return label.trim()
  })()`)

/** All that the Tab key leads to, in its order. */
async function stops(page: Page): Promise<string[]> {
  const names: string[] = []
  for (let i = 0; i < MOST_STOPS; i++) {
    await page.keyboard.press('Tab')
    const name = await focused(page)
    if (name === '') break
    names.push(name)
  }
  return names
}

/** Goes to something by the Tab key. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < MOST_STOPS; i++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no "${name}" among ${(await stops(page)).join(', ')}`)
}

/** Presses something. */
async function press({ page }: Person, name: string): Promise<void> {
  await tabTo(page, name)
  await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
}

t.test('all of it, without scripts', async (t: Test) => {
  const stage = await setStage(t, { account_deletion: 'on' })
  await stage.addUser('anna')
  const welcome = () => stage.welcome({ ...DESKTOP, scripts: false })
  const signIn = async (person: Person, password: string) => {
    await tabTo(person.page, words.login_username)
    await person.page.keyboard.type('anna')
    await tabTo(person.page, words.login_password)
    await person.page.keyboard.type(password)
    await Promise.all([person.page.waitForEvent('domcontentloaded'), person.page.keyboard.press('Enter')])
  }
  const elsewhere = await welcome()
  await elsewhere.page.goto(stage.shop.url())
  await signIn(elsewhere, PASSWORD)
  await press(elsewhere, words.consent_allow)
  const anna = await welcome()
  const { page } = anna
  await page.goto(`${stage.issuer}/account`)
  await signIn(anna, PASSWORD)
  await anna.sees(words.own_title)

  const remove = /^Remove access: /
  const sign_out = /^Sign out: /
  const expected = [
    words.own_sign_out,
    say(en, 'own_change_of', { name: words.own_name }).text,
    words.passkey_create,
    words.own_change_password,
    words.own_second_step_set_up,
    words.own_sign_out_others,
    sign_out,
    sign_out,
    remove,
    say(en, 'own_data_show_of', { name: words.own_data_copy }).text,
    `${words.own_delete}…`,
  ]
  const names = await stops(page)
  const known = names.filter((name) =>
    expected.some((one) => (typeof one === 'string' ? one === name : one.test(name))),
  )
  t.equal(known.length, expected.length, names.join(', '))
  for (const [i, one] of expected.entries()) t.match(known[i], one)
  t.equal(new Set(names).size, names.length, 'each has a name of its own')

  await press(anna, known[8] ?? '')
  t.match(await page.getByRole('status').textContent(), words.own_done_application)
  await press(anna, words.own_change_password)
  await anna.sees(words.own_change_password)
  await focus(page, '#password')
  await page.keyboard.type('short')
  await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
  t.match(await page.getByRole('alert').textContent(), /needs at least 15/)
  await focus(page, '#password')
  t.match(await page.locator('#password').getAttribute('aria-describedby'), /problem/)
  await page.keyboard.type(NEW)
  await tabTo(page, words.own_sign_out_others)
  await page.keyboard.press('Space')
  await press(anna, words.reset_submit)
  t.match(await page.getByRole('status').textContent(), words.own_done_password)
  await elsewhere.page.goto(`${stage.issuer}/account`)
  await elsewhere.sees(words.own_title)

  await press(anna, words.own_sign_out_others)
  t.match(await page.getByRole('status').textContent(), words.own_done_sessions)
  await elsewhere.page.goto(`${stage.issuer}/account`)
  await elsewhere.sees(words.login_title)
  t.same([...anna.complaints, ...elsewhere.complaints], [])
})
