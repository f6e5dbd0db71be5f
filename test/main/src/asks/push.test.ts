// Browsers that tell their person that somebody asks (RFC 8030, RFC 8291, RFC 8292).
import { createPublicKey, randomBytes } from 'node:crypto'
import { jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { encryptPush } from '../../../../src/asks/push/encrypt.ts'
import { keepSubscription, subscriptionsOf } from '../../../../src/asks/push/subscriptions.ts'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { forgetUser } from '../../../../src/self-service/forget-user.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { CHEAP } from '../../../support/accounts.ts'
import { answerFirst, startWithAsks } from '../../../support/asks.ts'
import { readPush, startPushService } from '../../../support/push-service.ts'
import { changeClient } from '../../../support/records.ts'
import { signInOn, visitorOf } from '../../../support/scene/requests.ts'
import { type Given, scene } from '../../../support/scene.ts'
import { ISSUER, startService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const KEY = randomBytes(32).fill(1, 0, 1).toString('base64')
const SETTINGS = { web_push_private_key: KEY, web_push_contact: 'mailto:ops@example.com' }

/** A service with notices, a push service, and what the page of alice says. */
async function startWithNotices(t: Test, given: Given = {}) {
  const push = await startPushService(t)
  const asked = await startWithAsks(t, { ...SETTINGS, web_push: push.options, ...given })
  const page = () => asked.alice.page('/account/notices')
  const allow = async (subscription: string, visitor: Visitor = asked.alice) => {
    const { csrf = '' } = (await visitor.page('/account/notices')).hidden
    const { url } = asPage(await visitor.post('/account/add-notices', { csrf, subscription }))
    return new URL(url, ISSUER).searchParams.get('done')
  }
  return { ...asked, push, page, allow, browsers: () => subscriptionsOf(asked, 'alice') }
}

/** A service where alice is signed in, with these settings alone. */
async function startSignedIn(t: Test, given: Given) {
  const service = await scene(t, given)
  const alice = service.visitor()
  await signInOn(alice, await alice.page('/account'))
  return { ...service, alice }
}

t.test('a message is as RFC 8291 says: the browser reads it, and nobody else', async (t) => {
  // RFC 8291, appendix A.
  const browser = {
    privateKey: Buffer.from('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url'),
    auth: Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url'),
  }
  const example = Buffer.from(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    'base64url',
  )
  t.equal(readPush(example, browser), 'When I grow up, I want to be a watermelon')
  const p256dh = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
  const made = encryptPush('Grüße', { p256dh, auth: browser.auth.toString('base64url') })
  t.equal(readPush(made, browser), 'Grüße')
  t.throws(() => readPush(made, { ...browser, auth: randomBytes(16) }))
})

t.test('a browser that was allowed tells that somebody asks, and nothing else', async (t) => {
  const { id, push, allow, page, alice } = await startWithNotices(t)
  const { subscription, keys, endpoint } = push.subscribe()
  t.match((await page()).text, 'No browser tells you yet')
  t.equal(await allow(subscription), 'notices')
  await id({ binding_message: 'Order 4711' })
  await until('it was told', () => push.pushed.length === 1)
  const [told] = push.pushed
  if (told === undefined) throw new Error('nothing was pushed')
  t.equal(`${push.origin}${told.url}`, endpoint)
  t.match(told.headers, {
    'content-encoding': 'aes128gcm',
    ttl: '300',
    urgency: 'high',
    topic: 'ask',
  })
  const text = readPush(told.body, keys)
  t.strictSame(JSON.parse(text), {
    title: 'Somebody asks for your answer',
    body: 'Open your account to see it.',
    open: '/account#asks',
  })
  t.notMatch(text, /Corner Bank|4711/)

  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(String(told.headers.authorization)) ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: `${x}`, y: `${y}` }, format: 'jwk' })
  const { payload } = await jwtVerify(token, publicKey, { audience: push.origin })
  t.equal(payload.sub, 'mailto:ops@example.com')
  t.ok(Number(payload.exp) - Date.now() / 1000 < 86_400, 'RFC 8292 §2: at most a day')

  const shown = await page()
  t.match(shown.text, key, 'browsers bind what they allow to it')
  t.notMatch(shown.text, endpoint, 'where messages go is shown to nobody')
  t.match(String(shown.headers['content-security-policy']), /script-src 'self'/)
  t.match((await alice.page('/account')).text, 'Notices in browsers')
})

