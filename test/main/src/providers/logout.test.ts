// A provider tells of people who signed out there (OpenID Connect Back-Channel Logout).
import { generateKeyPairSync } from 'node:crypto'
import t, { type Test } from 'tap'
import { beginTotp, confirmTotp } from '../../../../src/factors/totp.ts'
import { writeRestoreMark } from '../../../../src/keys/restore-mark.ts'
import { countEndings } from '../../../../src/logout/endings-queue.ts'
import { LOGOUT_EVENT } from '../../../../src/logout/logout-token.ts'
import { upstreamLink, upstreamSession, upstreamUser } from '../../../../src/providers/upstream.ts'
import { sessionLists } from '../../../../src/sessions/session-lists.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { fitIndexes } from '../../../../src/storage/indexes.ts'
import { signJwt } from '../../../../src/tokens/jwt.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { appCode } from '../../../support/authenticator.ts'
import { comeBy, federate, UPSTREAM } from '../../../support/providers/federation.ts'
import { changeClient } from '../../../support/records.ts'
import { STEP } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const { privateKey: OTHER } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PATH = '/sign-in/acme/backchannel-logout'

async function start(test: Test) {
  const service = await federate(test)
  const { upstream } = service
  // Only such a client gets a sid.
  const told = { backchannel_logout_uri: ISSUER + PATH }
  await changeClient(upstream.storage, 'redmint', { set: told })
  await service.setFields('alice', { linked_subjects: linkOf(UPSTREAM, 'sub-of-alice') })
  const { redmint } = upstream.fastify
  const now = () => Math.floor(redmint.now() / 1000)
  /** The sid in the last id_token of the provider. */
  const sidSaid = (): string => {
    const answer = service.said.findLast((text) => text.includes('"id_token"')) ?? ''
    const [, claims = ''] = JSON.parse(answer).id_token.split('.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).sid
  }
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
    sidSaid,
    /** Signs in by the provider; returns the sid of the session there. */
    async comeWithSid(person: ReturnType<typeof service.person>) {
      test.ok('location' in (await comeBy(person)))
      return sidSaid()
    },
    tell: (logout_token: string, path = PATH) => service.post(path, { logout_token }),
    /** Whether a browser is signed in here. */
    isIn: async ({ here }: ReturnType<typeof service.person>) =>
      (await here.page('/account')).title === 'Your account',
  }
}

t.test(
  'who signs out at the provider is signed out here of what began by it, and of nothing else',
  async (t) => {
    const { person, own, tell, sign, good, isIn, log, provide, setFields } = await start(t)
    const ELSEWHERE = 'https://elsewhere.example.org'
    await setFields('alice', {
      linked_subjects: [linkOf(UPSTREAM, 'sub-of-alice'), linkOf(ELSEWHERE, 'sub-of-alice')].join(' '),
    })
    await provide('other', { issuer: ELSEWHERE })
    const [alice, elsewhere, bob, by_password] = [person(), person(), person(), person()]
    await comeBy(alice)
    await comeBy(elsewhere)
    await own(bob, 'bob')
    await own(by_password)
    const of_other = sign({ ...good(), iss: ELSEWHERE })
    t.equal((await tell(of_other, PATH.replace('acme', 'other'))).status, 200)
    t.ok(await isIn(alice), 'of another provider')
    const token = sign(good())
    t.match(await tell(token), { status: 200, headers: { 'cache-control': 'no-store' } })
    t.notOk(await isIn(alice))
    t.notOk(await isIn(elsewhere))
    t.strictSame([await isIn(bob), await isIn(by_password)], [true, true])
    t.match(log.join(''), /"event":"sessions_ended","username":"alice"/)
    t.match(await tell(token), { status: 400, json: { error: 'invalid_request' } }, 'it counts once')
    await comeBy(alice)
    t.ok(await isIn(alice), 'a sign-in after it')
  },
)

t.test('a second step that comes after the logout begins no session', async (t) => {
  const { person, redmint, tell, sign, good, isIn } = await start(t)
  const { begun, key } = await beginTotp(redmint, 'alice')
  const now = redmint.now()
  t.equal(await confirmTotp(redmint, 'alice', begun, appCode(key, now - STEP * 1000)), 'confirmed')
  const alice = person()
  const asked = asPage(await comeBy(alice))
  t.equal((await tell(sign(good()))).status, 200)
  t.match(await alice.here.submit(asked, { code: appCode(key, redmint.now()) }), { status: 200 })
  t.notOk(await isIn(alice))
})

