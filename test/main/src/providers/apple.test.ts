// Sign in with Apple: the client secret, and the answer that is a form of another site.
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { appleKeyProblem, appleName } from '../../../../src/providers/apple.ts'
import { believedOf } from '../../../../src/providers/believed.ts'
import { sealClientSecret } from '../../../../src/providers/client-secret.ts'
import { examineProvider } from '../../../../src/providers/examine.ts'
import {
  formatProvider,
  PROVIDER,
  type ProviderDefinition,
  parseProvider,
} from '../../../../src/providers/provider-record.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { APPLE, fakeApple, newAppleKey, TEAM } from '../../../support/providers/fake-apple.ts'
import { federate, leave } from '../../../support/providers/federation.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const CALLBACK = '/sign-in/apple/callback'
const PEM = newAppleKey()
const RECORD: ProviderDefinition = {
  provider: 'apple',
  kind: 'apple',
  issuer: APPLE,
  client_id: 'com.example.login',
  scope: ['openid', 'name', 'email'],
  creates_users: true,
  ...TEAM,
}
const ADA = { sub: '001999.ada', email: 'ada@example.com', email_verified: 'true' }
const NAMED = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'root@example.com' })

async function withApple(t: Test, record: Partial<ProviderDefinition> = {}, pem = PEM) {
  const meddle = { now: (async () => undefined) as Awaited<ReturnType<typeof fakeApple>>['now'] }
  const service = await federate(t, {}, {}, meddle)
  const apple = await fakeApple(PEM, () => service.redmint.now())
  meddle.now = (url, body) => apple.now(url, body)
  const definition = { ...RECORD, ...record }
  const client_secret_sealed = await sealClientSecret(service.redmint, definition, pem)
  const hash = formatProvider({ ...definition, client_secret_sealed })
  await service.storage.records.put({ kind: PROVIDER, id: 'apple', hash })
  /** Goes to Apple, and returns what Apple has the browser post. */
  const answerOf = async (here: Visitor, claims: object = ADA, more: Record<string, string> = {}) => {
    const { location } = await leave({ here, there: here }, 'apple')
    const { nonce, state = '' } = Object.fromEntries(location.searchParams)
    return { location, form: { state, code: apple.grant({ nonce, ...claims }), ...more } }
  }
  return { ...service, apple, answerOf, hash }
}

t.test('somebody comes from Apple: the form of another site counts, once, in its browser', async (t) => {
  const { person, answerOf, claims, user, apple, log } = await withApple(t)
  const { here } = person()
  const { location, form } = await answerOf(here, ADA, { user: NAMED })
  t.equal(location.origin + location.pathname, `${APPLE}/auth/authorize`)
  t.match(Object.fromEntries(location.searchParams), {
    response_mode: 'form_post',
    response_type: 'code',
    scope: 'openid name email',
  })
  t.notOk(location.searchParams.has('code_challenge'), 'Apple does not say that it knows PKCE')
  const stranger = person().here
  await stranger.page('/oauth2/authorize')
  t.match(await stranger.submitFromElsewhere(CALLBACK, form), { status: 400 }, 'in another browser')
  const { sub } = await claims(await here.submitFromElsewhere(CALLBACK, form))
  t.match(await user('ada@example.com'), {
    sub,
    linked_subjects: linkOf(APPLE, ADA.sub),
    email: 'ada@example.com',
    email_verified: 'true',
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
  })
  t.match(await here.submitFromElsewhere(CALLBACK, form), { status: 400 }, 'a second time')
  t.notMatch(log.join(''), /Lovelace|PRIVATE KEY/)
  for (const secret of apple.secrets) {
    const { exp = 0, iat = 0 } = decodeJwt(secret)
    t.ok(exp - iat <= 300, 'a secret for minutes')
    t.notMatch(log.join(''), secret)
  }
  const other = person().here
  const later = await answerOf(other, ADA, {
    user: JSON.stringify({ name: { firstName: 'Another', lastName: 'Name' } }),
  })
  t.equal((await claims(await other.submitFromElsewhere(CALLBACK, later.form))).sub, sub)
  t.match(await user('ada@example.com'), { name: 'Ada Lovelace' }, 'an unsigned name changes nothing later')
})

