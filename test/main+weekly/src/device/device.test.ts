// A device gets tokens once its user has allowed it, exactly once, and as the code flow issues them (RFC 8628).

import { EventEmitter, once } from 'node:events'
import { decodeJwt } from 'jose'
import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { waitingIdOf } from '../../../../src/tokens/waiting-code.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { answerDevice, DEVICE_GRANT, openDevice, startWithDevices } from '../../../support/device.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { changeClient, changeUser, readConsent } from '../../../support/records.ts'
import { basic, bearer, ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const CONNECTED = 'The device is connected'
const NOT_CONNECTED = 'The device is not connected'
const ASK_FOR_CODE = 'Connect a device'
const USED = 'This code has expired or was already used.'

t.test('the codes of a device', async (t) => {
  const { ask, printer } = await startWithDevices(t, { device_code_ttl: 300, device_interval: 7 })
  const { status, headers, json } = await ask()
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.match(json.device_code, /^[\w-]{16}\.[\w-]{43}$/)
  t.match(json.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  t.has(json, {
    verification_uri: `${ISSUER}/device`,
    verification_uri_complete: `${ISSUER}/device?user_code=${json.user_code}`,
    expires_in: 300,
    interval: 7,
  })
  t.equal((await printer.ask()).status, 200, 'a client with a secret')
})

t.test('only an authenticated client with the device grant gets codes', async (t) => {
  const { ask, storage, get } = await startWithDevices(t)
  t.equal((await ask({ client_id: 'nobody' })).status, 401, 'an unknown client')
  t.equal((await ask({ client_id: 'printer' })).status, 401, 'without its secret')
  t.equal((await ask({ client_id: 'printer' }, basic('printer', 'wrong'))).status, 401)
  const other = await ask({ client_id: 'shop' })
  t.equal(other.json.error, 'unauthorized_client', 'a client without the grant type')
  t.match(other.json.error_description, DEVICE_GRANT)
  t.equal((await ask({ scope: 'openid admin' })).json.error, 'invalid_scope')
  const { json } = await get('/.well-known/openid-configuration')
  t.equal(json.device_authorization_endpoint, `${ISSUER}/oauth2/device_authorization`)
  t.ok((json.grant_types_supported as string[]).includes(DEVICE_GRANT))
  await changeClient(storage, 'tv', { set: { disabled: 'true' } })
  t.equal((await ask()).status, 401, 'a disabled client')
})

forEachStorage(t, 'a device is allowed', async (t, makeStorage) => {
  const { codes, poll, visitor, storage, get } = await startWithDevices(t, {
    storage: (await makeStorage()).storage,
  })
  const { device_code, verification_uri_complete, user_code } = await codes()
  const waiting = await poll(device_code)
  t.equal(waiting.status, 400)
  t.equal(waiting.json.error, 'authorization_pending')

  const alice = visitor()
  const asked = await openDevice(alice, verification_uri_complete)
  t.equal(asked.title, 'Connect Living room?')
  for (const shown of [user_code, '127.0.0.1', 'Know who you are', 'See your profile']) {
    t.match(asked.text, shown)
  }
  const done = asPage(await alice.submit(asked, { decision: 'allow' }))
  t.equal(done.title, CONNECTED)
  t.equal((await alice.page(done.url)).title, CONNECTED, 'the page can be loaded again')
  t.match(await readConsent(storage, 'sub-of-alice', 'tv'), 'openid profile')

  const { status, json } = await poll(device_code)
  t.equal(status, 200)
  t.match(json, { token_type: 'Bearer', scope: 'openid profile', refresh_token: String, id_token: String })
  const claims = decodeJwt(String(json.id_token))
  t.match(claims, { sub: 'sub-of-alice', aud: 'tv', amr: ['pwd'], auth_time: Number })
  t.equal((await get('/userinfo', bearer(String(json.access_token)))).json.name, 'Alice Example')
})

for (const access_token_format of ACCESS_TOKEN_FORMATS) {
  const name = `a device code is redeemed once, and a replay ends its tokens, ${access_token_format}`
  forEachStorage(t, name, async (t, makeStorage) => {
    const options = { storage: (await makeStorage()).storage, access_token_format }
    const { codes, poll, visitor, token, get } = await startWithDevices(t, options)
    const { device_code, verification_uri_complete } = await codes({ scope: 'openid api.read' })
    await answerDevice(visitor(), verification_uri_complete)
    const answers = await Promise.all([1, 2, 3].map(() => poll(device_code)))
    t.equal(answers.filter(({ status }) => status === 200).length, 1, 'one of three at the same time')
    for (const { status, json } of answers) if (status !== 200) t.equal(json.error, 'invalid_grant')
    const granted = answers.find(({ status }) => status === 200)?.json ?? {}
    t.equal((await get('/userinfo', bearer(String(granted.access_token)))).status, 401, 'the tokens ended')
    const refresh_token = String(granted.refresh_token)
    const refreshed = await token({ grant_type: 'refresh_token', client_id: 'tv', refresh_token })
    t.equal(refreshed.json.error, 'invalid_grant')
  })
}

t.test('a client that is registered for devices only refreshes its tokens', async (t) => {
  const { codes, poll, visitor, token } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes()
  await answerDevice(visitor(), verification_uri_complete)
  const refresh_token = String((await poll(device_code)).json.refresh_token)
  t.equal((await token({ grant_type: 'refresh_token', client_id: 'tv', refresh_token })).status, 200)
})

forEachStorage(t, 'a device is refused', async (t, makeStorage) => {
  const { codes, poll, visitor, storage } = await startWithDevices(t, {
    storage: (await makeStorage()).storage,
  })
  const { device_code, verification_uri_complete } = await codes()
  const alice = visitor()
  const done = await answerDevice(alice, verification_uri_complete, 'deny')
  t.equal(done.title, NOT_CONNECTED)
  for (const attempt of ['first', 'again']) {
    t.equal((await poll(device_code)).json.error, 'access_denied', attempt)
  }
  t.equal(await readConsent(storage, 'sub-of-alice', 'tv'), undefined, 'no consent is remembered')
  const later = await openDevice(alice, verification_uri_complete)
  t.match(later.text, USED, 'it cannot be allowed afterwards')
})

forEachStorage(t, 'of two people at two replicas, one answers', async (t, makeStorage) => {
  // Both have found the device waiting. The second answer reaches storage when the first person has seen the result.
  let answers = 0
  const first = new EventEmitter()
  const storage = observed((await makeStorage()).storage, async (call, run) => {
    if (call === 'change code') {
      answers += 1
      if (answers === 2) await once(first, 'over')
      else await until('the other person answers too', async () => answers === 2)
    }
    return run()
  })
  const [one, other] = [await startWithDevices(t, { storage }), await startWithDevices(t, { storage })]
  const { device_code, verification_uri_complete: uri } = await one.codes()
  const people = [
    { visitor: one.visitor(), username: 'alice', decision: 'allow', done: CONNECTED },
    { visitor: other.visitor(), username: 'bob', decision: 'deny', done: NOT_CONNECTED },
  ] as const
  const ends = people.map(async ({ visitor, username, decision, done }) => {
    const asked = await openDevice(visitor, uri, username)
    const { title, text } = asPage(await visitor.submit(asked, { decision }))
    first.emit('over')
    return { decision, counts: title === done, text }
  })
  const results = await Promise.all(ends)
  const [winner, ...more] = results.filter(({ counts }) => counts)
  t.strictSame(more, [], 'the page of one says that it counts')
  t.match(results.find(({ counts }) => !counts)?.text, USED)
  const { status, json } = await one.poll(device_code)
  t.equal(status === 200 ? 'allow' : json.error, winner?.decision === 'allow' ? 'allow' : 'access_denied')
})

forEachStorage(t, 'a device that asks too often is told so', async (t, makeStorage) => {
  const place = await makeStorage()
  const replicas = [
    await startWithDevices(t, { storage: place.storage }),
    await startWithDevices(t, { storage: place.storage }),
  ] as const
  const { device_code } = await replicas[0].codes()
  t.equal((await replicas[0].poll(device_code)).json.error, 'authorization_pending')
  t.equal((await replicas[1].poll(device_code)).json.error, 'slow_down', 'at another replica')
})

t.test('the interval grows with each poll that is too early', async (t) => {
  const { codes, poll, pass, visitor } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes()
  const polled = async (seconds: number) => {
    pass(seconds)
    return (await poll(device_code)).json.error
  }
  t.equal(await polled(0), 'authorization_pending')
  t.equal(await polled(5), 'authorization_pending', 'in time')
  t.equal(await polled(4.5), 'authorization_pending', 'the timer of the device was early')
  t.equal(await polled(2), 'slow_down')
  t.equal(await polled(5), 'slow_down', 'the interval is ten seconds now')
  t.equal(await polled(15), 'authorization_pending')
  await answerDevice(visitor(), verification_uri_complete)
  t.equal((await poll(device_code)).status, 200, 'an answer is not held back')
})

t.test('the codes of a device expire', async (t) => {
  const { codes, poll, pass, visitor } = await startWithDevices(t, { device_code_ttl: 60 })
  const { device_code, verification_uri_complete } = await codes()
  const alice = visitor()
  const asked = await openDevice(alice, verification_uri_complete)
  pass(61)
  t.equal((await poll(device_code)).json.error, 'expired_token')
  const late = asPage(await alice.submit(asked, { decision: 'allow' }))
  t.match(late.text, USED, 'an answer that comes too late says so')
  t.equal((await openDevice(alice, verification_uri_complete)).title, ASK_FOR_CODE)
})

t.test('a device code belongs to its client', async (t) => {
  const { codes, poll, visitor } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes()
  for (const state of ['while it waits', 'after it was allowed']) {
    const stolen = await poll(device_code, { client_id: '' }, basic('printer'))
    t.equal(stolen.json.error, 'invalid_grant', state)
    if (state === 'while it waits') await answerDevice(visitor(), verification_uri_complete)
  }
  t.equal((await poll(device_code)).status, 200, 'the attempt of another client did not spend it')
})

t.test('a device code is no authorization code, and an authorization code is none', async (t) => {
  const { codes, poll, visitor, token, storage } = await startWithDevices(t)
  await changeClient(storage, 'tv', {
    set: {
      grant_types: `authorization_code ${DEVICE_GRANT}`,
      redirect_uris: 'https://app.example.com/callback',
    },
  })
  const { device_code, verification_uri_complete } = await codes()
  await answerDevice(visitor(), verification_uri_complete)
  const redirect_uri = 'https://app.example.com/callback'
  const code_verifier = 'a'.repeat(43)
  const redeem = { grant_type: 'authorization_code', client_id: 'tv', redirect_uri, code_verifier }
  const id = waitingIdOf(device_code) ?? ''
  for (const code of [device_code, id]) {
    t.equal((await token({ ...redeem, code })).json.error, 'invalid_grant')
  }
  t.equal((await poll(id)).json.error, 'expired_token', 'the id that is stored is not the device code')
  t.equal((await poll('no device code')).json.error, 'invalid_grant')
  t.equal((await poll(device_code)).status, 200)
})

t.test('the user is asked each time, also for a first-party client', async (t) => {
  const { codes, poll, visitor, storage } = await startWithDevices(t)
  await changeClient(storage, 'tv', { set: { first_party: 'true' } })
  const alice = visitor()
  for (const attempt of ['first', 'again']) {
    const { device_code, verification_uri_complete } = await codes()
    t.equal((await openDevice(alice, verification_uri_complete)).title, 'Connect Living room?', attempt)
    t.equal((await poll(device_code)).json.error, 'authorization_pending')
  }
})

t.test('a scope that the client may not obtain any more is not granted', async (t) => {
  const { codes, poll, visitor, storage } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes({ scope: 'openid profile email' })
  const alice = visitor()
  const asked = await openDevice(alice, verification_uri_complete)
  await changeClient(storage, 'tv', { set: { allowed_scopes: 'openid email' } })
  const again = asPage(await alice.submit(asked, { decision: 'allow' }))
  t.equal(again.title, 'Connect Living room?', 'what is asked about has changed')
  t.equal(asPage(await alice.submit(again, { decision: 'allow' })).title, CONNECTED)
  await changeClient(storage, 'tv', { set: { allowed_scopes: 'openid profile' } })
  t.equal((await poll(device_code)).json.scope, 'openid', 'nor one that it lost since the answer')
})

t.test('another account answers', async (t) => {
  const { codes, poll, visitor } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes()
  const browser = visitor()
  const asked = await openDevice(browser, verification_uri_complete, 'alice')
  const login = asPage(await browser.submit(asked, { decision: 'other_account' }))
  t.equal(login.title, 'Sign in')
  const again = asPage(await browser.submit(login, { username: 'bob', password: PASSWORD }))
  t.match(again.text, 'Bob')
  await browser.submit(again, { decision: 'allow' })
  t.equal(decodeJwt(String((await poll(device_code)).json.id_token)).sub, 'sub-of-bob')
})

t.test('a logout ends the tokens of a device that are to end with the session', async (t) => {
  for (const when of ['before the device asks', 'after it got them'] as const) {
    const { codes, poll, visitor, storage, get, pass } = await startWithDevices(t)
    await changeClient(storage, 'tv', { set: { logout_ends_tokens: 'true' } })
    const { device_code, verification_uri_complete } = await codes()
    const alice = visitor()
    await answerDevice(alice, verification_uri_complete)
    const early = when === 'after it got them' ? await poll(device_code) : undefined
    const signOut = await alice.page('/oauth2/logout')
    await alice.submit(signOut, { decision: 'logout' })
    // Longer than an authorization code lives.
    pass(200)
    if (early === undefined) t.equal((await poll(device_code)).json.error, 'expired_token', when)
    else t.equal((await get('/userinfo', bearer(String(early.json.access_token)))).status, 401, when)
  }
})

t.test('a user who was disabled after the answer gets no tokens', async (t) => {
  const { codes, poll, visitor, storage } = await startWithDevices(t)
  const { device_code, verification_uri_complete } = await codes()
  await answerDevice(visitor(), verification_uri_complete)
  await changeUser(storage, 'alice', { set: { disabled: 'true' } })
  t.equal((await poll(device_code)).json.error, 'invalid_grant')
})

t.test('L1: a user who may not use the client of a device cannot allow it', async (t) => {
  const { codes, poll, visitor, storage } = await startWithDevices(t)
  await changeClient(storage, 'tv', { set: { allowed_groups: 'staff' } })
  await changeUser(storage, 'bob', { set: { 'claim:groups': '"staff"' } })
  const first = await codes()
  const alice = visitor()
  const page = await openDevice(alice, first.verification_uri_complete)
  t.equal(page.title, 'No access to Living room')
  t.match(page.text, 'Do not connect the device')
  t.equal(asPage(await alice.submit(page, { decision: 'allow' })).title, page.title)
  t.equal((await poll(first.device_code)).json.error, 'authorization_pending')
  t.equal(asPage(await alice.submit(page, { decision: 'deny' })).title, NOT_CONNECTED)
  t.equal((await poll(first.device_code)).json.error, 'access_denied')

  const second = await codes()
  const again = await openDevice(alice, second.verification_uri_complete)
  const login = asPage(await alice.submit(again, { decision: 'other_account' }))
  const asked = asPage(await alice.submit(login, { username: 'bob', password: PASSWORD }))
  t.equal(asked.title, 'Connect Living room?')
  t.equal(asPage(await alice.submit(asked, { decision: 'allow' })).title, CONNECTED)
  await changeUser(storage, 'bob', { set: { 'claim:groups': '"guests"' } })
  t.match((await poll(second.device_code)).json, {
    error: 'invalid_grant',
    error_description: 'The user of this grant may not use this client any more.',
  })
})