t.test('with a sid, what began with this session there ends, and nothing else', async (t) => {
  const { person, own, tell, sign, good, isIn, comeWithSid, log, provide, setFields } = await start(t)
  await setFields('bob', { linked_subjects: linkOf(UPSTREAM, 'sub-of-bob') })
  const [alice, elsewhere, by_password] = [person(), person(), person()]
  const sid = await comeWithSid(alice)
  const other_sid = await comeWithSid(elsewhere)
  await own(by_password)
  const all = async () => [await isIn(alice), await isIn(elsewhere), await isIn(by_password)]
  t.equal((await tell(sign({ ...good(), sub: 'sub-of-bob', sid }))).status, 200)
  t.equal((await tell(sign({ ...good(), sub: 'nobody-here', sid }))).status, 200)
  t.equal((await tell(sign({ ...good(), sid: 'unknown' }))).status, 200)
  t.equal((await tell(sign({ ...good(), sub: undefined, sid: 'unknown' }))).status, 200)
  const issuer = 'https://elsewhere.example.org'
  await provide('other', { issuer })
  const same_sid = sign({ ...good(), iss: issuer, sub: undefined, sid })
  t.equal((await tell(same_sid, PATH.replace('acme', 'other'))).status, 200)
  t.strictSame(await all(), [true, true, true], 'of somebody else, of another session, of another issuer')

  const token = sign({ ...good(), sub: undefined, sid })
  t.equal((await tell(token)).status, 200)
  t.strictSame(await all(), [false, true, true])
  t.match(log.join(''), /"event":"sessions_ended","username":"alice","sid":"[^"]+","count":1/)
  t.match(await tell(token), { status: 400, json: { error: 'invalid_request' } }, 'it counts once')
  t.equal((await tell(sign({ ...good(), sid: other_sid }))).status, 200)
  t.strictSame(await all(), [false, false, true], 'of both')
})

t.test('a token that may have been used before a restore is refused', async (t) => {
  const { redmint, tell, sign, good } = await start(t)
  const now = Math.floor(redmint.now() / 1000)
  await writeRestoreMark(redmint.storage, now - 90)
  await redmint.keys.reload()
  const made = (iat: number) => tell(sign({ ...good(), iat }))
  t.match(await made(now - 40), { status: 400, json: { error: 'invalid_request' } }, 'a clock may be ahead')
  t.equal((await made(now)).status, 200)
})

t.test('a second step and a new proof here change nothing about where a session began', async (t) => {
  const { person, redmint, tell, sign, good, isIn, sidSaid } = await start(t)
  const { begun, key } = await beginTotp(redmint, 'alice')
  const now = redmint.now()
  t.equal(await confirmTotp(redmint, 'alice', begun, appCode(key, now - STEP * 1000)), 'confirmed')
  const alice = person()
  const asked = asPage(await comeBy(alice))
  const sid = sidSaid()
  asDeparture(await alice.here.submit(asked, { code: appCode(key, redmint.now()) }))
  const anew = await alice.here.page(requestUrl({ client_id: 'own', prompt: 'login' }))
  const asked_again = asPage(await signInOn(alice.here, anew, 'alice'))
  asDeparture(await alice.here.submit(asked_again, { code: appCode(key, redmint.now() + STEP * 1000) }))
  t.ok(await isIn(alice))
  t.equal((await tell(sign({ ...good(), sid }))).status, 200)
  t.notOk(await isIn(alice))
})