t.test('the form of another site stores nothing, asks nobody, and shows no more than a page', async (t) => {
  const { person, answerOf, fastify, apple, redmint } = await withApple(t)
  const { form } = await answerOf(person().here)
  const send = (url: string, headers: Record<string, string>, body: Record<string, string>) =>
    fastify.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(body).toString(),
    })
  t.ok(redmint)
  const page = await send(CALLBACK, {}, { ...form, user: '"><script>alert(1)</script>', other: 'left out' })
  t.equal(page.statusCode, 200)
  t.notOk(page.headers['set-cookie'])
  t.match(page.headers, { 'cache-control': 'no-store' })
  t.notMatch(page.body, /<script>alert|left out/)
  t.match(page.body, `action="${CALLBACK}"`)
  t.same(apple.secrets, [])
  const claimed = { ...form, repeated: 'true' }
  const lied = await send(CALLBACK, { 'sec-fetch-site': 'cross-site' }, claimed)
  t.match(lied.body, `action="${CALLBACK}"`, 'another site cannot say that it is a repeated one')
  t.equal((await send(CALLBACK, {}, claimed)).statusCode, 400, 'without cookies')
  t.equal((await send(CALLBACK, {}, { user: 'x'.repeat(16 * 1024) })).statusCode, 413)
  for (const name of ['..%2f..%2faccount%2flink-provider%3f', '..', '%22%3E', 'a%2fb']) {
    const found = await send(`/sign-in/${name}/callback`, {}, form)
    t.ok(found.statusCode >= 400, name)
    t.notMatch(found.body, /name="repeated"/, `${name}: no form of another site leads elsewhere`)
  }
  const twice = await fastify.inject({
    method: 'POST',
    url: CALLBACK,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'state=a&state=b',
  })
  t.equal(twice.statusCode, 400)
  t.same(apple.secrets, [])
})

t.test('an answer that is not of Apple, or not for this browser, is refused', async (t) => {
  const { person, answerOf, apple, storage, hash } = await withApple(t)
  const said = async (claims: object, change: Record<string, string> = {}) => {
    const { here } = person()
    const { form } = await answerOf(here, { ...ADA, ...claims })
    return alertOn(asPage(await here.submitFromElsewhere(CALLBACK, { ...form, ...change })))
  }
  const { provider_broken, provider_denied } = en.messages
  t.equal(await said({ nonce: 'of-another-browser' }), provider_broken)
  t.equal(await said({ iss: 'https://appleid.example.com' }), provider_broken)
  t.equal(await said({ aud: 'com.example.other' }), provider_broken)
  t.equal(await said({ exp: 1 }), provider_broken)
  t.equal(await said({ sub: '' }), provider_broken)
  t.equal(await said({}, { code: 'of-somebody-else' }), provider_broken)
  t.equal(await said({}, { error: 'user_cancelled_authorize' }), provider_denied)
  const { signer } = apple
  apple.signer = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  t.equal(await said({}), provider_broken, 'the signature')
  apple.signer = signer
  await storage.records.put({ kind: PROVIDER, id: 'apple', hash: { ...hash, key_id: 'OTHERKEY12' } })
  t.equal(await said({}), provider_broken, 'another key_id')
  await storage.records.put({ kind: PROVIDER, id: 'apple', hash: { ...hash, client_id: 'com.example.new' } })
  t.equal(await said({}), provider_broken, 'the key was sealed for another client_id')
})

