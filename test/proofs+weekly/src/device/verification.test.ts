// The verification page: user codes are looked up only for users who are signed in, and a user can guess few.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { sessionIdOf } from '../../../../src/sessions/browser.ts'
import { takeSession } from '../../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { userRecord } from '../../../support/accounts.ts'
import { answerDevice, openDevice, startWithDevices } from '../../../support/device.ts'
import { forEachStorage, spyOn } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { createUser } from '../../../support/records.ts'
import { signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { ISSUER } from '../../../support/service.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const ENTER = 'Connect a device'
const CONNECT = 'Connect Living room?'
const UNKNOWN = 'No device is showing this code.'
const LIMITED = 'Too many wrong codes.'
const WRONG = 'BBBB-BBBB'

const verify = (user_code: string) => `${ISSUER}/device?${new URLSearchParams({ user_code })}`

t.test('the page asks for the code, and says if a text is not a code', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { visitor } = await startWithDevices(t, { storage: spy.storage })
  const browser = visitor()
  spy.calls.length = 0
  const page = await browser.page('/device')
  t.equal(page.title, ENTER)
  t.match(page.text, '<form action="/device">')
  const typed = await browser.page(`/device?${new URLSearchParams({ user_code: '"><b>ABCD-EFGH' })}`)
  t.equal(typed.title, ENTER)
  t.match(typed.text, UNKNOWN)
  t.match(typed.text, 'value="&quot;&gt;&lt;b&gt;ABCD-EFGH"')
  t.match((await browser.page(`/device?user_code=${'1'.repeat(33)}`)).text, `value="${'1'.repeat(32)}"`)
  t.strictSame(spy.calls, [], 'storage is not asked')
})

t.test('the language of the page is chosen as for every page', async (t) => {
  const { visitor, codes } = await startWithDevices(t)
  for (const address of ['/device?ui_locales=de', '/device?ui_locales=de&user_code=WDJB']) {
    const { title, text } = await visitor().page(address)
    t.match(title, 'Gerät verbinden')
    t.match(text, '<input type="hidden" name="ui_locales" value="de">', 'the next address has it, too')
  }
  t.notMatch((await visitor().page('/device')).text, 'name="ui_locales"')
  const alice = visitor()
  await signInAndAgree(alice)
  const wrong = await alice.page(`/device?user_code=${WRONG}&ui_locales=de`)
  t.match(wrong.title, 'Gerät verbinden', 'also after the code was looked up')
  const { user_code } = await codes()
  const browser = visitor()
  browser.headers['accept-language'] = 'de'
  const login = await browser.page(`/device?user_code=${user_code}`)
  t.match(login.text, 'um ein Gerät zu verbinden')
})

t.test('a code is read in any case, with a dash or without', async (t) => {
  const { visitor, codes } = await startWithDevices(t)
  const alice = visitor()
  const { user_code } = await codes()
  for (const typed of [user_code.toLowerCase(), user_code.replace('-', ''), user_code.replace('-', ' ')]) {
    t.equal((await openDevice(alice, verify(typed))).title, CONNECT, typed)
  }
})

t.test('nobody who is not signed in learns whether a code is right', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { visitor, codes } = await startWithDevices(t, { storage: spy.storage })
  const { user_code } = await codes()
  spy.calls.length = 0
  const pages = await Promise.all(
    [user_code, WRONG].map(async (code) => visitor().page(`/device?user_code=${code}`)),
  )
  const [right, wrong] = pages.map(({ text }) =>
    text.replace(/(transaction|csrf)[^>]*/g, '').replace(/[\w-]{100,}[\w.-]*/g, ''),
  )
  t.equal(right, wrong, 'the same page')
  t.strictSame(spy.calls, [], 'storage is not asked')
})

/** Signs a user in, and returns the cookies of the browser as a header. */
async function signedIn(visitor: Visitor, username: string): Promise<string> {
  await signInAndAgree(visitor, {}, username)
  return [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
}

/** Enters a user code from an address. Returns the page that is then shown. */
async function enter(fastify: FastifyInstance, cookie: string, remoteAddress: string, user_code = WRONG) {
  const headers = { cookie, accept: 'text/html' }
  let url = `/device?${new URLSearchParams({ user_code })}`
  for (;;) {
    const { body, headers: answered } = await fastify.inject({ url, headers, remoteAddress })
    if (answered.location === undefined) return body
    url = answered.location
  }
}

const countOf = (pages: readonly string[], text: string) => pages.filter((page) => page.includes(text)).length

forEachStorage(t, 'a user can guess few codes, from however many addresses', async (t, makeStorage) => {
  const place = await makeStorage()
  const options = { storage: place.storage, sign_in_failures: 5 }
  const replicas = [await startWithDevices(t, options), await startWithDevices(t, options)] as const
  const { codes, visitor } = replicas[0]
  const mallory = visitor()
  const cookie = await signedIn(mallory, 'bob')
  const { user_code } = await codes()
  // A thousand addresses, at both replicas, all at once.
  const opened = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => {
      const { fastify } = replicas[i % 2] ?? replicas[0]
      return enter(fastify, cookie, `198.51.${Math.floor(i / 250)}.${i % 250}`)
    }),
  )
  t.equal(countOf(opened, UNKNOWN), 5, 'so many were looked up')
  t.equal(countOf(opened, LIMITED), 995)
  t.match((await openDevice(mallory, verify(user_code))).text, LIMITED, 'nor is a right code')
  t.equal(
    (await openDevice(visitor(), verify(user_code), 'alice')).title,
    CONNECT,
    'others are not concerned',
  )
})