t.test('however many there are, all end that began before, and no list stays wrong', async (t) => {
  const { redmint, storage, tell, sign, good } = await start(t)
  const at = redmint.now()
  const key = { list: 'upstream-sessions', owner: upstreamSession({ issuer: UPSTREAM }, 's') } as const
  const add = (sid: string, started_at = at - 1000, upstream_session: string | undefined = key.owner) =>
    createSession(
      storage,
      sid.padEnd(43, 'x'),
      {
        ...{ sid, username: 'alice', sub: 'sub-of-alice', amr: 'fed', acr: '1', started_at },
        ...{ auth_time: Math.floor(started_at / 1000), ends_at: started_at + 7_200_000 },
        ...{ upstream_session, clients: new Set<string>(), families: new Map() },
      },
      36_000,
    )
  for (let i = 0; i < 120; i++) await add(`one-${i}`)
  await add('later', at + 60_000)
  await add('of-another', at - 1000, 'another')
  await storage.lists.remove(key, 'one-5'.padEnd(43, 'x'))
  await fitIndexes(storage, [sessionLists(storage)])
  await storage.lists.add({ ...key, id: 'gone', until: at + 60_000 })
  await storage.lists.add({ ...key, id: 'of-another'.padEnd(43, 'x'), until: at + 60_000 })
  t.equal((await tell(sign({ ...good(), sub: undefined, sid: 's' }))).status, 200)
  await until('it is done', async () => (await countEndings(storage)) === 0)
  const left = []
  for await (const { hash } of storage.records.scan(SESSION)) left.push(hash.sid)
  t.strictSame(new Set(left), new Set(['later', 'of-another']))
  t.strictSame(await storage.lists.count(key), 2)
})

t.test(
  'a session whose person came back by another account there is not of the first one any more',
  async (t) => {
    const { redmint, storage, tell, sign, good } = await start(t)
    const started_at = redmint.now() - 1000
    const userOf = (sub: string) => upstreamUser(upstreamLink({ issuer: UPSTREAM }, sub))
    const first = { list: 'upstream-sessions', owner: userOf('sub-of-alice') } as const
    for (const sub of ['sub-of-alice', 'sub-elsewhere']) {
      const id = sub.padEnd(43, 'x')
      const session = {
        ...{ sid: sub, username: 'alice', sub: 'sub-of-alice', amr: 'fed', acr: '1', started_at },
        ...{ auth_time: Math.floor(started_at / 1000), ends_at: started_at + 7_200_000 },
        ...{ upstream_user: userOf(sub), clients: new Set<string>(), families: new Map() },
      }
      await createSession(storage, id, session, 36_000)
      await storage.lists.add({ ...first, id, until: started_at + 7_200_000 })
    }
    t.equal((await tell(sign(good()))).status, 200)
    await until('it is done', async () => (await countEndings(storage)) === 0)
    const left = []
    for await (const { hash } of storage.records.scan(SESSION)) left.push(hash.sid)
    t.strictSame(left, ['sub-elsewhere'])
  },
)

t.test('what is no such token ends nothing', async (t) => {
  const { person, tell, sign, good, isIn, provide, redmint } = await start(t)
  const alice = person()
  await comeBy(alice)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const { kid } = redmint.keys.signingKey('RS256')
  const unsigned = (header: object) => `${encode({ typ: 'logout+jwt', kid, ...header })}.${encode(good())}.`
  const rows: [string, string][] = [
    ['nothing', ''],
    ['no JWT', 'a.b'],
    ['of another issuer', sign({ ...good(), iss: ISSUER })],
    ['for another client', sign({ ...good(), aud: 'other' })],
    ['without an event', sign({ ...good(), events: undefined })],
    ['with another event', sign({ ...good(), events: { 'urn:other': {} } })],
    ['an id_token', sign({ ...good(), nonce: 'n' })],
    ['an access token', sign(good(), 'at+jwt')],
    ['without a sub and without a sid', sign({ ...good(), sub: undefined })],
    ['with a sub that is no text', sign({ ...good(), sub: 1, sid: 's' })],
    ['with a sid that is no text', sign({ ...good(), sid: ['s'] })],
    ['with a sid that is empty', sign({ ...good(), sid: '' })],
    ['with a sid that is too long', sign({ ...good(), sid: 's'.repeat(1025) })],
    ['without a jti', sign({ ...good(), jti: undefined })],
    ['expired', sign({ ...good(), iat: 1, exp: 100 })],
    ['without an end', sign({ ...good(), exp: undefined })],
    ['for too long', sign({ ...good(), exp: good().exp + 86_400 })],
    [
      'of a key of its own',
      signJwt({ ...redmint.keys.signingKey('RS256'), privateKey: OTHER }, 'logout+jwt', good()),
    ],
    ['unsigned', unsigned({ alg: 'none' })],
    ['unsigned, with an algorithm', unsigned({ alg: 'RS256' })],
    ['with a MAC', `${unsigned({ alg: 'HS256' })}${'A'.repeat(43)}`],
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
