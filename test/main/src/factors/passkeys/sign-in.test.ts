// Sign-in by passkey, by its page.
import t from 'tap'
import { findFactors } from '../../../../../src/factors/change-factors.ts'

import { removePasskey } from '../../../../../src/factors/passkeys/manage-passkeys.ts'
import { en } from '../../../../../src/pages/messages/en.ts'

import { optionsOn } from '../../../../support/factors/passkeys/owners.ts'
import { changeUser } from '../../../../support/records.ts'
import { alertOn } from '../../../../support/scene/pages.ts'
import { requestUrl, signInOn, usePasskey } from '../../../../support/scene/requests.ts'
import { scene } from '../../../../support/scene.ts'

import { ISSUER } from '../../../../support/service.ts'
import { type Lies, SoftwarePasskey } from '../../../../support/software-authenticator.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../../../../support/visitor.ts'

const open = (visitor: Visitor, more: Record<string, string> = {}) =>
  visitor.page(requestUrl({ client_id: 'own', ...more }))
const hasUnknown = ({ text }: Page) => text.includes(' data-passkey-unknown')

t.test('B2 a passkey signs in without a username, and the id_token says how', async (t) => {
  const { visitor, makePasskey, claims, redmint } = await scene(t)
  const passkey = await makePasskey()
  const alice = visitor()
  alice.headers['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const page = await open(alice)
  t.match(page.text, 'autocomplete="username webauthn"')
  t.match(page.headers['content-security-policy'], / 'self'/)
  t.match(optionsOn(page), { rpId: 'auth.example.com', userVerification: 'required', allowCredentials: [] })
  t.match(await claims(await usePasskey(alice, page, passkey)), {
    sub: 'sub-of-alice',
    amr: ['swk', 'user', 'mfa'],
    acr: 'phr',
  })
  const { passkeys } = (await findFactors(redmint, 'alice')).factors
  t.match(passkeys.get(passkey.id), { browser: 'Firefox on Linux' })
})

t.test('B2 acr_values phr is not reached by a password', async (t) => {
  const { visitor, makePasskey, claims, get } = await scene(t)
  const { json } = await get('/.well-known/openid-configuration')
  t.match(json, { acr_values_supported: ['1', '2', 'phr'] })
  const passkey = await makePasskey()
  const alice = visitor()
  const claim = JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } })
  const page = await open(alice, { claims: claim })
  const weak = await signInOn(visitor(), await open(visitor(), { claims: claim }))
  t.notOk('location' in weak && weak.told.has('code'))
  t.match(await claims(await usePasskey(alice, page, passkey)), { acr: 'phr' })
})

t.test('B3 an answer counts for its own page, once', async (t) => {
  const { visitor, makePasskey, pass } = await scene(t)
  const passkey = await makePasskey()
  const [alice, mallory] = [visitor(), visitor()]
  const page = await open(alice)
  const theirs = await open(mallory)
  const credential = passkey.get(optionsOn(page))
  const stolen = asPage(await mallory.submit(theirs, { method: 'passkey', credential }))
  t.equal(alertOn(stolen), en.messages.login_failed)
  t.ok(asDeparture(await alice.submit(page, { method: 'passkey', credential })).told.has('code'))
  const other = visitor()
  other.cookies.set('x', 'y')
  const again = await alice.submit(page, { method: 'passkey', credential })
  t.notOk('location' in again && again.told.has('code'), 'not twice')
  const late = await open(mallory)
  pass(301)
  t.equal(alertOn(asPage(await usePasskey(mallory, late, passkey))), en.messages.login_failed)
})

