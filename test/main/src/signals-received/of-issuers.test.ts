// Trusted issuers say what is over of their people: what their assertions gave ends, and nothing else.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { SET_EVENT } from '../../../../src/core/security-events.ts'
import type { IssuerDefinition } from '../../../../src/issuers/issuer-record.ts'
import { countEndings } from '../../../../src/logout/endings-queue.ts'
import { forEachStorage, type Place } from '../../../support/lifecycle.ts'
import { createClient } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'
import { basic, bearer, CLIENTS, ISSUER, type TestOptions } from '../../../support/service.ts'
import { pushTo, signSet } from '../../../support/signals.ts'
import {
  assertionOf,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trustAt,
} from '../../../support/trusted-issuer.ts'
import { until } from '../../../support/until.ts'

const IDP = 'https://idp.example.com'
const OTHER = 'https://other.example.com'
const KEY = issuerKey()
const AGENT = {
  ...CLIENTS.web,
  client_id: 'agent',
  allowed_scopes: ['openid', 'email'],
  grant_types: [JWT_BEARER],
} as const

async function start(
  t: Test,
  {
    place,
    record = {},
    ...options
  }: TestOptions & { place?: Place; record?: Partial<IssuerDefinition> } = {},
) {
  const service = await scene(t, {
    trusted_issuers: true,
    receive_signals: 'on',
    ...(place && { storage: place.open(t) }),
    ...options,
  })
  const { storage, setFields, token, get, redmint } = service
  for (const issuer of [IDP, OTHER])
    await trustAt(service, KEY, { issuer, profile: 'id-jag', signals: true, ...record })
  await createClient(storage, 'agent', formatClient(AGENT))
  await setFields('alice', { linked_subjects: `${IDP}#00u1 ${OTHER}#00u1` })
  await setFields('bob', { linked_subjects: `${IDP}#00u2` })
  const seconds = () => Math.floor(redmint.now() / 1000)
  const good = (changes: Claims = {}, event: Claims = {}): Claims => ({
    iss: IDP,
    aud: ISSUER,
    iat: seconds(),
    jti: randomUUID(),
    sub_id: { format: 'iss_sub', iss: IDP, sub: '00u1' },
    events: { [SET_EVENT.account_disabled]: event },
    ...changes,
  })
  const push = pushTo(service)
  return {
    ...service,
    good,
    seconds,
    say: (claims: Claims = good(), header: Claims = {}) => push('/signals', signSet(KEY, claims, header)),
    /** A token for whom an assertion names. */
    async tokenFor(iss: string, sub: string, more: Claims = {}) {
      const iat = seconds()
      const claims = claimsOf(iss, sub, { client_id: 'agent', scope: 'openid', iat, exp: iat + 60, ...more })
      const assertion = assertionOf(KEY, claims, { typ: 'oauth-id-jag+jwt' })
      return String((await token({ grant_type: JWT_BEARER, assertion }, basic('agent'))).json.access_token)
    },
    counts: async (access_token: string) => (await get('/userinfo', bearer(access_token))).status === 200,
    done: () => until('it is ended', async () => (await countEndings(storage)) === 0),
  }
}

forEachStorage('E6: what an issuer says ends what its assertions gave, of that person', async (t, place) => {
  const { tokenFor, say, counts, done, signIn, redeem, log } = await start(t, { place })
  const mine = await tokenFor(IDP, '00u1')
  const by_other = await tokenFor(OTHER, '00u1')
  const of_bob = await tokenFor(IDP, '00u2')
  const own = String((await redeem(await signIn('alice'))).json.access_token)
  for (const one of [mine, by_other, of_bob, own]) t.ok(await counts(one))
  t.equal((await say()).status, 202)
  await done()
  t.strictSame(
    [await counts(mine), await counts(by_other), await counts(of_bob), await counts(own)],
    [false, true, true, true],
  )
  t.match(
    log.join(''),
    /"event":"signal_taken","signal":"account-disabled","issuer":"[^"]+","username":"alice"/,
  )
})

t.test('E5: nothing newer ends, nor by what is sent again', async (t) => {
  const { tokenFor, say, counts, done, good, seconds, pass, happened } = await start(t)
  const old = good()
  const then = seconds()
  pass(10)
  const mine = await tokenFor(IDP, '00u1')
  for (const claims of [old, good({ jti: 'new' }, { event_timestamp: then })]) {
    t.equal((await say(claims)).status, 202)
    await done()
    t.ok(await counts(mine))
  }
  const now = good()
  t.equal((await say(now)).status, 202)
  await done()
  t.notOk(await counts(mine))
  const taken = happened('signal_taken')
  t.equal((await say(now)).status, 202)
  t.equal(happened('signal_taken'), taken)
})

t.test('a person is found as by assertions', async (t) => {
  const by_address = await start(t, { record: { account_by: 'verified_email' } })
  const { tokenFor, say, good, counts, done, setFields } = by_address
  const email = 'alice@example.com'
  await setFields('alice', { email, email_verified: 'true' })
  const mine = await tokenFor(IDP, '00u1', { email, email_verified: true })
  t.ok(await counts(mine))
  t.equal((await say()).status, 202)
  await done()
  t.ok(await counts(mine), 'not by a sub')
  t.equal((await say(good({ sub_id: { format: 'email', email } }))).status, 202)
  await done()
  t.notOk(await counts(mine))

  const by_sub = await start(t)
  await by_sub.setFields('alice', { email, email_verified: 'true' })
  const other = await by_sub.tokenFor(IDP, '00u1')
  for (const sub_id of [
    { format: 'email', email },
    { format: 'iss_sub', iss: OTHER, sub: '00u1' },
    { format: 'iss_sub', iss: IDP, sub: 'nobody' },
    { format: 'opaque', id: '00u1' },
  ])
    t.equal((await by_sub.say(by_sub.good({ sub_id }))).status, 202)
  await by_sub.done()
  t.ok(await by_sub.counts(other))
  t.equal(by_sub.happened('signal_taken'), 0)
})

t.test('whose record does not say so, or who is no trusted issuer, ends nothing', async (t) => {
  const refused = { status: 400, json: { err: 'invalid_issuer' } }
  const without = await start(t, { record: { signals: false } })
  t.match(await without.say(), refused)
  const off = await start(t, { trusted_issuers: false })
  t.match(await off.say(), refused)
  const service = await start(t, { record: { audience: 'urn:us', algorithms: ['RS256'] } })
  const { say, good } = service
  t.match(await say(good({ iss: 'https://nobody.example.com' })), refused)
  t.match(await say(good({ iss: undefined })), refused)
  t.match(await say(good({ iss: ['x'] })), refused)
  t.match(await say(), { status: 400, json: { err: 'invalid_audience' } })
  t.match(await say(good({ aud: 'urn:us' })), { status: 400, json: { err: 'invalid_key' } }, 'its algorithm')
  t.match(await say(good({ iss: IDP }), { alg: 'none' }), { status: 400, json: { err: 'invalid_request' } })
  t.match(await say(good({}), { typ: 'oauth-id-jag+jwt' }), { status: 400 }, 'E1: an identity assertion')
})

t.test('keys that cannot be read: the token is to be sent again', async (t) => {
  const jwks_uri = 'https://idp.example.com/keys'
  const away = async () => ({ ok: false, code: 'address', problem: 'is away', is_gone: false }) as const
  const { say } = await start(t, { record: { jwks_uri }, fetch_key_set: away })
  t.match(await say(), { status: 503, headers: { 'retry-after': /\d+/ } })
})
