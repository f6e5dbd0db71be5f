// A security product ends everything of a person (draft-parecki-oauth-global-token-revocation).
import type { Test } from 'tap'
import t from 'tap'
import { countEndings } from '../../../../src/logout/endings-queue.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { forEachStorage, type Place } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { basic, bearer, CLIENTS, ISSUER, type TestOptions } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const PATH = '/oauth2/global-token-revocation'
const SCOPE = 'global_token_revocation'
const SIEM = { ...CLIENTS.service, client_id: 'siem', allowed_scopes: [SCOPE, 'api.read'] }
const byEmail = (email: string) => ({ format: 'email', email })
const bySub = (sub: string, iss = ISSUER) => ({ format: 'iss_sub', iss, sub })

async function start(t: Test, place?: Place, options: TestOptions = {}) {
  const of_place = place && { storage: place.open(t) }
  const desk = { ...CLIENTS.web, client_id: 'desk', allowed_scopes: ['openid', SCOPE], first_party: true }
  const service = await scene(t, {
    global_token_revocation: 'on',
    clients: [SIEM, desk],
    people: { alice: {}, bob: {} },
    ...of_place,
    ...options,
  })
  const tokenOf = async (client_id: string, scope: string) => {
    const { json } = await service.token({ grant_type: 'client_credentials', scope }, basic(client_id))
    return String(json.access_token)
  }
  const send = (token: string, payload: string, type = 'application/json') =>
    service.request({
      method: 'POST',
      url: PATH,
      headers: { ...(token !== '' && bearer(token)), 'content-type': type },
      payload,
    })
  const token = await tokenOf('siem', SCOPE)
  return {
    ...service,
    tokenOf,
    send,
    end: (sub_id: unknown, by = token) => send(by, JSON.stringify({ sub_id })),
    /** A browser that signed in at an application, and the tokens of that. */
    async signedIn(username: string, scope = 'openid offline_access') {
      const browser = service.visitor()
      const url = requestUrl({ client_id: 'own', scope })
      const { json } = await service.redeem(await service.signIn(username, undefined, url, browser))
      return { browser, access_token: String(json.access_token), refresh_token: String(json.refresh_token) }
    },
  }
}

forEachStorage('everything of a person ends at once, and nothing of others', async (t, place) => {
  const service = await start(t, place)
  const { signedIn, end, refresh, get, log } = service
  const [alice, elsewhere, bob] = [await signedIn('alice'), await signedIn('alice'), await signedIn('bob')]
  t.match(await end(bySub('sub-of-alice')), {
    status: 204,
    text: '',
    headers: { 'cache-control': 'no-store' },
  })
  for (const { browser, access_token, refresh_token } of [alice, elsewhere]) {
    t.equal((await get('/userinfo', bearer(access_token))).status, 401)
    t.match(await refresh(refresh_token), { status: 400, json: { error: 'invalid_grant' } })
    t.not((await browser.page('/account')).title, 'Your account')
  }
  t.equal((await get('/userinfo', bearer(bob.access_token))).status, 200)
  t.equal((await refresh(bob.refresh_token)).status, 200)
  t.equal((await bob.browser.page('/account')).title, 'Your account')
  t.match(log.join(''), /"event":"user_revoked","username":"alice","client_id":"siem"/)
  const again = await signedIn('alice')
  t.equal((await get('/userinfo', bearer(again.access_token))).status, 200, 'who signs in anew is in')
  await until('it is cleared away', async () => (await countEndings(service.storage)) === 0)
  t.equal((await get('/userinfo', bearer(again.access_token))).status, 200)
})

t.test('a person is named by sub, link or verified address, and is exactly one', async (t) => {
  const { end, setFields, happened } = await start(t)
  const PROVIDER = 'https://accounts.example.org'
  await setFields('alice', { linked_subjects: linkOf(PROVIDER, 'a-there'), email_verified: 'true' })
  await setFields('bob', { email: 'bob@example.com', email_verified: 'false' })
  await setFields('carol', { email: 'carol@example.com', email_verified: 'true', disabled: 'true' })
  let ended = 0
  const good = [
    bySub('sub-of-alice'),
    bySub('a-there', PROVIDER),
    { format: 'opaque', id: 'sub-of-alice' },
    byEmail('alice@example.com'),
    byEmail('Alice@EXAMPLE.com'),
  ]
  for (const sub_id of good) {
    t.equal((await end(sub_id)).status, 204, JSON.stringify(sub_id))
    t.equal(happened('user_revoked', 'alice'), ++ended)
  }
  t.equal((await end(byEmail('carol@example.com'))).status, 204, 'a disabled account, too')
  const none = [
    byEmail('bob@example.com'),
    byEmail('alice'),
    byEmail('nobody@example.com'),
    bySub('alice'),
    bySub('sub-of-alice', PROVIDER),
    bySub('a-there'),
    bySub('nobody'),
    { format: 'opaque', id: 'alice' },
  ]
  for (const sub_id of none)
    t.match(await end(sub_id), { status: 404, json: { error: 'invalid_request' } }, JSON.stringify(sub_id))
  await setFields('dave', { sub: 'sub-of-alice' })
  await setFields('erin', { email: 'alice@example.com', email_verified: 'true' })
  await setFields('bob', { linked_subjects: linkOf(PROVIDER, 'a-there') })
  for (const sub_id of good) t.equal((await end(sub_id)).status, 404, `several: ${JSON.stringify(sub_id)}`)
  t.equal(happened('user_revoked'), ended + 1)
})

