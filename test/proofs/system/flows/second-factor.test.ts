// The example of examples/second-factor/: a password and a code, in a process of its own.
import t, { type Test } from 'tap'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { claimsIn } from '../../../support/scene/tokens.ts'
import { startSecondFactor } from '../../../support/second-factor.ts'
import { visit } from '../../../support/server.ts'
import { authorizationRequest, codeRequest } from '../../../support/service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const DEMO = { client_id: 'demo-app', redirect_uri: 'http://127.0.0.1/callback' }
const ALICE = { username: 'alice', password: 'wonderland' }

const { address, key, codeOf, stepOf, base32 } = await startSecondFactor(t)
const { token } = visit(address)

const requestUrl = (more: Record<string, string> = {}) =>
  `/oauth2/authorize?${new URLSearchParams({ ...authorizationRequest({ ...DEMO, scope: 'openid', subject: undefined }), ...more })}`
const hasFailed = ({ text }: Page) => text.includes('role="alert"')
const asksForCode = ({ text }: Page) => text.includes('autocomplete="one-time-code"')

/** A visitor who gave the password, and the page that asks for the code. */
async function afterPassword() {
  const visitor = visitorAt(address)
  const page = asPage(await visitor.submit(await visitor.page(requestUrl()), ALICE))
  return { visitor, page }
}

/** What the id_token says of the sign-in that ends at this page. */
async function claimsAfter(t: Test, visitor: Visitor, page: Page) {
  t.match(page.title, /^Allow /)
  const { told } = asDeparture(await visitor.submit(page, { decision: 'allow' }))
  const { json } = await token(codeRequest(told.get('code') ?? '', DEMO))
  return claimsIn(json.id_token)
}

t.test('the codes are those of RFC 6238, Appendix B', (t) => {
  const seed = Buffer.from('12345678901234567890')
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const) {
    const step = Math.floor(seconds / 30)
    t.equal(codeOf(seed, step), code)
  }
  const found = [-2, -1, 0, 1, 2].map((away) => stepOf(seed, '050471', (1111111111 + away * 30) * 1000))
  t.strictSame(found, [undefined, 37037037, 37037037, 37037037, undefined], 'and count for three steps')
  t.equal(base32(seed), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  t.end()
})

t.test('a password and a code sign in, and each code counts once', async (t) => {
  const step = Math.floor(Date.now() / 30_000)
  const first = await afterPassword()
  t.ok(asksForCode(first.page))
  t.notOk(hasFailed(first.page))
  const wrong = asPage(await first.visitor.submit(first.page, { code: '12345' }))
  t.ok(hasFailed(wrong) && asksForCode(wrong), 'asked again')
  const right = codeOf(key, step)
  const consent = asPage(await first.visitor.submit(wrong, { code: right }))
  t.match(await claimsAfter(t, first.visitor, consent), {
    sub: 'alice',
    amr: ['pwd', 'otp', 'mfa'],
    acr: '2',
  })

  const second = await afterPassword()
  const replayed = asPage(await second.visitor.submit(second.page, { code: right }))
  t.ok(hasFailed(replayed) && asksForCode(replayed), 'the same code in its step')
  const again = asPage(await second.visitor.submit(replayed, { code: codeOf(key, step + 1) }))
  t.match(await claimsAfter(t, second.visitor, again), { acr: '2' })
})

t.test('a code counts only after the password, in the browser that gave it', async (t) => {
  const code = codeOf(key, Math.floor(Date.now() / 30_000) - 1)
  const stranger = visitorAt(address)
  const login = await stranger.page(requestUrl())
  for (const fields of [
    { code },
    { code, username: 'alice' },
    { code, username: 'alice', password: 'wrong' },
    { code, username: 'nobody', password: 'wonderland' },
  ]) {
    const page = asPage(await stranger.submit(login, fields))
    t.ok(hasFailed(page) && !asksForCode(page), JSON.stringify(fields))
  }
  const { page } = await afterPassword()
  t.equal(asPage(await stranger.submit(page, { code })).title, 'This sign-in is no longer open')
})