t.test('what Apple says of an address', async (t) => {
  const parsed = parseProvider('apple', formatProvider(RECORD))
  if (!parsed.ok) throw new TypeError('the record')
  const email = (claims: object) => believedOf(parsed.record, { ...ADA, ...claims }).email?.text
  for (const email_verified of [true, 'true']) t.equal(email({ email_verified }), 'ada@example.com')
  for (const email_verified of [false, 'false', 1, undefined, 'TRUE'])
    t.equal(email({ email_verified }), undefined)
  const relay = 'x1@privaterelay.appleid.com'
  t.equal(email({ email: relay, is_private_email: 'true' }), relay)
  const oidc = { ...parsed.record, kind: 'oidc' } as const
  t.equal(believedOf(oidc, ADA).email?.text, 'ada@example.com', 'others write a text, too')
})

t.test('the name in a form is text that anybody may have written', async (t) => {
  const named = (firstName: unknown, lastName?: unknown) =>
    appleName(JSON.stringify({ name: { firstName, lastName } }))
  t.strictSame(named(' Ada ', 'Lovelace'), {
    given_name: 'Ada',
    family_name: 'Lovelace',
    name: 'Ada Lovelace',
  })
  t.strictSame(named('Ada', 1), { given_name: 'Ada', name: 'Ada' })
  for (const wrong of ['a\nb', '\u202Eabc', '', ' ', '\u200B', 'x'.repeat(101), {}, ['a'], null])
    t.strictSame(named(wrong), {}, JSON.stringify(wrong))
  for (const text of [
    undefined,
    '',
    '[]',
    '{"name":null}',
    '{"name":"Ada"}',
    '{',
    `{"a":"${'x'.repeat(1024)}"}`,
  ])
    t.strictSame(appleName(text), {}, text ?? 'nothing')
  t.strictSame(appleName(JSON.stringify({ name: { firstName: 'Ada' }, pad: 'x'.repeat(1024) })), {})
})

t.test('the record of Apple, its key, and what provider test says', async (t) => {
  const problems = (more: Partial<ProviderDefinition>) => {
    const parsed = parseProvider('apple', formatProvider({ ...RECORD, ...more }))
    return parsed.ok ? [] : parsed.problems.map(({ field }) => field)
  }
  t.strictSame(problems({}), [])
  t.strictSame(problems({ scope: ['openid', 'profile'] }), ['scope'])
  t.strictSame(problems({ team_id: 'short' }), ['team_id'])
  t.strictSame(problems({ kind: 'oidc' }), ['team_id', 'key_id'])
  const { team_id: _, ...without } = RECORD
  t.notOk(parseProvider('apple', formatProvider(without)).ok)
  t.equal(appleKeyProblem(PEM), undefined)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const wrong_keys = [
    newAppleKey('P-384'),
    rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
    '',
    'secret',
    PEM.slice(0, 100),
  ]
  for (const wrong of wrong_keys) t.match(appleKeyProblem(wrong), /AuthKey/)
  const examined = async (record: Partial<ProviderDefinition>, pem = PEM) => {
    const { apple, redmint, hash } = await withApple(t, record, pem)
    const parsed = parseProvider('apple', hash)
    if (!parsed.ok) throw new TypeError('the record')
    const asked: URL[] = []
    const { storage, settings, now } = redmint
    const fetch = async (text: string, { body }: { body?: unknown } = {}) => {
      const url = new URL(text)
      asked.push(url)
      return (await apple.now(url, String(body ?? ''))) ?? new Response('a page')
    }
    const found = await examineProvider({ storage, settings, now, fetch: fetch as never }, parsed.record)
    const authorize = asked.find(({ pathname }) => pathname === '/auth/authorize')
    if (authorize) t.equal(authorize.searchParams.get('response_mode'), 'form_post')
    return found.map(({ about, result }) => `${about} ${result}`)
  }
  t.strictSame(await examined({}), ['discovery ok', 'keys ok', 'callback unknown', 'secret ok'])
  t.strictSame((await examined({ key_id: 'OTHERKEY12' })).at(-1), 'secret wrong')
  t.strictSame(await examined({}, 'no key'), ['secret wrong'])
})
