// Open sign-up, with a real SMTP server.
import t, { type Test } from 'tap'
import { countMails, listMails } from '../../../../src/mail/mail-queue.ts'
import { SIGN_UPS_AN_HOUR, sendSignUpLink } from '../../../../src/self-service/sign-up.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { listUsers } from '../../../support/records.ts'

import { asksForPassword } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { addressFor, scene } from '../../../support/scene.ts'
import { startService, type TestOptions } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

const PATH = '/sign-up'
const NEW = 'carol@example.net'
const HOUR = 3600
const CHOICE = { username: 'carol', password: 'seven wet umbrellas at noon' }

const start = (t: Test, options: TestOptions = {}) =>
  scene(t, { with: ['mail'], sign_up: 'open', ...options })
type Scene = Awaited<ReturnType<typeof start>>

const usersOf = async ({ storage }: Scene) => {
  const names: string[] = []
  for await (const { username } of listUsers(storage)) names.push(username)
  return names.sort()
}

/** Asks for a link, and returns it. */
async function linkFor(service: Scene, email = NEW): Promise<string> {
  await service.post(PATH, { email })
  return service.mailedLink()
}

const choose = async (browser: Visitor, link: string, answer = CHOICE) =>
  asPage(await browser.submit(await browser.page(link), answer))

t.test('E5 an account exists once the link of its address was used, which is confirmed by it', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { visitor, user } = service
  const login = await visitor().page(requestUrl())
  t.match(login.text, 'href="/sign-up?transaction=', 'the sign-in page leads there')
  const asked = await visitor().page(PATH)
  t.match(asked.text, /<form method="post" action="\/sign-up">/)
  const link = await linkFor(service)
  t.match(link, /^\/welcome\?link=/)
  t.same(await usersOf(service), ['alice', 'bob'], 'there is no account yet')
  const browser = visitor()
  t.equal((await choose(browser, link)).title, 'Your account is ready')
  t.match(await user('carol'), { email: NEW, email_verified: 'true', sub: String })
  t.equal((await visitor().page(link)).status, 400, 'the link counts once')
  const signing = visitor()
  t.notOk(
    asksForPassword(asPage(await signInOn(signing, await signing.page('/account'), NEW, CHOICE.password))),
  )
  const { text: metrics } = await service.get('/actuator/prometheus')
  t.match(metrics, 'redmint_events_total{event="user_signed_up"} 1')
})

t.test('D8 every address gets the same answer, and who has an account is told so', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { post, mails, storage } = service
  const answers = new Set<string>()
  for (const email of [NEW, addressFor('alice'), 'no address', '', 'x'.repeat(300), 'a@b@c']) {
    const { status, text } = await post(PATH, { email })
    answers.add(`${status} ${text}`)
  }
  t.equal(answers.size, 1)
  const [known, fresh] = await mails(2)
  t.match(known, { to: addressFor('alice'), text: /There is one already/, link: '' })
  t.match(fresh, { to: NEW, link: /^\/welcome/ })
  await until('nothing waits', async () => (await countMails(storage)) === 0)
})

t.test('what is no address counts for nothing and gets nothing', async (t) => {
  const { fastify, storage } = await scene(t, { with: ['mail'], sign_up: 'open' })
  storage.counters.countFailure = () => t.fail('it is counted') as never
  const send = async () => t.fail('it is sent')
  const asked = { nth: 1, language: 'en' }
  for (const typed of ['', 'no address', 'a@b@c']) {
    await sendSignUpLink({ ...fastify.redmint, send }, { ...asked, typed })
  }
  t.strictSame(await listMails(storage, 1), [])
})

t.test('the answer says only what is kept: without storage it is 503', async (t) => {
  const { post, storage } = await scene(t, { with: ['mail'], sign_up: 'open' })
  storage.queue.offer = async () => {
    throw new StorageUnavailable('it is away')
  }
  t.equal((await post(PATH, { email: NEW })).status, 503)
})

