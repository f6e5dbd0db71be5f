import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { type Redmint, startRedmint } from '../../../exports/testing.ts'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import { listenOnLoopback } from '../../support/dev/listen.ts'
import { clientToken, refresh, SEED, SHOP, startDev, userinfo } from '../../support/dev.ts'
import { until } from '../../support/until.ts'

const jwks = async ({ issuer }: Redmint) => {
  const answer = await fetch(`${issuer}/.well-known/jwks.json`)
  return { status: answer.status, kids: answer.ok ? await kidsIn(answer) : [] }
}
const kidsIn = async (answer: Response) =>
  ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)

t.test('a fault happens to so many requests at its endpoint', async (t) => {
  const redmint = await startDev(t)
  await redmint.fault('token', 'status', 2)
  await redmint.fault('token', 'status', 1, { status: 429, error: 'slow_down' })
  t.equal((await jwks(redmint)).status, 200, 'not elsewhere')
  const statuses = [await clientToken(redmint), await clientToken(redmint), await clientToken(redmint)]
  t.same(
    statuses.map(({ status }) => status),
    [503, 503, 429],
  )
  t.match(await statuses[2]?.json(), { error: 'slow_down' })
  t.ok(
    statuses[0]?.headers.has('access-control-allow-origin'),
    'scripts of a page can read it, as any answer there',
  )
  t.equal((await clientToken(redmint)).status, 200)
  await redmint.fault('discovery', 'status')
  t.equal((await fetch(`${redmint.issuer}/.well-known/oauth-authorization-server`)).status, 503)
  t.equal((await fetch(`${redmint.issuer}/.well-known/openid-configuration`)).status, 200)
  await redmint.fault('token', 'status')
  const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' }
  t.equal(
    (await fetch(`${redmint.issuer}/oauth2/token`, { method: 'OPTIONS', headers: preflight })).status,
    204,
  )
  t.equal((await clientToken(redmint)).status, 503, 'a preflight is no request of its own')
  await redmint.fault('token', 'cut', 5)
  await redmint.reset()
  t.equal((await clientToken(redmint)).status, 200, 'a reset forgets faults')
})

t.test('connections and answers that are lost', async (t) => {
  const redmint = await startDev(t)
  const { refresh_token } = await redmint.token({ client: SHOP, user: 'alice' })
  await redmint.fault('token', 'cut')
  await redmint.fault('token', 'lost_answer')
  await t.rejects(refresh(redmint, refresh_token), 'no answer')
  await t.rejects(refresh(redmint, refresh_token), 'no answer')
  const again = await refresh(redmint, refresh_token)
  t.equal(again.status, 200, 'the same answer again inside the retry window')
  const [cut, lost, last] = (await redmint.log()).filter(({ endpoint }) => endpoint === 'token')
  t.match(cut, { decided: 'waits', fault: 'cut', issued: undefined }, 'nothing was done')
  t.match(lost, {
    decided: 'answered',
    fault: 'lost_answer',
    issued: ['access_token', 'id_token', 'refresh_token'],
  })
  t.match(last, { decided: 'answered', fault: undefined, client_id: SHOP })
  await redmint.fault('token', 'slow', 1, { ms: 1 })
  t.equal((await clientToken(redmint)).status, 200)
})

t.test('a slow answer does not keep the server from closing', async (t) => {
  const redmint = await startRedmint()
  await redmint.fault('jwks', 'slow')
  const slow = fetch(`${redmint.issuer}/.well-known/jwks.json`)
  while ((await redmint.log()).length === 0) await new Promise(setImmediate)
  await redmint.close()
  t.equal((await slow).status, 200, 'it is answered at once')
})

t.test('keys that rotate, are unknown, or are not there', async (t) => {
  const redmint = await startDev(t)
  const kidOf = (jwt = '') => String(decodeJwt(jwt)?.header.kid)
  const before = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  await redmint.fault('jwks', 'rotate_keys')
  const { kids } = await jwks(redmint)
  const after = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  t.not(kidOf(after.access_token), kidOf(before.access_token))
  t.not(kidOf(after.id_token), kidOf(before.id_token))
  for (const { access_token, id_token } of [before, after]) {
    t.ok(kids.includes(kidOf(access_token)))
    t.ok(kids.includes(kidOf(id_token)))
    t.equal((await userinfo(redmint, access_token)).status, 200, 'tokens of before stay')
  }
  await redmint.fault('jwks', 'unknown_kid')
  const unknown = await jwks(redmint)
  t.equal(unknown.kids.length, kids.length)
  t.notOk(unknown.kids.some((kid) => kids.includes(kid)))
  await redmint.fault('jwks', 'jwks_404')
  t.equal((await jwks(redmint)).status, 404)
  t.same((await jwks(redmint)).kids, kids)
})

