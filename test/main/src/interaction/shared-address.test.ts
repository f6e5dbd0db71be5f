// People at an address that strangers share: all requests of these tests come from one.
import t, { type Test } from 'tap'
import { addPasskey, creationOptions } from '../../../../src/factors/passkeys/create-passkey.ts'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { readAccount } from '../../../../src/users/read-account.ts'
import { appCode } from '../../../support/authenticator.ts'
import { BROWSER, optionsOn } from '../../../support/factors/passkeys/owners.ts'
import { federate, leave, signInThere } from '../../../support/providers/federation.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { ISSUER } from '../../../support/service.ts'
import { SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Visitor } from '../../../support/visitor.ts'

const STEP = 30
const AGAIN = requestUrl({ client_id: 'own', prompt: 'login' })

async function start(t: Test) {
  const service = await federate(t, { creates_users: true, name: 'Acme' }, { sign_in_failures: 1 })
  const { redmint } = service
  await service.upstream.setFields('alice', { email: 'ann@example.org' })
  const { begun, key } = await beginTotp(redmint, 'alice')
  await confirmTotp(redmint, 'alice', begun, appCode(key, redmint.now() - STEP * 1000))
  const byApp = async (browser: Visitor) => {
    service.pass(STEP)
    service.upstream.pass(STEP)
    const page = asPage(await signInOn(browser, await browser.page(AGAIN)))
    return browser.submit(page, { code: appCode(key, redmint.now()) })
  }
  const bob = await readAccount(redmint, 'bob')
  if (bob === undefined) throw new Error('bob')
  const passkey = new SoftwarePasskey(ISSUER)
  await addPasskey(
    redmint,
    bob,
    passkey.create((await creationOptions(redmint, bob, BROWSER)) ?? {}),
    BROWSER,
  )
  const byPasskey = async (browser: Visitor) => {
    const page = await browser.page(AGAIN)
    return browser.submit(page, { method: 'passkey', credential: passkey.get(optionsOn(page)) })
  }
  const carol = service.person()
  const byProvider = async (here: Visitor) => {
    const left = await leave({ ...carol, here }, 'acme', AGAIN)
    return here.open(await signInThere(carol, left))
  }
  return { ...service, byApp, byPasskey, byProvider, carol }
}

t.test('strangers at an address lock nobody out of a known browser, by whatever way', async (t) => {
  const { visitor, byApp, byPasskey, byProvider, carol } = await start(t)
  const ways = {
    app: [visitor(), byApp],
    passkey: [visitor(), byPasskey],
    provider: [carol.here, byProvider],
  } as const
  for (const [way, [browser, signIn]] of Object.entries(ways))
    t.ok(asDeparture(await signIn(browser)).told.has('code'), way)

  const stranger = visitor()
  for (let number = 0; number < 12; number += 1)
    await stranger.submit(await stranger.page(AGAIN), { username: `nobody ${number}`, password: 'wrong' })

  for (const [way, [browser, signIn]] of Object.entries(ways)) {
    t.ok(asDeparture(await signIn(browser)).told.has('code'), `${way}, in a browser that knows somebody`)
    t.ok(asDeparture(await signIn(browser)).told.has('code'), `${way}, again`)
  }
  t.match(alertOn(asPage(await byPasskey(visitor()))), /^Too many attempts/, 'another browser')
})

t.test('who holds the cookie of a known browser guesses no more often than anybody', async (t) => {
  const { visitor, byPasskey } = await start(t)
  const browser = visitor()
  asDeparture(await byPasskey(browser))
  const said = []
  for (const _ of [1, 2, 3]) {
    const page = await browser.page(AGAIN)
    said.push(alertOn(asPage(await browser.submit(page, { method: 'passkey', credential: '{}' }))))
  }
  t.match(said.join(';'), /^(?!Too many)[^;]*;Too many[^;]*;Too many/)
})
