// D5: every step of a flow that a link begins is refused when it is posted empty, out of order, twice, in two tabs, or with
// the proof of another step, account, browser or purpose. The rows are in flows.ts.
import t, { type Test } from 'tap'
import { scene } from '../../../support/scene.ts'
import { FLOWS, type Flow, type Who } from '../../../support/self-service/flows.ts'
import { asPage, type Page, type Visitor } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

const PASSWORDS_OF_TWO = 2

/** A service, and what one flow does in it. */
async function start(t: Test, flow: Flow) {
  const { fastify, visitor, post, request } = await scene(t, { ...WITH_MAIL, sign_up: 'open' })
  const { redmint } = fastify
  const before = new Map<Who, unknown>()
  for (const who of ['alice', 'bob'] as const) before.set(who, await flow.effect(redmint, who))
  const open = async (browser: Visitor, who: Who, of = flow) => {
    const url = new URL(await of.give(redmint, who))
    return browser.page(flow.path + url.search)
  }
  const changed = async (who: Who) => (await flow.effect(redmint, who)) !== before.get(who)
  return {
    visitor,
    post,
    request,
    open,
    /** Checks that nothing took effect for anybody. */
    async unchanged(what: string) {
      for (const who of ['alice', 'bob'] as const) t.notOk(await changed(who), `${what}: ${who}`)
    },
    changed,
    text: async (who: Who, of = flow) => new URL(await of.give(redmint, who)).search,
  }
}

const isForm = (page: Page) => page.hidden.csrf !== undefined

