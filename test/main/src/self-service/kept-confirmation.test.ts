// Which changes leave "Confirm it is you" to the browser in which they were made, and for what.
import t, { type Test } from 'tap'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { ACTIONS } from '../../../../src/self-service/actions.ts'
import { optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { type Scene, scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const WITH_ALL = { with: ['mail'], account_deletion: 'on', sign_in: 'providers' } as const
const CONFIRMED_SECONDS = 600
const ADDING = ['/account/passkeys', '/account/providers', '/account/address', '/account/delete']
const TAKING = ['/account/password', '/account/second-step']

/** Which of the pages open without a question. */
async function opened(browser: Visitor, paths = [...ADDING, ...TAKING]): Promise<string[]> {
  const open: string[] = []
  for (const path of paths) if ((await browser.page(path)).url === path) open.push(path)
  return open
}

/** Asks for another address in a browser that is confirmed, and answers with the link that came. */
async function asked({ confirmed, mails }: Scene) {
  const { browser, page } = await confirmed('/account/address')
  await browser.submit(page, { email: 'new@example.net' })
  const [, sent] = await mails(2)
  return { browser, link: sent?.link ?? '' }
}

async function use(t: Test, browser: Visitor, link: string): Promise<void> {
  const { title } = asPage(await browser.submit(await browser.page(link), {}))
  t.equal(title, 'Your e-mail address is confirmed')
}

t.test(
  'A4 a new address that was confirmed in the browser leaves its confirmation, for what adds',
  async (t) => {
    const service = await scene(t, WITH_ALL)
    const { browser: other } = await service.confirmed()
    const { browser, link } = await asked(service)
    t.strictSame(await opened(browser), [...ADDING, ...TAKING])
    await use(t, browser, link)
    t.strictSame(await opened(browser), ADDING)
    t.strictSame(await opened(other), [], 'that of another browser ends')
    const csrf = (await browser.page('/account/passkeys')).hidden.csrf ?? ''
    for (const [name, { confirmed }] of Object.entries(ACTIONS)) {
      if (confirmed !== 'taking') continue
      const form = new URLSearchParams({ csrf, password: 'seven wet umbrellas at noon' }).toString()
      const { headers } = await browser.request('POST', `/account/${name}`, form)
      t.match(headers.location, /\btransaction=/, `${name} is refused, whatever page its form was on`)
    }
    service.pass(CONFIRMED_SECONDS)
    t.strictSame(await opened(browser), [], 'ten minutes are from the sign-in on')
  },
)

t.test('A4 what is kept ends with the next change', async (t) => {
  const service = await scene(t, WITH_ALL)
  const { browser, link } = await asked(service)
  await use(t, browser, link)
  await changeFactors(service.redmint, 'alice', (factors) => factors)
  t.strictSame(await opened(browser), [])
})

t.test('A4 an address that was confirmed elsewhere ends the confirmation', async (t) => {
  const service = await scene(t, WITH_ALL)
  const { browser, link } = await asked(service)
  await use(t, service.visitor(), link)
  t.strictSame(await opened(browser), [])
})

t.test('A4 a cookie of before the last sign-in keeps nothing', async (t) => {
  const service = await scene(t, WITH_ALL)
  const { browser, link } = await asked(service)
  const former = new Map(browser.cookies)
  service.pass(CONFIRMED_SECONDS)
  await service.arrive(browser, '/account/password')
  const present = new Map(browser.cookies)
  t.strictSame(await opened(browser), [...ADDING, ...TAKING])
  for (const [name, value] of former) browser.cookies.set(name, value)
  await use(t, browser, link)
  for (const [name, value] of present) browser.cookies.set(name, value)
  t.strictSame(await opened(browser), [])
})

t.test(
  'A4 a passkey that was added leaves it, as far as the sign-in is the strongest way still',
  async (t) => {
    const { confirmed, makePasskey, byPasskey, visitor } = await scene(t, WITH_ALL)
    const add = async (browser: Visitor) => {
      const page = await browser.page('/account/passkeys')
      const form = '<form method="post" action="/account/add-passkey">'
      const credential = new SoftwarePasskey(ISSUER).create(optionsOn(page))
      return asPage(await browser.submit({ ...page, text: form }, { credential }))
    }
    const { browser } = await confirmed('/account/passkeys')
    t.match((await add(browser)).text, 'Your passkey has been added')
    t.strictSame(await opened(browser), [], 'a password is not enough any more')
    const strong = visitor()
    await byPasskey(await makePasskey(), strong)
    t.match((await add(strong)).text, 'Your passkey has been added')
    t.strictSame(await opened(strong), ADDING)
  },
)

t.test('A4 a new password ends it, in this browser as well', async (t) => {
  const { confirmed } = await scene(t, WITH_ALL)
  const { browser, page } = await confirmed()
  const done = asPage(await browser.submit(page, { password: 'seven wet umbrellas at noon' }))
  t.equal(done.title, 'Your account')
  t.strictSame(await opened(browser), [])
})
