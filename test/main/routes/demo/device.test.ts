// The device of the demo without a browser: test/proofs/system/browser/demo.test.ts looks at it.

import t, { type Test } from 'tap'
import { encode } from 'uqr'
import { DEMO_PASSWORD } from '../../../../src/demo/demo-user.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CHEAP } from '../../../support/accounts.ts'
import { withOtherCharacter } from '../../../support/other-character.ts'
import { signInOn, visitorOf } from '../../../support/scene/requests.ts'
import type { TestOptions } from '../../../support/service.ts'
import { startService } from '../../../support/service.ts'
import { asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const PATH = '/demo/device'

/** A service in demo mode. `pass` moves its clock forward by seconds. */
async function start(t: Test, options: TestOptions = {}) {
  let ahead = 0
  const now = () => Date.now() + ahead
  const storage = new MemoryStorage({ now })
  const service = await startService(t, { ...CHEAP, storage, now, ...options })
  const pass = (seconds: number) => {
    ahead += seconds * 1000
  }
  return { ...service, pass, visitor: () => visitorOf(() => service.fastify) }
}

const press = async (visitor: Visitor, page: Page, action: string) =>
  asPage(await visitor.submit(page, { action }))

/** The page with the codes. */
const startDevice = async (visitor: Visitor) => press(visitor, await visitor.page(PATH), 'start')

const codeOn = ({ text }: Page) => /[B-Z]{4}-[B-Z]{4}/.exec(text)?.[0] ?? ''

/** Answers the device with the code of a page in another browser. Returns the question. */
async function answer(visitor: Visitor, code: string, decision: 'allow' | 'deny') {
  const login = await visitor.page(`/device?user_code=${code}`)
  const question = asPage(await signInOn(visitor, login, 'alice', DEMO_PASSWORD))
  await visitor.submit(question, { decision })
  return question
}

t.test('the demo device shows its codes, waits for its user, and gets tokens', async (t) => {
  const { visitor } = await start(t)
  const device = visitor()
  t.match((await visitor().page(PATH)).text, 'Get a code')
  const shown = await startDevice(device)
  t.equal(shown.url, PATH)
  const code = codeOn(shown)
  t.match(shown.text, 'https://auth.example.com/device')
  t.match(shown.text, `href="https://auth.example.com/device?user_code=${code}"`)
  t.match((await device.page(PATH)).text, code, 'the same code when the page is loaded again')

  const pending = await press(device, shown, 'check')
  t.match(pending.text, 'authorization_pending')
  t.match(pending.text, code)
  await answer(visitor(), code, 'allow')
  const done = await press(device, pending, 'check')
  t.equal(done.url, PATH)
  t.match(done.text, 'These are your tokens')
  t.match(done.text, '&quot;aud&quot;: &quot;demo-device&quot;')
  const called = await press(device, done, 'api')
  t.match(called.text, 'GET /api/resource: 200')
  t.match((await press(device, called, 'again')).text, 'Get a code')
})

t.test('the page of the demo device asks by itself, at the interval of the server', async (t) => {
  const { pass, get, post, visitor } = await start(t)
  const { headers } = await post(PATH, { action: 'start' })
  let cookie = String(headers['set-cookie']).split(';')[0] ?? ''
  const load = async (path: string) => {
    const answer = await get(path, { cookie })
    cookie = String(answer.headers['set-cookie'] ?? cookie).split(';')[0] ?? ''
    return answer
  }
  const shown = await load(PATH)
  t.equal(shown.headers.refresh, '5; url=/demo/device?check')
  t.notMatch(shown.text, 'authorization_pending')
  const [, next = ''] = String(shown.headers.refresh).split('url=')
  for (let turn = 0; turn < 3; turn += 1) {
    pass(5)
    const pending = await load(next)
    t.match(pending.text, 'authorization_pending')
    t.equal(pending.headers.refresh, '5; url=/demo/device?check')
  }
  const early = await load(next)
  t.match(early.text, 'slow_down')
  t.equal(early.headers.refresh, '10; url=/demo/device?check', 'it then asks less often')
  await answer(visitor(), codeOn({ text: shown.text } as Page), 'allow')
  pass(10)
  t.equal((await load(next)).status, 303)
  const done = await load(PATH)
  t.match(done.text, 'These are your tokens')
  t.equal(done.headers.refresh, undefined)
})

t.test('the picture is the QR code of the address with the code', async (t) => {
  const { visitor } = await start(t)
  const shown = await startDevice(visitor())
  const [, size = 0] = /viewBox="0 -.5 (\d+) \1"/.exec(shown.text) ?? []
  const dark = Array.from({ length: Number(size) }, () => new Array<boolean>(Number(size)).fill(false))
  const [, path = ''] = /stroke="#000" d="([^"]+)"/.exec(shown.text) ?? []
  for (const [x = 0, y = 0, length = 0] of path
    .split('M')
    .slice(1)
    .map((run) => run.split(/[ h]/).map(Number))) {
    dark[y]?.fill(true, x, x + length)
  }
  const address = `https://auth.example.com/device?user_code=${codeOn(shown)}`
  t.same(dark, encode(address, { border: 4 }).data)
  t.match(shown.text, /<svg [^>]*role="img" aria-label="QR code that opens the address with the code"/)
})

