// "Create a passkey?" after a sign-in by password.
import t from 'tap'
import { findFactors } from '../../../../../src/factors/change-factors.ts'
import { PASSWORD } from '../../../../support/accounts.ts'
import { optionsOn } from '../../../../support/factors/passkeys/owners.ts'
import { alertOn } from '../../../../support/scene/pages.ts'
import { requestUrl } from '../../../../support/scene/requests.ts'
import { scene } from '../../../../support/scene.ts'
import { ISSUER } from '../../../../support/service.ts'
import { SoftwarePasskey } from '../../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../../support/visitor.ts'

const ASKED = 'Create a passkey?'
const open = (visitor: Visitor) => visitor.page(requestUrl({ client_id: 'own', prompt: 'login' }))
const signIn = (visitor: Visitor, page: Page, passkeys = 'yes') =>
  visitor.submit(page, { username: 'alice', password: PASSWORD, passkeys })

t.test('it is asked once in three weeks, and Not now goes on', async (t) => {
  const { visitor, pass } = await scene(t)
  const alice = visitor()
  const page = asPage(await signIn(alice, await open(alice)))
  t.equal(page.title, ASKED)
  t.match(page.headers['content-security-policy'], /script-src 'self'/)
  t.equal(asPage(await alice.open(page.url)).title, ASKED, 'also after a reload')
  t.ok(asDeparture(await alice.submit(page, { invitation: 'later' })).told.has('code'))
  t.ok(asDeparture(await signIn(alice, await open(alice))).told.has('code'))
  const other = visitor()
  const late = asPage(await signIn(other, await open(other)))
  pass(601)
  t.ok(
    asDeparture(await other.submit(late, { invitation: 'take', credential: '{}' })).told.has('code'),
    'not later',
  )
})

t.test('the passkey that is made there signs in, and is not asked for again', async (t) => {
  const { visitor, redmint } = await scene(t)
  const alice = visitor()
  const page = asPage(await signIn(alice, await open(alice)))
  const passkey = new SoftwarePasskey(ISSUER)
  const wrong = passkey.create(optionsOn(page), { origin: 'https://evil.example' })
  const again = asPage(await alice.submit(page, { invitation: 'take', credential: wrong }))
  t.match(alertOn(again), /^The passkey was not added/)
  const credential = passkey.create(optionsOn(again))
  t.ok(asDeparture(await alice.submit(again, { invitation: 'take', credential })).told.has('code'))
  t.ok((await findFactors(redmint, 'alice')).factors.passkeys.has(passkey.id))
  const next = visitor()
  const login = await open(next)
  const used = await next.submit(login, {
    method: 'passkey',
    credential: passkey.get(optionsOn(login)),
    passkeys: 'yes',
  })
  t.ok(asDeparture(used).told.has('code'))
  const elsewhere = visitor()
  t.ok(
    asDeparture(await signIn(elsewhere, await open(elsewhere))).told.has('code'),
    'who has one is not asked',
  )
})

t.test(
  'it is not asked of browsers that cannot, and not where a password is not the strongest way',
  async (t) => {
    const { visitor, setUp } = await scene(t, { trusted_browser_days: 30 })
    const alice = visitor()
    t.ok(asDeparture(await signIn(alice, await open(alice), '')).told.has('code'))
    const { code } = await setUp()
    const trusted = visitor()
    const asks = asPage(await signIn(trusted, await open(trusted)))
    t.ok(asDeparture(await trusted.submit(asks, { code: code(), trust: 'yes' })).told.has('code'))
    t.ok(
      asDeparture(await signIn(trusted, await open(trusted))).told.has('code'),
      'A2 a trusted browser adds nothing',
    )
  },
)
