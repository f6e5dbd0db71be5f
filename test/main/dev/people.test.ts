import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { CIBA_GRANT } from '../../support/asks.ts'
import { BATCH_SECRET, postForm, SEED, SHOP, SHOP_CALLBACK, startDev, TV } from '../../support/dev.ts'
import { basic } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const VERIFIER = 'a-code-verifier-of-forty-three-characters-or-more'

const authorizePath = (scope: string) =>
  `/oauth2/authorize?${new URLSearchParams({
    ...{
      response_type: 'code',
      client_id: SHOP,
      redirect_uri: SHOP_CALLBACK,
      scope,
      state: 's-1',
      prompt: 'none',
    },
    ...{ code_challenge: s256Challenge(VERIFIER), code_challenge_method: 'S256' },
  })}`

t.test('a sign-in and a consent without pages: the browser goes straight to the application', async (t) => {
  const redmint = await startDev(t)
  const cookies = await redmint.signIn('alice')
  t.match(cookies, [
    {
      name: 'redmint-browser',
      domain: 'localhost',
      path: '/',
      httpOnly: true,
      secure: false,
      sameSite: 'Lax',
    },
    {
      name: 'redmint-session',
      domain: 'localhost',
      path: '/',
      httpOnly: true,
      secure: false,
      sameSite: 'Lax',
    },
  ])
  const authorize = async (scope: string) => {
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const answer = await fetch(redmint.issuer + authorizePath(scope), {
      headers: { cookie },
      redirect: 'manual',
    })
    return new URL(answer.headers.get('location') ?? 'none:').searchParams
  }
  t.equal((await authorize('openid')).get('error'), 'consent_required')
  t.same(await redmint.consent({ user: 'alice', client: SHOP, scope: 'openid' }), { scope: 'openid' })
  const code = (await authorize('openid')).get('code') ?? ''
  const redeemed = await postForm(redmint, '/oauth2/token', {
    ...{ grant_type: 'authorization_code', client_id: SHOP, redirect_uri: SHOP_CALLBACK, code },
    code_verifier: VERIFIER,
  })
  t.equal(redeemed.status, 200)
  t.equal((await authorize('openid profile')).get('error'), 'consent_required', 'only what was allowed')
  t.match(await redmint.consent({ user: 'alice', client: SHOP }), { scope: /^openid profile/ })
  t.ok((await authorize('openid profile')).has('code'))
})

t.test('a device gets its answer', async (t) => {
  const redmint = await startDev(t)
  const ask = async () => {
    const asked = await postForm(redmint, '/oauth2/device_authorization', {
      client_id: TV,
      scope: 'openid orders.read',
    })
    return (await asked.json()) as { device_code: string; user_code: string }
  }
  const poll = async (device_code: string) => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const answer = await postForm(redmint, '/oauth2/token', { grant_type, client_id: TV, device_code })
    return (await answer.json()) as Readonly<Record<string, unknown>>
  }
  const allowed = await ask()
  t.same(await redmint.device(allowed.user_code.toLowerCase(), 'allow', 'alice'), {
    client: TV,
    scope: 'openid orders.read',
  })
  await t.rejects(redmint.device(allowed.user_code, 'deny', 'alice'), { message: /has its answer already/ })
  t.match(await poll(allowed.device_code), { access_token: String, id_token: String })
  const denied = await ask()
  t.match(await redmint.device(denied.user_code, 'deny', 'alice'), { scope: '' })
  t.match(await poll(denied.device_code), { error: 'access_denied' })
})

t.test('a question gets its answer, and its client is told', async (t) => {
  const pings: string[] = []
  const listener = createServer((request, response) => {
    pings.push(String(request.headers.authorization))
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => listener.close())
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const bank = {
    ...{ client_id: 'bank', client_secret: BATCH_SECRET, redirect_uris: [], is_public: false },
    ...{ allowed_scopes: ['openid', 'orders.read'], grant_types: [CIBA_GRANT], asks_people: true },
    ...{ backchannel_client_notification_endpoint: `http://127.0.0.1:${port}/ping` },
  }
  const seed = { ...SEED, clients: [...SEED.clients, bank] }
  const redmint = await startDev(t, { seed, settings: { ask_people: 'on' } })
  await redmint.token({ user: 'alice', client: 'bank' })
  const own = basic('bank', BATCH_SECRET)
  const ask = async (more = {}) => {
    const form = {
      scope: 'openid orders.read',
      login_hint: 'alice',
      client_notification_token: 'n'.repeat(30),
    }
    const asked = await postForm(redmint, '/oauth2/bc-authorize', { ...form, ...more }, own)
    return ((await asked.json()) as { auth_req_id: string }).auth_req_id
  }
  const poll = async (auth_req_id: string) => {
    const answer = await postForm(redmint, '/oauth2/token', { grant_type: CIBA_GRANT, auth_req_id }, own)
    return (await answer.json()) as Readonly<Record<string, unknown>>
  }
  const allowed = await ask()
  t.same(await redmint.ask('bank', 'allow', 'alice'), { client: 'bank', scope: 'openid orders.read' })
  t.match(await poll(allowed), { access_token: String, id_token: String })
  await until('the client was told', () => pings.length === 1)
  t.equal(pings[0], `Bearer ${'n'.repeat(30)}`)
  await t.rejects(redmint.ask('bank', 'deny', 'alice'), { message: /Nothing of bank waits for alice/ })
  const denied = await ask({ binding_message: 'once more' })
  t.match(await redmint.ask('bank', 'deny', 'alice'), { scope: '' })
  t.match(await poll(denied), { error: 'access_denied' })
})

t.test('mails are read, and their links followed', async (t) => {
  const redmint = await startDev(t)
  t.same(await redmint.mails(), [])
  await t.rejects(redmint.mails({ at_least: 1, within: 0 }), {
    message: /There are 0 mails after 0 s, and not 1/,
  })
  await postForm(redmint, '/forgot-password', { username: 'alice' }, { origin: redmint.issuer })
  const [mail, ...more] = await redmint.mails({ to: 'alice@example.com', at_least: 1 })
  t.same(more, [])
  const [link = ''] = mail?.links ?? []
  t.ok(link.startsWith(`${redmint.issuer}/reset-password`), link)
  t.equal((await fetch(link, { redirect: 'manual' })).status, 303, 'the link is kept in a cookie')
  await redmint.reset()
  t.same(await redmint.mails(), [])
  t.same(await redmint.mails({ to: 'bob@example.com' }), [])
})
