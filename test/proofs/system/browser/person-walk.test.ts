// A person from the invitation to the sign-out, by keyboard alone: each form is sent by Enter, as Go of a phone does.
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Language } from '../../../../src/pages/messages/language.ts'
import { NEW_PASSWORD } from '../../../support/accounts.ts'
import { appCode } from '../../../support/authenticator.ts'
import { DESKTOP, NARROW, type Screen, startBrowser } from '../../../support/browser.ts'
import { languages } from '../../../support/languages.ts'
import { readMessage } from '../../../support/mime.ts'
import { freePort } from '../../../support/process.ts'
import { changeClient } from '../../../support/records.ts'
import { STEP } from '../../../support/scene/pages.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

const SHOP = 'https://shop.example.com/'
const FIRST = 'a yellow kite over the lake'
const CONFIRMED_SECONDS = 600

/** What a person does on a page, by keyboard. */
function keyboard(page: Page) {
  const enter = async (at: ReturnType<Page['locator']>) => {
    await at.focus()
    await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
  }
  return {
    /** Types into fields by their names, and sends the last one by Enter. */
    async send(fields: Readonly<Record<string, string>>) {
      for (const [name, text] of Object.entries(fields)) {
        await page.locator(`main [name=${name}]`).last().focus()
        await page.keyboard.press('Control+a')
        await page.keyboard.type(text)
      }
      await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')])
    },
    /** Presses a link or a button that leads to a path, or is the main one. */
    press: (selector: string) => enter(page.locator(selector).first()),
    async sees(heading: string) {
      const h1 = (await page.locator('h1').first().textContent())?.trim()
      if (h1 !== heading)
        throw new Error(`"${heading}" expected: ${page.url()} ${await page.locator('main').textContent()}`)
    },
  }
}

async function walk(t: Test, language: Language, screen: Screen) {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const service = await scene(t, { with: ['mail'], issuer })
  const { fastify, redmint, storage, invite, smtp, pass } = service
  await changeClient(storage, 'own', { set: { initiate_login_uri: SHOP } })
  await fastify.listen({ host: '127.0.0.1', port })
  t.equal((fastify.server.address() as AddressInfo).port, port)
  const { context, page, complaints } = await (await startBrowser(t)).welcome({
    ...screen,
    locale: language.tag,
  })
  await context.route(`${SHOP}**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Shop</h1>' }),
  )
  const { send, press, sees } = keyboard(page)
  const said = (name: keyof Language['messages']) => String(language.messages[name])
  const status = async () => (await page.getByRole('status').textContent())?.trim()
  /** Signs in, with what comes after the password. */
  const signIn = async (password: string) => send({ username: 'gustavo', password })

  const email = 'gustavo@example.net'
  const { url } = await invite({ email, client: 'own', by: { kind: 'user', id: 'alice' } })
  await storage.records.change({ name: 'user' }, 'alice', { set: { admin: 'redmint:users:write' } })
  await page.goto(url)
  await sees(said('welcome_title'))
  await send({ username: 'gustavo', name: 'Gustavo', password: FIRST })
  await sees(said('welcome_done_title'))
  await press('a.main')
  await sees('Shop')

  await page.goto(`${issuer}/account`)
  await sees(said('own_title'))
  await press('a[href$="/account/profile"]')
  await send({ name: 'Gustavo Pereira' })
  t.equal(await status(), said('own_done_profile'))
  await press('form[action$="/account/sign-out"] button')
  await sees(said('logout_done_title'))

  await page.goto(`${issuer}/forgot-password`)
  await send({ username: email })
  await sees(said('forgot_done_title'))
  const link = () =>
    smtp()
      .mails.map(({ raw }) => readMessage(raw).parts[0]?.text ?? '')
      .map((text) => /http:\S+\/reset-password\?link=\S+/.exec(text)?.[0])
      .find((found) => found !== undefined)
  await until('the mail arrives', () => link() !== undefined)
  await page.goto(link() ?? '')
  await send({ password: NEW_PASSWORD })
  await sees(said('reset_done_title'))

  await press('a.main')
  await press('a[href$="/account/second-step"]')
  await sees(said('confirm_title'))
  await signIn(NEW_PASSWORD)
  await sees(said('own_second_step'))
  const key = (await page.locator('main code').first().textContent()) ?? ''
  await send({ code: appCode(key, redmint.now()) })
  await sees(said('second_step_codes_title'))
  const [recovery_code = ''] = ((await page.locator('pre').textContent()) ?? '').trim().split('\n')
  await page.locator('main input[type=checkbox]').focus()
  await page.keyboard.press('Space')
  await press('main button.main')
  t.equal(await status(), said('own_done_second_step'))
  await press('form[action$="/account/sign-out"] button')

  await page.goto(`${issuer}/account`)
  await signIn(NEW_PASSWORD)
  await sees(said('second_step_title'))
  await press('a[href*="way=recovery"]')
  await send({ recovery_code })
  await sees(said('recovery_used_title'))
  await press('main form button:last-of-type')
  await sees(said('own_title'))

  pass(CONFIRMED_SECONDS + STEP)
  await press('a[href$="/account/password"]')
  await sees(said('confirm_title'))
  await signIn(NEW_PASSWORD)
  await send({ code: appCode(key, redmint.now()) })
  await sees(said('own_change_password'))
  await page.goto(`${issuer}/account`)
  await press('form[action$="/account/sign-out"] button')
  await sees(said('logout_done_title'))
  t.same(complaints, [])
}

for (const [tag, screen, how] of [
  ['en', { ...DESKTOP, scripts: false }, 'a desktop without scripts'],
  ['de', NARROW, 'a phone'],
  ['ar', { ...NARROW, dark: true, scripts: false }, 'a dark phone without scripts'],
] as const)
  t.test(`invited, back after a lost password and a lost app, and out again: ${tag}, ${how}`, (t) =>
    walk(t, languages.of(tag) ?? languages.choose('en'), screen),
  )
