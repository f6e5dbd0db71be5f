// End to end: a user signs out, and relying parties on loopback get tokens, which another library verifies.

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../../src/clients/record/client-record.ts'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { MAX_FAMILIES } from '../../../../src/sessions/join-session.ts'
import { claimLogouts } from '../../../../src/sessions/logout-queue.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { LEAVABLE, type LeavableName, logoutUrl, startWithLeavers } from '../../../support/logout/leavers.ts'
import { claimsOf, startRelyingParty, status, tokenIn } from '../../../support/logout/relying-party.ts'
import { onRedis, spyOn } from '../../../support/matrix.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import type { TestOptions } from '../../../support/service.ts'
import { bearer, ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** A service whose clients receive logout tokens. */
async function startListening(
  t: Test,
  fields: Partial<Record<LeavableName, Partial<ClientDefinition>>>,
  options: TestOptions = {},
) {
  const people = await startWithLeavers(t, { backchannel_allow_private: true, ...options })
  for (const [client_id, changed] of Object.entries(fields)) {
    const client = { ...LEAVABLE[client_id as LeavableName], ...changed }
    await changeClient(people.storage, client_id, { set: formatClient(client), unset: [] })
  }
  return people
}

t.test('each client of the session gets a logout token of its own', async (t) => {
  const mail = await startRelyingParty(t)
  const masked = await startRelyingParty(t, status(204))
  const news = await startRelyingParty(t)
  const people = await startListening(t, {
    mail: { backchannel_logout_uri: mail.uri, id_token_signed_response_alg: 'ES256' },
    masked: { backchannel_logout_uri: masked.uri },
    news: { backchannel_logout_uri: news.uri },
  })
  const visitor = people.visitor()
  const tokens = await people.signIn(visitor)
  const { id_token: maskedToken } = await people.signIn(visitor, 'masked')
  await people.signIn(people.visitor(), 'news')
  await visitor.open(logoutUrl({ id_token_hint: tokens.id_token }))
  await until('both were told', () => mail.posted.length + masked.posted.length === 2)

  const jwks = createLocalJWKSet(
    (await people.get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet,
  )
  const verify = (token: string, audience: string) =>
    jwtVerify(token, jwks, { issuer: ISSUER, audience, typ: 'logout+jwt' })
  const [request] = mail.posted
  if (request === undefined) throw new Error('nobody posted')
  t.strictSame([...new URLSearchParams(request.body).keys()], ['logout_token'])
  t.equal(request.headers['content-type'], 'application/x-www-form-urlencoded')
  const { payload, protectedHeader } = await verify(tokenIn(request), 'mail')
  t.equal(protectedHeader.alg, 'ES256')
  const { iat = 0, jti, ...claims } = payload
  const { sid, sub } = claimsOf(tokens.id_token)
  t.strictSame(claims, { iss: ISSUER, aud: 'mail', sub, sid, exp: iat + 120, events: { [EVENT]: {} } })
  t.equal(sub, 'sub-of-alice')
  t.match(jti, /^[\w-]{22}$/)

  const other = await verify(tokenIn(masked.posted[0]), 'masked')
  t.equal(other.protectedHeader.alg, 'RS256')
  t.equal(other.payload.sub, claimsOf(maskedToken).sub)
  t.not(other.payload.sub, sub)
  t.equal(other.payload.sid, claimsOf(maskedToken).sid)
  t.not(other.payload.sid, sid, 'a pairwise client knows the session by a sid of its sector')
  t.not(other.payload.jti, jti)
  t.equal(news.posted.length, 0, 'the client of another session hears nothing')
})

t.test('a logout token is signed with the algorithm of the client, and gives no access', async (t) => {
  for (const alg of SIGNING_ALGS) {
    const mail = await startRelyingParty(t)
    const people = await startListening(t, {
      mail: { backchannel_logout_uri: mail.uri, id_token_signed_response_alg: alg },
    })
    const visitor = people.visitor()
    const { id_token } = await people.signIn(visitor)
    await visitor.open(logoutUrl({ id_token_hint: id_token }))
    await until('it was told', () => mail.posted.length === 1)
    const token = tokenIn(mail.posted[0])
    t.equal(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).alg, alg)
    const bearer = { authorization: `Bearer ${token}` }
    t.equal((await people.get('/userinfo', bearer)).status, 401)
    t.equal((await people.get('/api/resource', bearer)).status, 401)
    await people.signIn(visitor, 'news')
    const found = await visitor.open(logoutUrl({ id_token_hint: token }))
    t.notOk('location' in found)
    t.equal(await people.isSignedIn(visitor), true, 'nor is it a hint')
  }
})

t.test('logout_ends_tokens ends tokens with the session, except for offline access', async (t) => {
  const people = await startListening(t, { mail: { logout_ends_tokens: true } })
  const visitor = people.visitor()
  const kept = await people.signIn(visitor, 'news')
  const ended = await people.signIn(visitor)
  const offline = await people.signIn(visitor, 'mail', 'alice', 'openid offline_access')
  const isGood = async ({ access_token }: { access_token: string }) =>
    (await people.get('/userinfo', { authorization: `Bearer ${access_token}` })).status === 200
  for (const tokens of [kept, ended, offline]) t.equal(await isGood(tokens), true)
  await visitor.open(logoutUrl({ id_token_hint: ended.id_token }))
  t.equal(await isGood(kept), true)
  t.equal(await isGood(ended), false)
  t.equal(await isGood(offline), true)
  const { status } = await people.token({
    grant_type: 'refresh_token',
    client_id: 'mail',
    refresh_token: ended.refresh_token,
  })
  t.equal(status, 400)
})

t.test('of a client with logout_ends_tokens, the oldest of many sign-ins of a session ends', async (t) => {
  const people = await startListening(t, { mail: { logout_ends_tokens: true } })
  const visitor = people.visitor()
  const tokens = [await people.signIn(visitor)]
  for (let i = 0; i < MAX_FAMILIES; i++) tokens.push(await people.goOn(visitor))
  const good = await Promise.all(
    tokens.map(async ({ access_token }) => (await people.get('/userinfo', bearer(access_token))).status),
  )
  t.strictSame(good, [401, ...tokens.slice(1).map(() => 200)])
  await visitor.open(logoutUrl({ id_token_hint: tokens.at(-1)?.id_token }))
  const after = await Promise.all(
    tokens.map(async ({ access_token }) => (await people.get('/userinfo', bearer(access_token))).status),
  )
  t.strictSame(new Set(after), new Set([401]))
})

t.test('the sign-in of another user ends the session', async (t) => {
  const mail = await startRelyingParty(t)
  const people = await startListening(t, { mail: { backchannel_logout_uri: mail.uri } })
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  await signInOn(visitor, await visitor.page(requestUrl({ prompt: 'login' })), 'bob')
  await until('it was told', () => mail.posted.length === 1)
  t.equal(claimsOf(tokenIn(mail.posted[0])).sid, claimsOf(id_token).sid)
})

t.test('a notice is sent again until the client accepts it, and the user does not wait', async (t) => {
  const mail = await startRelyingParty(t, status(500), status(302, { location: '/' }), status(200))
  const backchannel = { timing: { poll: 0.02, first_delay: 0, longest_delay: 0 } }
  const people = await startListening(t, { mail: { backchannel_logout_uri: mail.uri } }, { backchannel })
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  await visitor.open(logoutUrl({ id_token_hint: id_token }))
  await until('it listened', () => mail.posted.length === 3)
  await people.fastify.close()
  t.equal(mail.posted.length, 3)
  const tokens = mail.posted.map(tokenIn)
  t.equal(new Set(tokens.map((token) => claimsOf(token).jti)).size, 3)
  const log = people.log.join('')
  t.match(log, '"client_id":"mail","status":500')
  t.match(log, '"client_id":"mail","status":302')
  t.strictSame(
    [...tokens, 'tenant=x'].filter((text) => log.includes(text)),
    [],
    'no token and no query in the log',
  )
})

t.test('private addresses are refused by default, by any name', async (t) => {
  const mail = await startRelyingParty(t)
  const news = await startRelyingParty(t)
  const asked: string[] = []
  const backchannel = {
    timing: { poll: 86_400 },
    lookup: (
      host: string,
      _options: unknown,
      answer: (error: null, found: { address: string; family: number }[]) => void,
    ) => {
      asked.push(host)
      answer(null, [{ address: '127.0.0.1', family: 4 }])
    },
  } as NonNullable<TestOptions['backchannel']>
  const people = await startListening(
    t,
    {
      mail: { backchannel_logout_uri: mail.uri },
      news: { backchannel_logout_uri: `https://public.example.com:${news.port}/` },
    },
    { backchannel_allow_private: false, backchannel },
  )
  const visitor = people.visitor()
  await people.signIn(visitor, 'news')
  const { id_token } = await people.signIn(visitor)
  await visitor.open(logoutUrl({ id_token_hint: id_token }))
  const refused = () => people.log.filter((line) => line.includes('"status":"ENOTPUBLIC"')).length
  await until('both were refused', () => refused() === 2)
  t.strictSame(asked, ['public.example.com'])
  t.equal(mail.posted.length + news.posted.length, 0)
})

onRedis(t, 'what a replica queued and did not live to send, another one sends', async (t, place) => {
  const mail = await startRelyingParty(t)
  const never = { timing: { poll: 86_400, concurrency: 0 } }
  const dying = await startListening(
    t,
    { mail: { backchannel_logout_uri: mail.uri } },
    { storage: place.storage, backchannel: never },
  )
  const visitor = dying.visitor()
  const { id_token } = await dying.signIn(visitor)
  await visitor.open(logoutUrl({ id_token_hint: id_token }))
  await dying.fastify.close()
  t.equal(mail.posted.length, 0)
  const claimed = await claimLogouts({ queue: place.storage.queue, log: SILENT }, 10, 0.3)
  t.equal(claimed.length, 1, 'it had it in hand')
  await startListening(t, {}, { storage: place.storage, backchannel: { timing: { poll: 0.05 } } })
  await until('the other one sent it', () => mail.posted.length === 1)
  t.equal(claimsOf(tokenIn(mail.posted[0])).sid, claimsOf(id_token).sid)
})

t.test('the service closes after the notices that are being sent have arrived', async (t) => {
  let answer = () => {}
  const mail = await startRelyingParty(t, (response) => {
    answer = () => void response.writeHead(200).end()
  })
  const spy = spyOn(new MemoryStorage())
  const people = await startListening(
    t,
    { mail: { backchannel_logout_uri: mail.uri } },
    { storage: spy.storage },
  )
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  await visitor.open(logoutUrl({ id_token_hint: id_token }))
  await until('it is on its way', () => mail.posted.length === 1)
  let closed = false
  const closing = people.fastify.close().then(() => {
    closed = true
  })
  // Far more turns than closing takes if it waits for nothing.
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate)
  t.equal(closed, false)
  t.notOk(spy.calls.includes('finish'))
  answer()
  await closing
  t.ok(spy.calls.includes('finish'))
})
