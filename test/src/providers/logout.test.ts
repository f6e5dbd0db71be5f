// A provider tells of people who signed out there (OpenID Connect Back-Channel Logout).
import { generateKeyPairSync } from 'node:crypto'
import t, { type Test } from 'tap'
import { linkOf } from '../../../src/accounts/sign-in-names.ts'
import { LOGOUT_EVENT, signLogoutToken } from '../../../src/logout/logout-token.ts'
import type { GetDocument } from '../../../src/outbound/public-get.ts'
import { signJwt } from '../../../src/tokens/jwt.ts'
import { ISSUER } from '../../support/service.ts'
import { comeBy, federate, setFields, UPSTREAM } from './federation.ts'

const AWAY = { ok: false, code: 'address', problem: 'is away', is_gone: false } as const
const { privateKey: OTHER } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PATH = '/sign-in/acme/backchannel-logout'

async function start(test: Test) {
  let upstream: Awaited<ReturnType<typeof federate>>['upstream'] | undefined
  let is_away = false
  const fetch_key_set: GetDocument = async (url) => {
    if (is_away || upstream === undefined) return AWAY
    const { payload } = await upstream.fastify.inject(new URL(url).pathname)
    return { ok: true, document: JSON.parse(payload), headers: {} }
  }
  const service = await federate(test, {}, { fetch_key_set })
  upstream = service.upstream
  await setFields(service.storage, 'alice', { linked_subjects: linkOf(UPSTREAM, 'sub-of-alice') })
  const { redmint } = upstream.fastify
  const now = () => Math.floor(redmint.now() / 1000)
  const good = () => ({
    iss: UPSTREAM,
    aud: 'redmint',
    sub: 'sub-of-alice',
    iat: now(),
    exp: now() + 120,
    jti: `of ${Math.random()}`,
    events: { [LOGOUT_EVENT]: {} },
  })
  return {
    ...service,
    good,
    sign: (claims: object, typ: Parameters<typeof signJwt>[1] = 'logout+jwt') =>
      signJwt(redmint.keys.signingKey('RS256'), typ, claims),
    tell: (logout_token: string, path = PATH) => service.post(path, { logout_token }),
    leave: () => {
      is_away = true
    },
    /** Whether a browser is signed in here. */
    isIn: async ({ here }: ReturnType<typeof service.person>) =>
      (await here.page('/account')).title === 'Your account',
  }
}

t.test('who signs out at the provider is signed out here, everywhere, and nobody else', async (t) => {
  const { person, own, upstream, tell, isIn, log } = await start(t)
  const [alice, elsewhere, bob] = [person(), person(), person()]
  await comeBy(alice)
  await comeBy(elsewhere)
  await own(bob, 'bob')
  const token = signLogoutToken(
    upstream.fastify.redmint,
    { client_id: 'redmint' },
    { sub: 'sub-of-alice' as never, sid: 'of-the-session' as never },
  )
  t.match(await tell(token), { status: 200, headers: { 'cache-control': 'no-store' } })
  t.notOk(await isIn(alice))
  t.notOk(await isIn(elsewhere))
  t.ok(await isIn(bob))
  t.match(log.join(''), /"event":"sessions_ended","username":"alice"/)
  t.match(await tell(token), { status: 400, json: { error: 'invalid_request' } }, 'it counts once')
})

t.test('what is no such token ends nothing', async (t) => {
  const { person, tell, sign, good, isIn, provide, redmint } = await start(t)
  const alice = person()
  await comeBy(alice)
  const rows: [string, string][] = [
    ['nothing', ''],
    ['no JWT', 'a.b'],
    ['of another issuer', sign({ ...good(), iss: ISSUER })],
    ['for another client', sign({ ...good(), aud: 'other' })],
    ['without an event', sign({ ...good(), events: undefined })],
    ['with another event', sign({ ...good(), events: { 'urn:other': {} } })],
    ['an id_token', sign({ ...good(), nonce: 'n' })],
    ['an access token', sign(good(), 'at+jwt')],
    ['without a sub', sign({ ...good(), sub: undefined, sid: 's' })],
    ['without a jti', sign({ ...good(), jti: undefined })],
    ['expired', sign({ ...good(), iat: 1, exp: 100 })],
    ['without an end', sign({ ...good(), exp: undefined })],
    ['for too long', sign({ ...good(), exp: good().exp + 86_400 })],
    [
      'of a key of its own',
      signJwt({ ...redmint.keys.signingKey('RS256'), privateKey: OTHER }, 'logout+jwt', good()),
    ],
    ['forged', `${sign(good()).slice(0, -8)}AAAAAAAA`],
  ]
  for (const [what, token] of rows) {
    t.match(await tell(token), { status: 400, json: { error: 'invalid_request' } }, what)
    t.ok(await isIn(alice), what)
  }
  t.equal((await tell(sign(good()), PATH.replace('acme', 'nobody'))).status, 400)
  await provide('acme', { disabled: true })
  t.equal((await tell(sign(good()))).status, 400, 'a disabled provider')
  await provide('acme')
  t.equal((await tell(sign({ ...good(), sub: 'nobody-here' }))).status, 200, 'of somebody without an account')
  t.ok(await isIn(alice))
})

t.test('keys that cannot be read prove nothing', async (t) => {
  const { person, tell, sign, good, isIn, leave } = await start(t)
  const alice = person()
  await comeBy(alice)
  leave()
  t.match(await tell(sign(good())), { status: 400, json: { error: 'invalid_request' } })
  t.ok(await isIn(alice))
})