forEachStorage(t, 'few codes can be guessed from an address, with however many accounts', async (t, make) => {
  const place = await make()
  const options = { storage: place.storage, sign_in_failures: 2 }
  const replicas = [await startWithDevices(t, options), await startWithDevices(t, options)] as const
  const { codes, visitor, storage, fastify } = replicas[0]
  const cookies: string[] = []
  for (let i = 0; i < 15; i++) {
    await createUser(storage, `mallory-${i}`, await userRecord(`sub-of-mallory-${i}`))
    cookies.push(await signedIn(visitor(), `mallory-${i}`))
  }
  // Each account twice, at both replicas, all at once; two addresses of one IPv6 network are one.
  const opened = await Promise.all(
    [...cookies, ...cookies].map((cookie, i) =>
      enter((replicas[i % 2] ?? replicas[0]).fastify, cookie, `2001:db8::${i}`),
    ),
  )
  t.equal(countOf(opened, UNKNOWN), 20, 'so many were looked up: ten times those of a user')
  t.equal(countOf(opened, LIMITED), 10)
  const { user_code } = await codes()
  const alice = await signedIn(visitor(), 'alice')
  t.match(await enter(fastify, alice, '2001:db8::ffff', user_code), LIMITED, 'nor is a right code')
  t.match(await enter(fastify, alice, '2001:db8:1::1', user_code), CONNECT, 'other addresses go on')
  t.match(await enter(fastify, alice, '2001:db8::ffff'), LIMITED)
  for (let i = 0; i < 2; i++) t.match(await enter(fastify, alice, '192.0.2.1'), UNKNOWN)
  t.match(
    await enter(fastify, alice, '192.0.2.1'),
    LIMITED,
    'what an address refused is no failure of a user',
  )
})

t.test('guesses of one account leave as many counters of addresses as it has tries', async (t) => {
  const groups: unknown[] = []
  const storage = observed(new MemoryStorage(), async (call, run, [counters]) => {
    const counted = await run()
    if (call === 'countFailures' && Array.isArray(counters) && Array.isArray(counted))
      groups.push(...counters.slice(0, counted.length).map(({ group }) => group))
    return counted
  })
  const { fastify, visitor } = await startWithDevices(t, { storage, sign_in_failures: 3 })
  const cookie = await signedIn(visitor(), 'bob')
  for (let i = 0; i < 50; i++) await enter(fastify, cookie, `198.51.100.${i}`)
  t.equal(groups.filter((group) => group === 'user-code').length, 50)
  t.equal(groups.filter((group) => group === 'user-code-address').length, 3)
})

t.test('a code is not looked up if its guess cannot be counted', async (t) => {
  let is_away = false
  const storage = observed(new MemoryStorage(), (call, run) =>
    call === 'countFailures' && is_away ? Promise.reject(new StorageUnavailable('away')) : run(),
  )
  const { fastify, visitor, codes } = await startWithDevices(t, { storage })
  const cookie = await signedIn(visitor(), 'bob')
  const { user_code } = await codes()
  is_away = true
  t.match(await enter(fastify, cookie, '192.0.2.1', user_code), 'temporarily_unavailable')
  is_away = false
  t.match(await enter(fastify, cookie, '192.0.2.1', user_code), CONNECT)
})

t.test('right codes do not count as guesses', async (t) => {
  const { visitor, codes } = await startWithDevices(t, { sign_in_failures: 2 })
  const alice = visitor()
  for (let i = 0; i < 5; i++) {
    const { verification_uri_complete } = await codes()
    t.equal((await answerDevice(alice, verification_uri_complete)).title, 'The device is connected')
  }
})

t.test('a user whose subject is the client_id cannot allow the device (RFC 9068 §5)', async (t) => {
  const { visitor, codes, poll, storage } = await startWithDevices(t)
  await createUser(storage, 'eve', await userRecord('tv'))
  const { device_code, verification_uri_complete } = await codes()
  const page = await openDevice(visitor(), verification_uri_complete, 'eve')
  t.equal(page.title, 'The device is not connected')
  t.match(await poll(device_code), { json: { error: 'access_denied' } })
})

t.test('a session that ends in the middle of the answer allows nothing', async (t) => {
  const memory = new MemoryStorage()
  let ending: string | undefined
  const storage = observed(memory, async (call, run) => {
    if (call === 'change session' && ending !== undefined) await takeSession(memory, ending)
    return run()
  })
  const { visitor, codes, poll } = await startWithDevices(t, { storage })
  const alice = visitor()
  const { device_code, verification_uri_complete } = await codes()
  const page = await openDevice(alice, verification_uri_complete)
  ending = sessionIdOf(alice.cookies.get('__Host-redmint-session') ?? '')
  t.match(asPage(await alice.submit(page, { decision: 'allow' })).title, 'Sign in')
  t.match(await poll(device_code), { json: { error: 'authorization_pending' } })
})

t.test('an answer is that of its user, and of nobody who signs in for the same code later', async (t) => {
  const { visitor, codes, storage } = await startWithDevices(t)
  for (const decision of ['deny', 'allow']) {
    const browser = visitor()
    const { verification_uri_complete } = await codes()
    const page = await openDevice(browser, verification_uri_complete)
    const form = new URLSearchParams({ ...page.hidden, decision }).toString()
    const { headers } = await browser.request('POST', '/oauth2/interaction', form)
    await takeSession(storage, sessionIdOf(browser.cookies.get('__Host-redmint-session') ?? ''))
    const login = await browser.page(String(headers.location))
    t.equal(login.title, 'Sign in')
    const asked = asPage(await signInOn(browser, login, 'bob'))
    t.equal(asked.title, CONNECT, decision)
    t.match(asked.text, 'Bob')
  }
})