t.test('what is kept about a person tells who may not ask, and which browsers tell it', async (t) => {
  const { setFields, allow, push, alice } = await startWithNotices(t)
  const before = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.match(before, { muted: [], notices: [] })
  await setFields('alice', { muted_clients: 'bank%2Fold bank' })
  const { subscription, endpoint } = push.subscribe()
  await allow(subscription)
  const { text } = await alice.request('GET', '/account/data')
  const data = JSON.parse(text)
  const names = { client_id: 'bank', client_name: 'Corner Bank' }
  t.strictSame(data.muted, [{ client_id: 'bank/old', client_name: 'bank/old' }, names])
  t.match(data.notices, [{ language: 'en', added_at: /^20\d\d-\d\d-\d\dT/ }])
  const page = await alice.page('/account/data/page')
  t.match(page.text, /may not ask you<\/h2>.*bank\/old.*Corner Bank.*Notices in browsers<\/h2>/s)
  for (const shown of [text, page.text]) t.notMatch(shown, endpoint, 'where messages go is shown to nobody')
})

t.test('it is told in the language in which it was allowed', async (t) => {
  const { id, push, alice, allow } = await startWithNotices(t)
  const { subscription, keys } = push.subscribe()
  await alice.page('/account/notices?language=de')
  t.equal(await allow(subscription), 'notices')
  await id()
  await until('it was told', () => push.pushed.length === 1)
  t.match(readPush(push.pushed[0]?.body ?? Buffer.alloc(0), keys), 'Jemand bittet um Ihre Antwort')
  t.equal(await allow(subscription), 'notices', 'again is the same one')
})

t.test(
  'a service that knows the browser no more takes it from the list, and another fault does not',
  async (t) => {
    for (const status of [404, 410]) {
      const { id, push, allow, browsers } = await startWithNotices(t)
      await allow(push.subscribe().subscription)
      push.service.status = 500
      await id()
      await until('it was told', () => push.pushed.length === 1)
      t.equal((await browsers()).length, 1)
      push.service.status = status
      await id({ binding_message: 'Another one' })
      await until('it is gone', async () => (await browsers()).length === 0)
    }
  },
)

t.test('a person sees the browsers, ten at most, and removes them', async (t) => {
  const { push, allow, page, browsers, alice, visitor } = await startWithNotices(t)
  for (let i = 0; i < 12; i++) await allow(push.subscribe(`browser-${i}`).subscription)
  const kept = await browsers()
  t.equal(kept.length, 10)
  t.notOk(
    kept.some(({ endpoint }) => /browser-[01]$/.test(endpoint)),
    'the oldest ones went',
  )
  t.equal((await page()).text.match(/action="[^"]*\/remove-notices"/g)?.length, 10)
  const { csrf = '' } = (await page()).hidden
  const browser = kept[0]?.id ?? ''
  await alice.post('/account/remove-notices', { csrf: 'forged', browser })
  await visitor().post('/account/remove-notices', { csrf, browser })
  t.equal((await browsers()).length, 10)
  await alice.post('/account/remove-notices', { csrf, browser })
  t.strictSame(
    (await browsers()).map(({ id }) => id),
    kept.slice(1).map(({ id }) => id),
  )
})

t.test('what cannot be a browser that gets messages is refused', async (t) => {
  const { push, allow, browsers } = await startWithNotices(t)
  const { subscription } = push.subscribe()
  const { keys } = JSON.parse(subscription) as { keys: { p256dh: string; auth: string } }
  const endpoint = 'https://push.example.com/x'
  const wrong = [
    ...['', '[]', '{', 'null', JSON.stringify({ endpoint })],
    ...[
      'http://push.example.com/x',
      'https://u:p@push.example.com/x',
      'https://push.example.com/#x',
      '/x',
    ].map((other) => JSON.stringify({ endpoint: other, keys })),
    JSON.stringify({ endpoint: `https://push.example.com/${'x'.repeat(1024)}`, keys }),
    JSON.stringify({ endpoint, keys: { ...keys, auth: 'AAAA' } }),
    JSON.stringify({ endpoint, keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } }),
    JSON.stringify({ endpoint, keys: { ...keys, p256dh: 'BAAA' } }),
  ]
  for (const text of wrong) t.equal(await allow(text), 'stale', text.slice(0, 60))
  t.equal((await browsers()).length, 0)
  t.equal(await allow(JSON.stringify({ endpoint, keys })), 'notices')
})