t.test('a device that cannot go on begins again, with the answer that ended it', async (t) => {
  const { visitor, pass } = await start(t, { device_code_ttl: 60 })
  const device = visitor()
  const denied = await startDevice(device)
  await answer(visitor(), codeOn(denied), 'deny')
  const over = await press(device, denied, 'check')
  t.match(over.text, 'access_denied')
  t.match(over.text, 'Get a code')

  const expired = await startDevice(device)
  pass(61)
  t.match((await press(device, expired, 'check')).text, 'expired_token')
  t.match((await device.page(PATH)).text, 'Get a code')
})

t.test('the codes of the demo device are limited by the address of the browser', async (t) => {
  const { fastify, visitor } = await start(t, { device_requests: 1 })
  const startFrom = async (remoteAddress: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = 'action=start'
    return await fastify.inject({ method: 'POST', url: PATH, remoteAddress, headers, payload })
  }
  t.equal((await startFrom('192.0.2.1')).statusCode, 303)
  t.match((await startFrom('192.0.2.1')).body, /role="alert"[\s\S]*temporarily_unavailable/)
  t.equal((await startFrom('192.0.2.2')).statusCode, 303, 'another address')
  const question = await answer(visitor(), codeOn(await startDevice(visitor())), 'allow')
  t.match(question.text, '127.0.0.1')
})

t.test('codes and tokens are sealed, in a cookie of the path of the device', async (t) => {
  const { post, get } = await start(t)
  const { headers } = await post(PATH, { action: 'start' })
  const cookie = String(headers['set-cookie'])
  t.match(
    cookie,
    /^__Secure-redmint-demo-device=\S{8}\.\S+; Path=\/demo\/device; HttpOnly; Secure; SameSite=Lax$/,
  )
  const sent = cookie.split(';')[0] ?? ''
  const page = await get(PATH, { cookie: sent })
  t.match(page.text, 'Your code')
  t.equal(page.headers['cache-control'], 'no-store')
  t.match((await get(PATH, { cookie: withOtherCharacter(sent, -5) })).text, 'Get a code')
  const demo = sent.replace('redmint-demo-device', 'redmint-demo')
  t.match((await get('/demo', { cookie: demo })).text, 'Try a sign-in', 'nothing for the other demo')
})

t.test('a form of the demo device without what it needs leads to its start', async (t) => {
  const { post } = await start(t)
  for (const action of ['check', 'api', 'again', 'else', '']) {
    const { status, headers } = await post(PATH, { action })
    t.equal(status, 303, action)
    t.equal(headers.location, PATH, action)
  }
})

t.test('there is no demo device outside demo mode', async (t) => {
  const { get, post } = await startService(t, { demo: false })
  t.equal((await get(PATH)).status, 404)
  t.equal((await post(PATH, { action: 'start' })).status, 404)
})