t.test(
  'B10 a passkey that no account has fails as a wrong password, and the browser forgets it',
  async (t) => {
    const { visitor, makePasskey, redmint, log } = await scene(t)
    const passkey = await makePasskey()
    const failed = async (act: (someone: Visitor, page: Page) => Promise<Page | Departure>) => {
      const someone = visitor()
      return asPage(await act(someone, await open(someone)))
    }
    const password = await failed((someone, page) => signInOn(someone, page, 'alice', 'wrong'))
    const wrong = await failed((someone, page) => usePasskey(someone, page, passkey, { challenge: 'AAAA' }))
    const nobodys = await failed((someone, page) => usePasskey(someone, page, new SoftwarePasskey(ISSUER)))
    for (const page of [wrong, nobodys]) {
      t.equal(alertOn(page), alertOn(password))
      t.equal(page.status, password.status)
    }
    t.notOk(hasUnknown(password))
    t.notOk(hasUnknown(wrong), 'the keeper of a passkey that exists is told nothing')
    t.ok(hasUnknown(nobodys))
    await removePasskey(redmint, 'alice', passkey.id)
    t.ok(hasUnknown(await failed((someone, page) => usePasskey(someone, page, passkey))))
    t.notOk(log.join('').includes(passkey.id), 'no id in the log')
  },
)

t.test('B10 every failure makes the same calls of storage', async (t) => {
  const { visitor, makePasskey, redmint, storage } = await scene(t)
  const passkey = await makePasskey()
  const { records } = storage
  const reads: string[] = []
  const read = records.read.bind(records)
  records.read = (kind, ...others) => {
    reads.push(kind.name)
    return read(kind, ...others)
  }
  const callsOf = async (known: SoftwarePasskey, lies?: Lies) => {
    const someone = visitor()
    const page = await open(someone)
    reads.length = 0
    t.ok(alertOn(asPage(await usePasskey(someone, page, known, lies))))
    return reads.slice(0, reads.indexOf('user') + 1)
  }
  const wrong = await callsOf(passkey, { origin: 'https://evil.example' })
  t.same(wrong, ['passkey', 'factors', 'user'])
  t.same(await callsOf(new SoftwarePasskey(ISSUER)), wrong)
  await changeUser(redmint.storage, 'alice', { set: { disabled: 'true' } })
  t.same(await callsOf(passkey), wrong)
})

t.test('a disabled user does not sign in by passkey', async (t) => {
  const { visitor, makePasskey, redmint } = await scene(t)
  const passkey = await makePasskey()
  await changeUser(redmint.storage, 'alice', { set: { disabled: 'true' } })
  const alice = visitor()
  const page = asPage(await usePasskey(alice, await open(alice), passkey))
  t.equal(alertOn(page), en.messages.login_failed)
  t.notOk(hasUnknown(page))
})

t.test('failures of passkeys count for the address', async (t) => {
  const { visitor } = await scene(t, { sign_in_failures: 3 })
  const someone = visitor()
  let page = await open(someone)
  for (let guess = 0; guess < 40 && !/Too many/.test(alertOn(page)); guess += 1) {
    page = asPage(await usePasskey(someone, page, new SoftwarePasskey(ISSUER)))
  }
  t.match(alertOn(page), /^Too many attempts/)
})

t.test('the script is a file that browsers keep, and passkey managers find the page', async (t) => {
  const { visitor, get } = await scene(t)
  const { text } = await open(visitor())
  const [, path = ''] = /<script src="([^"]*)" defer>/.exec(text) ?? []
  t.match(path, /^\/oauth2\/passkeys\.[\w-]{16}\.js$/)
  const script = await get(path)
  t.match(script.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  t.doesNotThrow(() => new Function(script.text))
  const { json } = await get('/.well-known/passkey-endpoints')
  t.same(json, { enroll: `${ISSUER}/account`, manage: `${ISSUER}/account` })
})

t.test('with PASSKEYS=off, or an IP address as the host, nothing is there', async (t) => {
  for (const options of [{ passkeys: 'off' }, { issuer: 'http://127.0.0.1:3000' }] as const) {
    const { visitor, get } = await scene(t, options)
    const page = await open(visitor())
    t.notMatch(page.text, /passkey|webauthn/)
    t.notMatch(page.headers['content-security-policy'], /script-src[^;]*'self'/)
    t.equal((await get('/.well-known/passkey-endpoints')).status, 404)
    const { json } = await get('/.well-known/openid-configuration')
    t.notMatch(json.acr_values_supported, ['phr'])
  }
})