for (const flow of FLOWS) {
  const answer = flow.answer('alice')

  t.test(`D5 ${flow.name}: posted empty, or without a field`, async (t) => {
    const { visitor, open, unchanged, changed } = await start(t, flow)
    const alice = visitor()
    const page = await open(alice, 'alice')
    await alice.request('POST', flow.path, '')
    await unchanged('nothing at all')
    for (const missing of [...Object.keys(answer), 'csrf']) {
      for (const value of [undefined, '']) {
        const refused = asPage(await alice.submit(page, { ...answer, [missing]: value }))
        t.equal(refused.status, 400, `${missing} ${value}`)
        await unchanged(missing)
      }
    }
    t.equal(asPage(await alice.submit(page, answer)).status, 200)
    t.ok(await changed('alice'), 'complete, it counts')
  })

  t.test(`D5 ${flow.name}: out of order`, async (t) => {
    const { visitor, open, unchanged, post, text } = await start(t, flow)
    const link = (await text('alice')).slice('?link='.length)
    for (const more of [{}, { link }, { csrf: link }, { csrf: '', link }]) {
      const { status } = await post(flow.path, { ...answer, ...more })
      t.equal(status, 400, 'the page was never opened')
    }
    await unchanged('without the page')
    const alice = visitor()
    await alice.request('GET', flow.path + (await text('alice')))
    await alice.request('POST', flow.path, new URLSearchParams(answer).toString())
    await unchanged('the link was opened, and its form never shown')
    const bob = visitor()
    const page = await open(bob, 'bob')
    bob.cookies.delete([...bob.cookies.keys()].find((name) => name.includes('redmint-link')) ?? '')
    t.equal(asPage(await bob.submit(page, answer)).status, 400, 'the cookie of the link is gone')
    await unchanged('without the cookie')
  })

  t.test(`D5 ${flow.name}: twice, and at the same time`, async (t) => {
    const { visitor, open, changed } = await start(t, flow)
    const alice = visitor()
    const page = await open(alice, 'alice')
    const cookies = new Map(alice.cookies)
    const both = await Promise.all(
      Array.from({ length: PASSWORDS_OF_TWO }, async () => asPage(await alice.submit(page, answer)).status),
    )
    t.strictSame(both.sort(), [200, 400])
    t.ok(await changed('alice'))
    for (const [name, value] of cookies) alice.cookies.set(name, value)
    const other = { ...answer, password: 'another one of several words', username: 'new-third' }
    t.equal(asPage(await alice.submit(page, other)).status, 400, 'with all that it had before')
  })

  t.test(`D5 ${flow.name}: in two tabs`, async (t) => {
    const { visitor, open, unchanged, changed } = await start(t, flow)
    const browser = visitor()
    const older = await open(browser, 'alice')
    const newer = await open(browser, 'bob')
    t.equal(asPage(await browser.submit(older, answer)).status, 400, 'the browser has the other link by now')
    await unchanged('the older tab')
    t.equal(asPage(await browser.submit(newer, flow.answer('bob'))).status, 200)
    t.strictSame([await changed('alice'), await changed('bob')], [false, true])
  })

  t.test(`D5 ${flow.name}: with the proof of another account or browser`, async (t) => {
    const { visitor, open, unchanged, changed } = await start(t, flow)
    const [alice, bob] = [visitor(), visitor()]
    const page = await open(alice, 'alice')
    const of_bob = await open(bob, 'bob')
    const crossed = { ...answer, csrf: of_bob.hidden.csrf }
    t.equal(asPage(await alice.submit(page, crossed)).status, 400, 'the form of another browser')
    await unchanged('another form')
    const name = [...alice.cookies.keys()].find((cookie) => cookie.includes('redmint-link')) ?? ''
    const own = bob.cookies.get(name) ?? ''
    bob.cookies.set(name, alice.cookies.get(name) ?? '')
    t.equal(asPage(await bob.submit(of_bob, flow.answer('bob'))).status, 400, 'the link of another account')
    t.equal(asPage(await bob.submit(page, answer)).status, 400, 'link and form of another browser')
    await unchanged('another browser')
    bob.cookies.set(name, own)
    t.equal(asPage(await bob.submit(of_bob, flow.answer('bob'))).status, 200)
    t.strictSame([await changed('alice'), await changed('bob')], [false, true])
  })

  t.test(`D5 ${flow.name}: with the proof of another purpose`, async (t) => {
    const { visitor, open, unchanged } = await start(t, flow)
    for (const other of FLOWS.filter(({ path }) => path !== flow.path)) {
      const browser = visitor()
      const page = await open(browser, 'alice', other)
      t.equal(page.status, 400, other.name)
      t.notOk(isForm(page))
      await browser.request('POST', flow.path, new URLSearchParams(answer).toString())
      await unchanged(other.name)
    }
  })

  t.test(`D3 ${flow.name}: GET and HEAD change nothing, any number of times`, async (t) => {
    const { visitor, open, unchanged, changed, text, request } = await start(t, flow)
    const search = await text('alice')
    const scanner = visitor()
    for (let i = 0; i < 3; i++) {
      t.equal((await request({ method: 'HEAD', url: flow.path + search })).status, 303)
      t.ok(isForm(await scanner.page(flow.path + search)))
      t.ok(isForm(await scanner.page(flow.path)))
      await scanner.page(`${flow.path}?${new URLSearchParams(answer)}`)
    }
    await unchanged('by a scanner')
    const alice = visitor()
    const page = await open(alice, 'alice')
    t.equal(asPage(await alice.submit(page, answer)).status, 200)
    t.ok(await changed('alice'))
  })

  t.test(`D4 ${flow.name}: the link leaves the address at once, and its page names no other`, async (t) => {
    const { visitor, open, text } = await start(t, flow)
    const search = await text('alice')
    const alice = visitor()
    const first = await alice.request('GET', flow.path + search)
    t.equal(first.status, 303)
    t.equal(first.headers.location, flow.path)
    t.match(
      String(first.headers['set-cookie']),
      new RegExp(`Path=${flow.path}; HttpOnly; Secure; SameSite=Lax`),
    )
    const page = await open(visitor(), 'bob')
    t.match(page.headers, { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    t.notMatch(page.text, search.slice('?link='.length))
    t.strictSame(page.text.match(/(?:href|src)="(?:[a-z]+:|\/\/)/g), null, 'nothing of other sites')
    t.notMatch(page.text, /alice/, 'no name of another account')
    const stranger = await visitor().page(flow.path)
    t.notMatch(stranger.text, /alice|bob/, 'and to a browser that did not open the link, none')
  })

  t.test(`D1 ${flow.name}: no header of a request is in the address`, async (t) => {
    const { post } = await start(t, flow)
    const headers = {
      host: 'evil.example',
      forwarded: 'host=evil.example;proto=http',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    }
    t.notMatch((await post(flow.path, {}, headers)).text, 'evil.example')
  })
}