t.test('a body that does not say who is meant ends nothing', async (t) => {
  const { send, tokenOf, happened } = await start(t)
  const token = await tokenOf('siem', SCOPE)
  const sub_id = JSON.stringify(bySub('sub-of-alice'))
  const rows = [
    '',
    'null',
    '[]',
    '{}',
    '{"sub_id":"sub-of-alice"}',
    '{"sub_id":[]}',
    '{"subject":{"format":"email","email":"alice@example.com"}}',
    `{"sub_id":${sub_id},"sub_id":${sub_id}}`,
    '{"sub_id":{"format":"iss_sub","sub":"sub-of-alice"}}',
    '{"sub_id":{"format":"iss_sub","iss":"https://auth.example.com","sub":["sub-of-alice"]}}',
    '{"sub_id":{"format":"account","uri":"acct:alice@example.com"}}',
    '{"sub_id":{"format":"__proto__"}}',
    `{"sub_id":{"format":"opaque","id":"${'x'.repeat(1025)}"}}`,
  ]
  for (const body of rows)
    t.match(await send(token, body), { status: 400, json: { error: 'invalid_request' } }, body)
  t.equal((await send(token, `{"sub_id":${sub_id}}`, 'text/plain')).status, 400)
  t.equal((await send(token, `{"sub_id":${sub_id}}`, 'application/x-www-form-urlencoded')).status, 400)
  t.equal((await send(token, ' '.repeat(9000))).status, 413)
  t.equal(happened('user_revoked'), 0)
})

t.test('only a token of a client for itself, with the scope, ends anything', async (t) => {
  const { end, send, tokenOf, token, visitor, signIn, storage, happened } = await start(t)
  const sub_id = bySub('sub-of-alice')
  t.match(await end(sub_id, ''), { status: 401, headers: { 'www-authenticate': /Bearer/ } })
  t.match(await end(sub_id, 'nonsense'), { status: 401, json: { error: 'invalid_token' } })
  t.match(await end(sub_id, await tokenOf('siem', 'api.read')), {
    status: 403,
    json: { error: 'insufficient_scope' },
  })
  t.equal((await send(await tokenOf('siem', 'api.read'), '{')).status, 403, 'nothing is read before')
  const url = requestUrl({ client_id: 'desk', scope: `openid ${SCOPE}` })
  const gone = await signIn('alice', undefined, url, visitor())
  t.ok('told' in gone)
  const code = 'told' in gone ? String(gone.told.get('code')) : ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: CLIENTS.web.redirect_uris[0] ?? '' }
  const { json } = await token(
    { ...form, code_verifier: 'a-code-verifier-of-forty-three-characters-or-more' },
    basic('desk'),
  )
  t.match(json.scope, SCOPE)
  t.match(await end(sub_id, String(json.access_token)), {
    status: 403,
    json: { error: 'insufficient_scope' },
  })
  const revoked = await tokenOf('siem', SCOPE)
  await changeClient(storage, 'siem', { set: { disabled: 'true' } })
  t.equal((await end(sub_id, revoked)).status, 401, 'a client that is disabled')
  t.equal(happened('user_revoked'), 0)
})

t.test('a JWT of a client that is disabled ends nothing: storage is asked each time', async (t) => {
  const { end, tokenOf, storage, happened } = await start(t, undefined, { access_token_format: 'jwt' })
  const jwt = await tokenOf('siem', SCOPE)
  t.equal(jwt.split('.').length, 3)
  await changeClient(storage, 'siem', { set: { disabled: 'true' } })
  t.equal((await end(bySub('sub-of-alice'), jwt)).status, 401)
  t.equal(happened('user_revoked'), 0)
})

t.test('whoever has the name of the person by then keeps everything', async (t) => {
  const { end, storage, setFields, user, happened } = await start(t)
  const { records } = storage
  const { change } = records
  records.change = async (...given: Parameters<typeof change>) => {
    records.change = change
    await setFields('alice', { sub: 'sub-of-another' })
    return change.apply(records, given)
  }
  t.equal((await end(bySub('sub-of-alice'))).status, 404)
  t.equal((await user())?.sessions_end_before, undefined)
  t.equal(happened('user_revoked'), 0)
})

t.test('off, there is no endpoint and no metadata', async (t) => {
  const off = await start(t, undefined, { global_token_revocation: 'off' })
  t.equal((await off.end(bySub('sub-of-alice'))).status, 404)
  const metadata = async ({ get }: Pick<typeof off, 'get'>) =>
    (await get('/.well-known/oauth-authorization-server')).json
  t.notOk(JSON.stringify(await metadata(off)).includes('global_token_revocation'))
  t.match(await metadata(await start(t)), {
    global_token_revocation_endpoint: ISSUER + PATH,
    global_token_revocation_endpoint_auth_methods_supported: ['Bearer', 'DPoP'],
  })
})

t.test('both marks are one step, whatever the person has', async (t) => {
  const { end, storage, user } = await start(t)
  let changes = 0
  const { change } = storage.records
  storage.records.change = (...given: Parameters<typeof change>) => {
    changes += 1
    return change.apply(storage.records, given)
  }
  t.equal((await end(bySub('sub-of-alice'))).status, 204)
  t.equal(changes, 1)
  const { sessions_end_before, grants_end_before, generation } = (await user()) ?? {}
  t.ok(sessions_end_before)
  t.equal(sessions_end_before, grants_end_before)
  t.ok(generation, 'what was about to be added to the account is not')
})
