// A client asks a person who is not there (OpenID Connect CIBA Core).
import { decodeJwt } from 'jose'
import t from 'tap'
import {
  answerFirst,
  asker,
  BANK,
  CIBA_GRANT,
  openFirst,
  startWithAsks,
  waitingFor,
} from '../../../support/asks.ts'
import { changeClient } from '../../../support/records.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { basic, bearer, CLIENTS } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

t.test('a person answers, and the client gets tokens once', async (t) => {
  const { ask, poll, alice, happened, get } = await startWithAsks(t)
  const { status, json } = await ask({ binding_message: 'Order 4711', scope: 'openid offline_access' })
  t.match({ status, json }, { status: 200, json: { auth_req_id: String, expires_in: 300, interval: 5 } })
  const id = String(json.auth_req_id)
  t.match(await poll(id), { status: 400, json: { error: 'authorization_pending' } })
  t.match(await poll(id), { status: 400, json: { error: 'slow_down' } })
  const page = await openFirst(alice)
  t.match(page.text, 'Corner Bank')
  t.match(page.text, 'Order 4711')
  const done = asPage(await alice.submit(page, { decision: 'allow' }))
  t.match(done.title, 'You said yes')
  const got = await poll(id)
  t.match(got, { status: 200, json: { scope: 'openid offline_access', refresh_token: String } })
  t.match(decodeJwt(String(got.json.id_token)), { sub: 'sub-of-alice', aud: 'bank' })
  const who = () => get('/userinfo', bearer(String(got.json.access_token)))
  t.match(await who(), { status: 200, json: { sub: 'sub-of-alice' } })
  t.strictSame(await waitingFor(alice), [], 'it does not wait any more')
  t.match(await poll(id), { status: 400, json: { error: 'invalid_grant' } }, 'once')
  t.match(await who(), { status: 401 }, 'a replay ends it')
  t.strictSame([happened('person_asked'), happened('ask_allowed')], [1, 1])
})

t.test('a person says no', async (t) => {
  const { id, poll, alice, happened } = await startWithAsks(t)
  const asked = await id()
  t.match((await answerFirst(alice, 'deny')).title, 'You said no')
  t.match(await poll(asked), { status: 400, json: { error: 'access_denied' } })
  t.equal(happened('ask_denied'), 1)
})

t.test('a question that nobody answers ends', async (t) => {
  const { id, poll, pass, alice } = await startWithAsks(t)
  const asked = await id({ requested_expiry: '30' })
  pass(31)
  t.match(await poll(asked), { status: 400, json: { error: 'expired_token' } })
  t.strictSame(await waitingFor(alice), [])
})

t.test('C3: a public client, and one that may not ask, are refused', async (t) => {
  const { post, storage, ask } = await startWithAsks(t, {
    clients: [{ ...CLIENTS.app, client_id: 'spa', grant_types: [CIBA_GRANT], asks_people: true }],
  })
  const form = { client_id: 'spa', scope: 'openid', login_hint: 'alice' }
  t.match(await post('/oauth2/bc-authorize', form), { status: 400, json: { error: 'unauthorized_client' } })
  await changeClient(storage, 'bank', { set: { asks_people: 'false' } })
  t.match(await ask(), { status: 400, json: { error: 'unauthorized_client' } })
  await changeClient(storage, 'bank', { set: { asks_people: 'true', grant_types: 'authorization_code' } })
  t.match(await ask(), { status: 400, json: { error: 'unauthorized_client' } })
  t.match(await ask({}, basic('bank', 'a-wrong-secret')), { status: 401, json: { error: 'invalid_client' } })
})

t.test('C1: the person is whom the hint names, whatever else is sent', async (t) => {
  const { id, alice, visitor, redmint, storage } = await startWithAsks(t)
  await id({ sub: 'sub-of-bob', username: 'bob', user: 'bob', subject: 'sub-of-bob' })
  t.equal((await waitingFor(alice)).length, 1)
  const bob = visitor()
  await signInOn(bob, await bob.page('/account'), 'bob')
  t.strictSame(await waitingFor(bob), [])
  t.ok(redmint && storage)
})

t.test('a request names exactly one person', async (t) => {
  const { ask, poll, id, alice } = await startWithAsks(t)
  const wrong = { status: 400, json: { error: 'invalid_request' } }
  t.match(await ask({ login_hint: undefined }), wrong)
  t.match(await ask({ id_token_hint: 'x' }), wrong, 'two hints')
  t.match(await ask({ login_hint: undefined, id_token_hint: 'x' }), wrong)
  t.match(await ask({ login_hint: undefined, login_hint_token: 'x' }), wrong)
  const asked = await id({ login_hint: 'sub-of-alice' })
  await answerFirst(alice)
  const { json } = await poll(asked)
  const hinted = await id({ login_hint: undefined, id_token_hint: String(json.id_token) })
  await answerFirst(alice)
  t.match(await poll(hinted), { status: 200 })
})

