// A client asks, and a person finds it on a page, and answers by keyboard alone: on a phone, without scripts.
import type { Page } from 'playwright-core'
import t from 'tap'
import { BANK, CIBA_GRANT } from '../../../support/asks.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, NARROW } from '../../../support/browser.ts'
import { basic } from '../../../support/service.ts'

const stage = await setStage(t, { ask_people: 'on' })
const { issuer } = stage
await stage.register({ ...BANK, allowed_groups: ['staff'], client_uri: 'https://bank.example/' })
await stage.addUser('anna', { groups: '["staff"]' })
await stage.redis.cli('HSET', 'redmint:user:anna', 'claim:groups', '["staff"]')

const send = async (path: string, form: Record<string, string>) => {
  const body = new URLSearchParams(form)
  const response = await fetch(issuer + path, { method: 'POST', body, headers: basic('bank') })
  return { status: response.status, json: (await response.json()) as Record<string, string> }
}
const ask = async (form: Record<string, string> = {}) => {
  const { json } = await send('/oauth2/bc-authorize', { scope: 'openid', login_hint: 'anna', ...form })
  return json.auth_req_id ?? ''
}
const poll = (auth_req_id: string) => send('/oauth2/token', { grant_type: CIBA_GRANT, auth_req_id })

const MOST_STOPS = 40

/** Goes to something by the Tab key, and presses it. */
async function press(page: Page, text: string): Promise<void> {
  for (let i = 0; i < MOST_STOPS; i++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.textContent')) !== text) continue
    await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
    return
  }
  throw new Error(`no "${text}" at ${page.url()}`)
}

for (const scripts of [false, true]) {
  t.test(`scripts ${scripts ? 'on, on a desktop' : 'off, on a phone'}, by keyboard alone`, async (t) => {
    const anna = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
    const { page } = anna
    await page.goto(`${issuer}/account`)
    await anna.signIn('anna')
    await anna.sees('Your account')
    await page.goto(`${issuer}/`)
    t.equal(await page.getByRole('status').count(), 0, 'nothing waits')

    const asked = await ask({ binding_message: 'Invoice 4711' })
    await page.goto(`${issuer}/`)
    t.match(await page.getByRole('status').textContent(), 'Something waits for your answer.')
    await press(page, 'Look')
    await anna.sees('Your account')
    t.match(await page.locator('#asks').textContent(), /Corner Bank asks for your answer.*Invoice 4711/s)
    await press(page, 'Look')
    await anna.sees('Corner Bank asks for your answer')
    for (const shown of ['bank.example', 'Invoice 4711', '127.0.0.1', 'Know who you are'])
      t.match(await page.textContent('main'), shown)
    t.equal((await poll(asked)).json.error, 'authorization_pending')
    await press(page, 'Yes, allow')
    await anna.sees('You said yes')
    await page.reload()
    await anna.sees('You said yes')
    t.equal((await poll(asked)).status, 200)

    const second = await ask({ binding_message: 'Invoice 4712' })
    await page.goto(`${issuer}/account`)
    await press(page, 'Look')
    await press(page, 'No')
    await anna.sees('You said no')
    t.equal((await poll(second)).json.error, 'access_denied')
    t.same(anna.complaints, [])
  })
}

t.test('who does not want to be asked says so, and takes it back', async (t) => {
  const anna = await stage.welcome({ ...NARROW, scripts: false })
  const { page } = anna
  const asked = await ask({ binding_message: 'Invoice 4713' })
  await page.goto(`${issuer}/account`)
  await anna.signIn('anna')
  await press(page, 'Look')
  await press(page, 'No, and never ask again')
  await anna.sees('You will not be asked again')
  t.equal((await poll(asked)).json.error, 'access_denied')
  await press(page, 'Your account')
  await press(page, 'Let it ask again')
  t.match(await page.getByRole('status').textContent(), 'It may ask you again.')
  t.same(anna.complaints, [])
})
