// Providers say what is over of their people (SSF 1.0, CAEP 1.0, RISC 1.0, pushed by RFC 8935).
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { SET_EVENT } from '../../../../src/core/security-events.ts'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { countEndings } from '../../../../src/logout/endings-queue.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { appCode } from '../../../support/authenticator.ts'
import { forEachStorage } from '../../../support/lifecycle.ts'
import { comeBy, leave, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { changeClient } from '../../../support/records.ts'
import { STEP } from '../../../support/scene/pages.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { bearer, ISSUER } from '../../../support/service.ts'
import { signSet, startWithSignals } from '../../../support/signals.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const OLD = 'https://schemas.openid.net/secevent/risc/event-type/sessions-revoked'
const TOKENS = 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked'
const ISS_SUB = { format: 'iss_sub', iss: UPSTREAM, sub: 'sub-of-alice' }

forEachStorage('what a provider says is over ends what began by it, with all tokens', async (t, place) => {
  const service = await startWithSignals(t, { storage: place.open(t) })
  const { person, own, come, say, isIn, get, refresh, redeem, log, storage, good } = service
  const url = requestUrl({ client_id: 'own', scope: 'openid offline_access' })
  const alice = person()
  const found = await alice.here.open(await signInThere(alice, await leave(alice, 'acme', url)))
  const { json } = await redeem(found)
  const [elsewhere, by_password, bob] = [await come(), person(), person()]
  await own(by_password)
  await own(bob, 'bob')
  t.match(await say(), { status: 202, text: '', headers: { 'cache-control': 'no-store' } })
  t.notOk(await isIn(alice))
  t.notOk(await isIn(elsewhere))
  t.ok(await isIn(by_password), 'not a sign-in by the password')
  t.ok(await isIn(bob), 'not somebody else')
  await until('the tokens are ended', async () => (await countEndings(storage)) === 0)
  t.equal((await get('/userinfo', bearer(String(json.access_token)))).status, 401)
  t.match(await refresh(json.refresh_token), { status: 400, json: { error: 'invalid_grant' } })
  t.match(log.join(''), /"event":"signal_taken","signal":"session-revoked","provider":"acme"/)
  t.match(log.join(''), /"event":"sessions_ended","username":"alice","sid":"[^"]+","count":1/)
  t.ok(await isIn(await come()), 'who comes again is in')
  t.equal((await say(good({ sub_id: { ...ISS_SUB, sub: 'nobody' } }))).status, 202)
})

t.test('each form in which senders say it counts', async (t) => {
  const { come, say, good, isIn } = await startWithSignals(t)
  const old_subject = { subject_type: 'iss-sub', iss: `${UPSTREAM}/`, sub: 'sub-of-alice' }
  const forms = {
    'account disabled': () => good({ events: { [SET_EVENT.account_disabled]: { reason: 'hijacking' } } }),
    'account purged': () => good({ events: { [SET_EVENT.account_purged]: {} } }),
    'sessions revoked, as Google says it': () =>
      good({
        iss: `${UPSTREAM}/`,
        aud: ['another', 'redmint'],
        sub_id: undefined,
        events: { [OLD]: { subject: old_subject } },
      }),
    'tokens revoked, as Google says it': () =>
      good({
        sub_id: undefined,
        events: { [TOKENS]: { subject: old_subject } },
      }),
    'all sessions, as Keycloak says it': () =>
      good({ sub_id: { format: 'complex', user: ISS_SUB, session: { format: 'opaque', id: 'ALL' } } }),
    'a complex subject': () => good({ sub_id: { format: 'complex', user: ISS_SUB } }),
    'a complex subject of a draft': () =>
      good({
        sub_id: undefined,
        events: {
          [SET_EVENT.session_revoked]: { subject: { user: ISS_SUB, tenant: { format: 'opaque', id: 't' } } },
        },
      }),
    'a time in milliseconds, as drafts had it': () => good({}, { event_timestamp: 1_615_304_991_643 }),
    'two events': () =>
      good({
        events: { [SET_EVENT.credential_change]: {}, [SET_EVENT.session_revoked]: {} },
      }),
  }
  for (const [name, claims] of Object.entries(forms)) {
    const alice = await come()
    t.equal((await say(claims())).status, 202, name)
    t.notOk(await isIn(alice), name)
  }
})

t.test('what says nothing of the kind is taken, and ends nothing', async (t) => {
  const { come, say, good, isIn, happened } = await startWithSignals(t)
  const alice = await come()
  const event = (type: string, content = {}) => good({ events: { [type]: content } })
  const named = (sub_id: unknown) => good({ sub_id })
  const rows = {
    verification: event(SET_EVENT.verification, { state: 'x' }),
    'stream updated': event(SET_EVENT.stream_updated, { status: 'paused' }),
    'credential change': event(SET_EVENT.credential_change),
    'account enabled': event(SET_EVENT.account_enabled),
    unknown: event('https://example.com/other'),
    'a person of another issuer': named({ ...ISS_SUB, iss: ISSUER }),
    'a person by e-mail address': named({ format: 'email', email: 'alice@example.com' }),
    'less than the person': named({
      format: 'complex',
      user: ISS_SUB,
      device: { format: 'opaque', id: 'd' },
    }),
    'a session that cannot be read': named({ format: 'complex', user: ISS_SUB, session: { format: 'x' } }),
    'a person that cannot be read': named({ format: 'complex', user: { format: 'x' } }),
    'all sessions of nobody': named({ format: 'complex', session: { format: 'opaque', id: 'ALL' } }),
    nobody: named(undefined),
    'an empty subject': named({}),
  }
  for (const [name, claims] of Object.entries(rows)) {
    t.equal((await say(claims)).status, 202, name)
    t.ok(await isIn(alice), name)
  }
  t.equal(happened('signal_taken'), 0)
})

t.test('a session that is named ends alone', async (t) => {
  const { come, say, good, isIn, said, upstream } = await startWithSignals(t)
  await changeClient(upstream.storage, 'redmint', { set: { backchannel_logout_uri: `${ISSUER}/x` } })
  const sidSaid = (): string => {
    const answer = said.findLast((text) => text.includes('"id_token"')) ?? ''
    const [, claims = ''] = JSON.parse(answer).id_token.split('.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).sid
  }
  const alice = await come()
  const sid = sidSaid()
  const other = await come()
  const session = { format: 'opaque', id: sid }
  const of = (user: object) => good({ sub_id: { format: 'complex', user, session } })
  t.equal((await say(of({ ...ISS_SUB, sub: 'somebody-else' }))).status, 202)
  t.ok(await isIn(alice), 'the session of somebody else')
  t.equal((await say(of({ format: 'did', url: 'did:example:alice' }))).status, 202)
  t.ok(await isIn(alice), 'the session of a person who cannot be read')
  t.equal((await say(of(ISS_SUB))).status, 202)
  t.strictSame([await isIn(alice), await isIn(other)], [false, true])
  t.equal((await say(good({ sub_id: { format: 'opaque', id: sidSaid() } }))).status, 202)
  t.notOk(await isIn(other))
})

t.test('E5: an old, late or early token does not end a newer session', async (t) => {
  const { come, say, good, isIn, seconds, pass } = await startWithSignals(t)
  const then = seconds()
  pass(60)
  const alice = await come()
  const old = {
    'said before': good({ iat: then }),
    'said now of a time before': good({}, { event_timestamp: then }),
    'said before, of a time after that': good({ iat: then }, { event_timestamp: seconds() }),
    'said now of a time before, in the token': good({ toe: then }),
    'a time of the event with a fraction': good({}, { event_timestamp: then + 0.5 }),
  }
  for (const [name, claims] of Object.entries(old)) {
    t.equal((await say(claims)).status, 202, name)
    t.ok(await isIn(alice), name)
  }
  const wrong = {
    early: good({ iat: seconds() + 61 }),
    late: good({ iat: seconds() - 7 * 86_400 - 1 }),
    'without a time': good({ iat: undefined }),
    'a time that is no number': good({ iat: String(seconds()) }),
    'a time of the event that is no number': good({}, { event_timestamp: 'now' }),
    'a time of the event before all times': good({}, { event_timestamp: -1 }),
  }
  for (const [name, claims] of Object.entries(wrong)) {
    t.match(await say(claims), { status: 400, json: { err: 'invalid_request' } }, name)
    t.ok(await isIn(alice), name)
  }
  const ahead = await come()
  t.equal((await say(good({ iat: seconds() + 59 }, { event_timestamp: seconds() + 10_000 }))).status, 202)
  t.notOk(await isIn(ahead), 'a clock ahead, and an event in the future: what began until now')
  pass(30)
  t.ok(await isIn(await come()))
})

t.test(
  'E5: who comes from there anew in the same session is not meant by what was said before',
  async (t) => {
    const { come, say, good, isIn, seconds, pass } = await startWithSignals(t)
    const alice = await come()
    pass(10)
    const between = seconds()
    pass(10)
    const anew = requestUrl({ client_id: 'own', prompt: 'login' })
    await alice.here.open(await signInThere(alice, await leave(alice, 'acme', anew)))
    t.equal((await say(good({ iat: between }))).status, 202)
    t.ok(await isIn(alice))
    t.equal((await say()).status, 202)
    t.notOk(await isIn(alice))
  },
)

t.test('E5: a sign-in began at the provider, however long our second step takes', async (t) => {
  const { person, redmint, say, good, isIn, pass, seconds } = await startWithSignals(t)
  const { begun, key } = await beginTotp(redmint, 'alice')
  t.equal(await confirmTotp(redmint, 'alice', begun, appCode(key, redmint.now() - STEP * 1000)), 'confirmed')
  const alice = person()
  const asked = asPage(await comeBy(alice))
  pass(10)
  const between = seconds()
  pass(STEP)
  asDeparture(await alice.here.submit(asked, { code: appCode(key, redmint.now()) }))
  t.ok(await isIn(alice))
  t.equal((await say(good({ iat: between }))).status, 202)
  t.notOk(await isIn(alice))
})

t.test('E5: what is said while our second step is asked for ends the sign-in', async (t) => {
  const { person, redmint, say, good, isIn, pass, seconds } = await startWithSignals(t)
  const { begun, key } = await beginTotp(redmint, 'alice')
  t.equal(await confirmTotp(redmint, 'alice', begun, appCode(key, redmint.now() - STEP * 1000)), 'confirmed')
  const alice = person()
  const begin = seconds()
  const asked = asPage(await comeBy(alice))
  pass(10)
  t.equal((await say()).status, 202)
  t.equal((await say(good({ iat: begin - 5 }))).status, 202, 'an older one changes nothing')
  pass(STEP)
  const page = asPage(await alice.here.submit(asked, { code: appCode(key, redmint.now()) }))
  t.match(page.text, /The sign-in there was cancelled or refused/)
  t.notOk(await isIn(alice))
  const again = person()
  pass(STEP)
  const anew = asPage(await comeBy(again))
  asDeparture(await again.here.submit(anew, { code: appCode(key, redmint.now()) }))
  t.ok(await isIn(again))
})

forEachStorage('E5: a token that is sent again is taken, and does nothing', async (t, place) => {
  const { come, push, key, good, happened, isIn } = await startWithSignals(t, { storage: place.open(t) })
  const [alice, elsewhere] = [await come(), await come()]
  const token = signSet(key, good())
  const storm = await Promise.all(Array.from({ length: 50 }, () => push(token)))
  t.ok(storm.every(({ status }) => status === 202))
  t.equal(happened('signal_taken'), 1, 'once')
  t.equal(happened('sessions_ended', 'alice'), 2, 'each session once')
  t.notOk((await isIn(alice)) || (await isIn(elsewhere)))
  const again = await come()
  t.equal((await push(token)).status, 202)
  t.ok(await isIn(again))
  t.equal(happened('signal_taken'), 1)
})

t.test('a token that was interrupted is done when it is sent again', async (t) => {
  const { come, push, key, good, isIn, storage, happened } = await startWithSignals(t)
  const alice = await come()
  const token = signSet(key, good())
  const { records, queue } = storage
  const failing = { create: records.create, add: queue.add }
  const away = async () => {
    throw new StorageUnavailable('away')
  }
  // Before anything ends, and after it ended.
  queue.add = away
  t.equal((await push(token)).status, 503)
  queue.add = failing.add
  t.ok(await isIn(alice))
  records.create = away
  t.equal((await push(token)).status, 503)
  records.create = failing.create
  t.notOk(await isIn(alice))
  t.equal(happened('signal_taken'), 0)
  t.equal((await push(token)).status, 202)
  t.equal(happened('sessions_ended', 'alice'), 1)
})

t.test('E5: what ends nothing leaves nothing in storage', async (t) => {
  const { come, say, good, storage } = await startWithSignals(t)
  const kept = async () => {
    let count = 0
    for await (const _ of storage.records.scan({ name: 'challenge' })) count += 1
    return count
  }
  await come()
  const before = await kept()
  for (let i = 0; i < 20; i++)
    t.equal((await say(good({ events: { [SET_EVENT.verification]: {} } }))).status, 202)
  t.equal(await kept(), before)
  t.equal((await say(good({ sub_id: { ...ISS_SUB, sub: 'nobody' } }))).status, 202)
  t.equal(await kept(), before + 1, 'a mark for sign-ins that are under way')
  t.equal((await say()).status, 202)
  t.equal(await kept(), before + 3, 'its jti, and such a mark')
})

t.test('E6: what a provider says ends no sign-in of another one', async (t) => {
  const service = await startWithSignals(t)
  const { come, say, good, isIn, provide, setFields, person, own } = service
  const ELSEWHERE = 'https://elsewhere.example.org'
  // The same subject at another issuer is somebody else, and alice is linked with both.
  await setFields('alice', {
    linked_subjects: [linkOf(UPSTREAM, 'sub-of-alice'), linkOf(ELSEWHERE, 'sub-of-alice')].join(' '),
    admin: 'redmint:read redmint:write',
  })
  await provide('other', { issuer: ELSEWHERE, signals: true })
  const [by_acme, by_password] = [await come(), person()]
  await own(by_password)
  const false_ones = [
    good({ iss: ELSEWHERE, sub_id: { ...ISS_SUB, iss: ELSEWHERE } }),
    good({ iss: ELSEWHERE }),
  ]
  for (const claims of false_ones) {
    // The keys of both are the same here, so that nothing but the issuer tells them apart.
    t.equal((await say(claims, {}, '/signals/other')).status, 202)
    t.match(await say(claims), { status: 400, json: { err: 'invalid_issuer' } })
    t.match(await say({ ...claims, iss: UPSTREAM }, {}, '/signals/other'), {
      json: { err: 'invalid_issuer' },
    })
  }
  t.ok(await isIn(by_acme))
  t.ok(await isIn(by_password))
  t.equal((await say(good({ sub_id: { ...ISS_SUB, sub: 'sub-of-bob' } }))).status, 202)
  t.ok(await isIn(by_acme), 'nor that of somebody else')
  t.equal((await say()).status, 202)
  t.notOk(await isIn(by_acme))
  t.ok(await isIn(by_password))
})

t.test('what is no such token ends nothing, and says why', async (t) => {
  const { come, push, say, good, isIn, key, provide, request } = await startWithSignals(t)
  const alice = await come()
  const { privateKey: OTHER } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { events: _, ...eventless } = good()
  const rows: [string, string, string][] = [
    ['nothing', '', 'invalid_request'],
    ['no JWT', 'a.b', 'invalid_request'],
    ['of another issuer', signSet(key, good({ iss: ISSUER })), 'invalid_issuer'],
    ['without an issuer', signSet(key, good({ iss: undefined })), 'invalid_issuer'],
    ['for another audience', signSet(key, good({ aud: 'other' })), 'invalid_audience'],
    ['without an audience', signSet(key, good({ aud: undefined })), 'invalid_audience'],
    ['E1: with an end', signSet(key, good({ exp: 9_999_999_999 })), 'invalid_request'],
    ['E1: with a sub', signSet(key, good({ sub: 'sub-of-alice' })), 'invalid_request'],
    ['E1: with a nonce', signSet(key, good({ nonce: 'n' })), 'invalid_request'],
    ['E1: of the type of a JWT', signSet(key, good(), { typ: 'JWT' }), 'invalid_request'],
    ['E1: of no type', signSet(key, good(), { typ: undefined }), 'invalid_request'],
    ['E1: of the type of a logout token', signSet(key, good(), { typ: 'logout+jwt' }), 'invalid_request'],
    ['E1: of the type of an access token', signSet(key, good(), { typ: 'at+jwt' }), 'invalid_request'],
    ['without a jti', signSet(key, good({ jti: undefined })), 'invalid_request'],
    ['with a jti that is no text', signSet(key, good({ jti: 1 })), 'invalid_request'],
    ['without events', signSet(key, eventless), 'invalid_request'],
    ['with no event', signSet(key, good({ events: {} })), 'invalid_request'],
    ['with an event that is no object', signSet(key, good({ events: { a: 1 } })), 'invalid_request'],
    [
      'with too many events',
      signSet(key, good({ events: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`e${i}`, {}])) })),
      'invalid_request',
    ],
    ['of a key of its own', signSet({ ...key, privateKey: OTHER }, good()), 'invalid_key'],
    ['of a key that is unknown', signSet({ ...key, kid: 'other' }, good()), 'invalid_key'],
    ['forged', `${signSet(key, good()).slice(0, -8)}AAAAAAAA`, 'invalid_key'],
  ]
  for (const [what, token, err] of rows) {
    const answer = await push(token)
    t.match(answer, { status: 400, json: { err } }, what)
    t.strictSame(Object.keys(answer.json).sort(), ['description', 'err'])
    t.ok(await isIn(alice), what)
  }
  const send = (type: string) =>
    request({
      method: 'POST',
      url: '/signals/acme',
      headers: { 'content-type': type },
      payload: signSet(key, good()),
    })
  t.match(await send('application/jwt'), { status: 400, json: { err: 'invalid_request' } })
  t.match(await push('x'.repeat(9000)), { status: 413 })
  t.match(await say(good(), {}, '/signals/nobody'), { status: 400, json: { err: 'invalid_issuer' } })
  t.match(await say(good(), {}, '/signals'), { status: 400, json: { err: 'invalid_issuer' } })
  await provide('acme', { signals: false })
  t.match(
    await say(),
    { status: 400, json: { err: 'invalid_issuer' } },
    'a provider whose record does not say so',
  )
  await provide('acme', { signals: true, disabled: true })
  t.match(await say(), { status: 400, json: { err: 'invalid_issuer' } }, 'a disabled provider')
  await provide('acme', { signals: true, signals_audience: 'https://auth.example.com/signals' })
  t.match(await say(), { status: 400, json: { err: 'invalid_audience' } })
  t.ok(await isIn(alice))
  t.equal((await say(good({ aud: 'https://auth.example.com/signals' }))).status, 202)
  t.notOk(await isIn(alice))
})

t.test('keys that cannot be read: the token is to be sent again', async (t) => {
  const { come, say, isIn, leave: away } = await startWithSignals(t)
  const alice = await come()
  away()
  t.match(await say(), { status: 503, headers: { 'retry-after': /\d+/ } })
  t.ok(await isIn(alice))
})

t.test('off, there is no endpoint', async (t) => {
  const { say } = await startWithSignals(t, { receive_signals: 'off' })
  t.equal((await say()).status, 404)
})