t.test(
  'an id_token names a person to the client that it was issued to, and by no pairwise subject',
  async (t) => {
    const shark = { ...BANK, client_id: 'shark', client_name: 'Loan Shark' }
    const pairwise_salt = 'planted-word-of-16'
    const service = await startWithAsks(t, { clients: [shark], pairwise_salt })
    const { id, ask, poll, alice, storage } = service
    const asked = await id()
    await answerFirst(alice)
    const { json } = await poll(asked)
    const hint = { login_hint: undefined, id_token_hint: String(json.id_token) }
    const wrong = { status: 400, json: { error: 'invalid_request' } }
    t.match(await asker(service, 'shark').ask(hint), wrong)
    t.match(await ask(hint), { status: 200 })
    await changeClient(storage, 'bank', { set: { subject_type: 'pairwise' } })
    t.match(await ask(hint), wrong)
  },
)

t.test('C11: a message is a short text of a closed alphabet', async (t) => {
  const { ask } = await startWithAsks(t)
  const refused = [
    'x'.repeat(65),
    'Support: press Yes!',
    'see evil.example',
    'https://evil',
    'pay \u202E100',
    'раy 100',
    'two\u2028lines',
    '<b>yes</b>',
  ]
  for (const [i, binding_message] of refused.entries())
    t.match(
      await ask({ binding_message }),
      { status: 400, json: { error: /invalid_(binding_message|request)/ } },
      `the message ${i}`,
    )
  t.match(await ask({ binding_message: 'Zahlung 4.50 €, Nr. 17/A: Käse' }), { status: 200 })
})

t.test('parameters of another form are refused', async (t) => {
  const { ask } = await startWithAsks(t)
  for (const form of [
    { requested_expiry: '0' },
    { requested_expiry: '-1' },
    { requested_expiry: '1e3' },
    { scope: undefined },
    { acr_values: 'urn:nobody:has:it' },
  ])
    t.match(await ask(form), { status: 400 }, JSON.stringify(form))
  t.match(await ask({ scope: 'admin' }), { status: 400, json: { error: 'invalid_scope' } })
  t.match(await ask({ requested_expiry: '6000' }), { status: 200, json: { expires_in: 600 } })
})

t.test('C8: the auth_req_id of another client is refused, and not spent', async (t) => {
  const other = { ...BANK, client_id: 'shark', client_name: 'Loan Shark' }
  const { id, poll, alice, post, token } = await startWithAsks(t, { clients: [other] })
  const asked = await id()
  await answerFirst(alice)
  const shark = asker({ post, token }, 'shark')
  t.match(await shark.poll(asked), { status: 400, json: { error: 'invalid_grant' } })
  t.match(await poll('nonsense'), { status: 400, json: { error: 'invalid_grant' } })
  t.match(await poll(asked), { status: 200 })
})

t.test('an auth_req_id is no device code, and a device code no auth_req_id', async (t) => {
  const both = {
    grant_types: `authorization_code refresh_token ${CIBA_GRANT} urn:ietf:params:oauth:grant-type:device_code`,
  }
  const { id, poll, alice, storage, token, post } = await startWithAsks(t)
  await changeClient(storage, 'bank', { set: both })
  const asked = await id()
  await answerFirst(alice)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  t.match(await token({ grant_type, device_code: asked }, basic('bank')), {
    json: { error: 'invalid_grant' },
  })
  const { json } = await post('/oauth2/device_authorization', { scope: 'openid' }, basic('bank'))
  t.match(await poll(String(json.device_code)), { json: { error: 'invalid_grant' } })
  t.match(await poll(asked), { status: 200 }, 'neither was spent')
})

t.test('no question gives a right at the admin API', async (t) => {
  const { ask, storage } = await startWithAsks(t, {
    people: { alice: { admin: 'redmint:write' } },
    admin_api: 'on',
  })
  await changeClient(storage, 'bank', { set: { allowed_scopes: 'openid redmint:write redmint:read' } })
  const resource = 'https://auth.example.com/admin/v1'
  for (const scope of ['redmint:write', 'openid redmint:read'])
    t.match(await ask({ scope, resource }), { status: 400, json: { error: 'invalid_scope' } }, scope)
})

t.test('off, there is no endpoint, no grant and no metadata', async (t) => {
  const service = await scene(t, { clients: [BANK] })
  const { ask, poll } = asker(service)
  t.match(await ask(), { status: 404 })
  t.match(await poll('x'), { status: 400, json: { error: 'unsupported_grant_type' } })
  const { json } = await service.get('/.well-known/openid-configuration')
  t.notOk('backchannel_authentication_endpoint' in json)
  t.match(await service.get('/asked?ask=x'), { status: 404 })
})