t.test('E4 while sign-up is off, no method does anything, and no link counts', async (t) => {
  const open = await scene(t, { with: ['mail'], sign_up: 'open' })
  const link = await linkFor(open)
  const off = await startService(t, { ...WITH_MAIL, demo: false, storage: open.storage })
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    for (const url of [PATH, `${PATH}/`, `${PATH}?email=${NEW}`, '//sign-up', '/SIGN-UP']) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const payload = new URLSearchParams({ email: 'dave@example.net' }).toString()
      const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? { payload, headers } : {}
      const { statusCode } = await off.fastify.inject({ method, url, ...body })
      t.equal(statusCode, 404, `${method} ${url}`)
    }
  }
  await until('nothing waits', async () => (await countMails(open.storage)) === 0)
  t.equal(open.smtp().mails.length, 1)
  t.notMatch((await off.get(requestUrl())).text, /sign-up/)
  const opened = await off.get(link)
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? ''
  t.equal((await off.get('/welcome', { cookie })).status, 400)
  t.same(await usersOf(open), ['alice', 'bob'])
})

t.test('D9 links are limited by sender, by address and in all', async (t) => {
  t.same(SIGN_UPS_AN_HOUR, { sender: 10, address: 3, all: { first: 200, further: 100 } })
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { post, mails, pass, log } = service
  for (let i = 0; i < 5; i++) await post(PATH, { email: NEW })
  t.equal((await mails(3)).length, 3)
  for (let i = 0; i < 20; i++) await post(PATH, { email: `p${i}@example.net` })
  const left = SIGN_UPS_AN_HOUR.sender - 5
  t.equal((await mails(left)).length, left)
  const limited = log.filter((line) => /"event":"mail(?:s_limited|_dropped)"/.test(line))
  t.equal(limited.length, 2, 'one event for each limit')
  t.match(limited.sort().join(), /"reason":"sender"/)
  t.match(limited.join(), /"limit":"address"/)
  t.notMatch(limited.join(), /example\.net/)
  pass(HOUR)
  await linkFor(service)
})

t.test('D9 links in all are limited, whoever asks', async (t) => {
  const { post, mails, storage, smtp } = await scene(t, { with: ['mail'], sign_up: 'open' })
  const count = storage.counters.countFailure.bind(storage.counters)
  let calls = 0
  // The third counter is that of all.
  storage.counters.countFailure = async (group, name, window) => {
    calls += 1
    const counted = await count(group, name, window)
    return calls % 3 === 0 ? { ...counted, count: counted.count + SIGN_UPS_AN_HOUR.all.first - 1 } : counted
  }
  await post(PATH, { email: NEW })
  await mails(1)
  await post(PATH, { email: 'dave@example.net' })
  await until('it is counted', () => calls === 6)
  await until('nothing waits', async () => (await countMails(storage)) === 0)
  t.equal(smtp().mails.length, 1)
})

t.test('D10 a newer link ends the older one, and each ends after an hour', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { visitor, pass } = service
  const older = await linkFor(service)
  const newer = await linkFor(service)
  t.equal((await visitor().page(older)).status, 400)
  t.equal((await visitor().page(newer)).status, 200)
  pass(HOUR)
  t.equal((await visitor().page(newer)).status, 400)
})

t.test('a link is over if somebody has its address by then', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { visitor, storage } = service
  const link = await linkFor(service)
  const browser = visitor()
  const page = await browser.page(link)
  await storage.records.create({ kind: USER, id: NEW, hash: { sub: 'x', password_hash: PASSWORD } })
  t.equal(asPage(await browser.submit(page, CHOICE)).status, 400)
  t.same(await usersOf(service), ['alice', 'bob', NEW])
})

t.test('a name that is taken can be chosen anew, and the link is not spent', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const browser = service.visitor()
  const again = await choose(browser, await linkFor(service), { ...CHOICE, username: 'ALICE' })
  t.equal(again.status, 400)
  t.match(again.text, /role="alert"/)
  t.equal(asPage(await browser.submit(again, { ...CHOICE, username: NEW })).status, 200, 'the own address')
  t.same(await usersOf(service), ['alice', 'bob', NEW])
})