t.test('answers of the token endpoint with tokens that have a fault', async (t) => {
  const redmint = await startDev(t)
  const { refresh_token } = await redmint.token({ client: SHOP, user: 'alice' })
  await redmint.fault('token', 'wrong_iss')
  const answer = await refresh(redmint, refresh_token)
  t.equal(answer.status, 200)
  const tokens = (await answer.json()) as { id_token: string; refresh_token: string }
  t.equal(decodeJwt(tokens.id_token)?.claims.iss, 'https://other-issuer.example.com')
  const good = (await (await refresh(redmint, tokens.refresh_token)).json()) as { id_token: string }
  t.equal(decodeJwt(good.id_token)?.claims.iss, redmint.issuer)
})

t.test('a nonce that is required, and a refresh token that somebody used', async (t) => {
  const redmint = await startDev(t)
  await redmint.fault('token', 'nonce_required')
  const asked = await clientToken(redmint)
  t.equal(asked.status, 400)
  t.ok(asked.headers.has('dpop-nonce'))
  t.match(await asked.json(), { error: 'use_dpop_nonce' })
  const { access_token, refresh_token } = await redmint.token({ client: SHOP, user: 'alice' })
  await redmint.fault('userinfo', 'nonce_required')
  const refused = await userinfo(redmint, access_token)
  t.equal(refused.status, 401)
  t.match(refused.headers.get('www-authenticate'), /use_dpop_nonce/)
  t.ok(refused.headers.has('dpop-nonce'))
  await redmint.fault('token', 'refresh_reused')
  const reused = await refresh(redmint, refresh_token)
  t.equal(reused.status, 400)
  t.match(await reused.json(), { error: 'invalid_grant' })
  t.equal((await userinfo(redmint, access_token)).status, 401, 'all of the sign-in ended')
  const last = (await redmint.log()).find(({ fault }) => fault === 'refresh_reused')
  t.match(last, { refused: { reason: 'refresh_token_spent' }, events: ['refresh_token_reused'] })
})

t.test('a person who signs out elsewhere while the answer is on its way', async (t) => {
  const redmint = await startDev(t)
  for (const format of ['opaque', 'jwt'] as const) {
    const wanted = { client: SHOP, user: 'alice', scope: 'openid', format } as const
    const { access_token } = await redmint.token(wanted)
    await redmint.fault('userinfo', 'logout_notice')
    t.equal((await userinfo(redmint, access_token)).status, 200)
    t.equal((await userinfo(redmint, access_token)).status, 401, format)
  }
})

t.test('a client on this machine is told of it by a logout token, once for each session', async (t) => {
  const received: { path: string; form: URLSearchParams }[] = []
  const client = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', form: new URLSearchParams(await text(request)) })
    response.end()
  })
  const origin = await listenOnLoopback(client)
  t.teardown(() => client.close())
  const [shop, ...others] = SEED.clients
  const told = { ...shop, backchannel_logout_uri: `${origin}/backchannel-logout` }
  const redmint = await startDev(t, { seed: { ...SEED, clients: [told, ...others] } })
  const { access_token, id_token = '' } = await redmint.token({ client: SHOP, user: 'alice' })
  await redmint.fault('userinfo', 'logout_notice')
  t.equal((await userinfo(redmint, access_token)).status, 200)
  await until('the client is told', () => received.length > 0)
  t.equal(received.length, 1)
  t.equal(received[0]?.path, '/backchannel-logout')
  const { sub, sid } = decodeJwt(id_token)?.claims ?? {}
  t.match(decodeJwt(received[0]?.form.get('logout_token') ?? ''), {
    header: { typ: 'logout+jwt' },
    claims: {
      ...{ iss: redmint.issuer, aud: SHOP, sub, sid },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
  })
})