t.test('a private address is not reached, and nothing of it is logged', async (t) => {
  const push = await startPushService(t)
  const { id, alice, log, storage } = await startWithAsks(t, {
    ...SETTINGS,
    web_push: { ...push.options, allow_private: false },
  })
  const { csrf = '' } = (await alice.page('/account/notices')).hidden
  const { subscription, endpoint } = push.subscribe()
  await alice.post('/account/add-notices', { csrf, subscription })
  t.equal((await subscriptionsOf({ storage }, 'alice')).length, 1)
  await id()
  await until('it was refused', () => log.some((line) => line.includes('"status":"ENOTPUBLIC"')))
  t.equal(push.pushed.length, 0)
  t.notMatch(log.join('\n'), endpoint)
})

t.test('a browser ends after half a year without a notice, and with the account', async (t) => {
  const { id, push, allow, browsers, pass, storage } = await startWithNotices(t, {
    people: { alice: { 'claim:groups': '["staff"]' } },
  })
  await changeClient(storage, 'bank', { set: { allowed_groups: 'staff' } })
  await allow(push.subscribe('used').subscription)
  pass(100 * 86_400)
  await id()
  await until('it was told', async () => ((await browsers())[0]?.ends_in ?? 0) > 181 * 86_400_000)
  pass(183 * 86_400)
  t.strictSame(await browsers(), [])
  const kept = {
    endpoint: 'https://a.example/x',
    keys: { p256dh: '', auth: '' },
    language: 'en',
    added_at: 0,
  }
  await keepSubscription({ storage }, 'nobody', kept)
  t.strictSame(await subscriptionsOf({ storage }, 'nobody'), [], 'nothing is kept of who is gone')
})

t.test('the browsers of an account go with it', async (t) => {
  const { push, allow, browsers, storage, redmint } = await startWithNotices(t)
  await allow(push.subscribe().subscription)
  const stored = (await storage.records.read(USER, 'alice'))?.hash ?? {}
  await forgetUser({ ...redmint, storage }, 'alice', stored)
  t.strictSame(await browsers(), [])
})

t.test('off: no way to add a browser, no script, no link and no key', async (t) => {
  for (const given of [{}, { ...SETTINGS, ask_people: 'off' }] as const) {
    const { alice, get } = await startSignedIn(t, given)
    t.notMatch((await alice.page('/account')).text, 'Notices in browsers')
    t.notMatch((await alice.page('/account/notices')).text, /script|add-notices/)
    t.equal((await get('/oauth2/notices-worker.js')).status, 404)
    t.equal((await alice.post('/account/add-notices', {})).status, 404)
  }
})

t.test(
  'what a person said while questions were on is shown, and can be taken back, while they are off',
  async (t) => {
    const { id, alice, push, allow, storage } = await startWithNotices(t)
    await allow(push.subscribe('kept').subscription)
    await id()
    await answerFirst(alice, 'never')
    const off = await startService(t, { ...CHEAP, storage })
    const again = visitorOf(() => off.fastify)
    const page = asPage(await signInOn(again, await again.page('/account')))
    t.match(page.text, 'Applications that may not ask you')
    const data = async () => JSON.parse((await again.page('/account/data')).text) as Record<string, unknown>
    t.match(await data(), { muted: [{ client_id: 'bank' }], notices: [{ language: 'en' }] })
    t.match((await again.page('/account/data/page')).text, '/account/notices')
    const { csrf = '' } = page.hidden
    await again.post('/account/unmute', { csrf, client_id: 'bank' })
    await again.submit(await again.page('/account/notices'), {})
    const { muted, notices } = await data()
    t.strictSame({ muted, notices }, { muted: [], notices: [] })
  },
)

t.test('settings that do not fit are refused at start', async (t) => {
  const wrong = [
    { web_push_private_key: KEY },
    { web_push_contact: 'mailto:ops@example.com' },
    { ...SETTINGS, web_push_contact: 'ops@example.com' },
    { ...SETTINGS, web_push_private_key: Buffer.alloc(32).toString('base64') },
    { ...SETTINGS, web_push_private_key: Buffer.alloc(32, 255).toString('base64') },
  ]
  for (const given of wrong) await t.rejects(startService(t, given), ConfigError)
})
