// Suite: test, proofs
// The verification page: user codes are looked up only for users who are signed in, and a user can guess few.

import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { answerDevice, openDevice, startWithDevices } from '../../support/device.ts'
import { forEachStorage, spyOn } from '../../support/matrix.ts'
import { ISSUER } from '../../support/service.ts'
import { signInAndAgree } from '../authorize/people.ts'

const ENTER = 'Connect a device'
const CONNECT = 'Connect Living room?'
const UNKNOWN = 'No device shows this code.'
const LIMITED = 'Too many wrong codes.'
const WRONG = 'BBBB-BBBB'

const verify = (user_code: string) => `${ISSUER}/device?${new URLSearchParams({ user_code })}`

t.test('the page asks for the code, and says if it is none', async (t) => {
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
  t.strictSame(spy.calls, [], 'storage is not asked')
})

t.test('the language of the page is chosen as for every page', async (t) => {
  const { visitor, codes } = await startWithDevices(t)
  t.equal((await visitor().page('/device?ui_locales=de')).title, 'Gerät verbinden')
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

forEachStorage(t, 'a user can guess few codes, from however many addresses', async (t, makeStorage) => {
  const place = await makeStorage()
  const options = { ...place, sign_in_failures: 5 }
  const replicas = [await startWithDevices(t, options), await startWithDevices(t, options)] as const
  const { codes, visitor } = replicas[0]
  const mallory = visitor()
  await signInAndAgree(mallory, {}, 'bob')
  const { user_code } = await codes()
  const cookie = [...mallory.cookies].map((pair) => pair.join('=')).join('; ')
  // A thousand addresses, at both replicas, all at once.
  const opened = await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => {
      const { fastify } = replicas[i % 2] ?? replicas[0]
      const remoteAddress = `198.51.${Math.floor(i / 250)}.${i % 250}`
      const first = await fastify.inject({
        url: `/device?user_code=${WRONG}`,
        headers: { cookie },
        remoteAddress,
      })
      const url = String(first.headers.location)
      return (await fastify.inject({ url, headers: { cookie, accept: 'text/html' }, remoteAddress })).body
    }),
  )
  t.equal(opened.filter((text) => text.includes(UNKNOWN)).length, 5, 'so many were looked up')
  t.equal(opened.filter((text) => text.includes(LIMITED)).length, 995)
  t.match((await openDevice(mallory, verify(user_code))).text, LIMITED, 'nor is a right code')
  t.equal(
    (await openDevice(visitor(), verify(user_code), 'alice')).title,
    CONNECT,
    'others are not concerned',
  )
})

t.test('right codes do not count as guesses', async (t) => {
  const { visitor, codes } = await startWithDevices(t, { sign_in_failures: 2 })
  const alice = visitor()
  for (let i = 0; i < 5; i++) {
    const { verification_uri_complete } = await codes()
    t.equal((await answerDevice(alice, verification_uri_complete)).title, 'The device is connected')
  }
})
