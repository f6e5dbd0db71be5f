// Support: an operator acts as a person, at one API, for ten minutes.
import t, { type Test } from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { ACT_AS } from '../../../../../src/core/admin-scopes.ts'
import { API_PATH } from '../../../../../src/core/paths.ts'
import { RESOURCE } from '../../../../../src/resources/resource-record.ts'
import { ADMIN, createAdministrator, startAdmin, TOOL } from '../../../../support/admin.ts'
import { exchangeAs } from '../../../../support/exchange.ts'
import { changeClient, changeUser, createClient, createUser } from '../../../../support/records.ts'
import { basic, bearer, CLIENTS, ISSUER, type TestOptions } from '../../../../support/service.ts'

const ORDERS = 'https://orders.example'
const WANTED = { client_id: 'shop', resource: ORDERS, reason: 'ticket 4711: her order is missing' }
const ALL = `redmint:read redmint:write ${ACT_AS}`

const SHOP = {
  ...CLIENTS.service,
  client_id: 'shop',
  allowed_scopes: ['openid', 'offline_access', 'orders.read', 'orders.write', 'redmint:read'],
  grant_types: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  exchange_mode: 'delegate',
  can_introspect: true,
} as const

async function stage(t: Test, options: TestOptions = {}) {
  const service = await startAdmin(t, options)
  const { storage, call } = service
  await createAdministrator(storage, 'ada', ALL)
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  await createClient(storage, 'shop', formatClient(SHOP))
  const hash = { scopes: 'orders.read orders.write', acting_clients: 'shop' }
  await storage.records.put({ kind: RESOURCE, id: ORDERS, hash })
  const ask = (token: string, given: object = {}, username = 'alice') =>
    call('POST', `/users/${username}/act-as`, { token, body: { ...WANTED, ...given } })
  const ada = await service.tokenFor('ada', ALL)
  /** A token with which ada acts as alice. */
  const acting = async () => String((await ask(ada)).json.access_token)
  const state = async (token: string) =>
    (await service.post('/oauth2/introspect', { token }, basic('shop'))).json
  return { ...service, ada, ask, acting, state }
}

t.test('an operator gets a token for one API that names both, and nothing else', async (t) => {
  const { ask, ada, state, storage } = await stage(t)
  const { status, json } = await ask(ada)
  t.equal(status, 200)
  t.match(json, {
    ...{ username: 'alice', sub: 'sub-of-alice', client_id: 'shop', resource: ORDERS },
    scope: 'orders.read orders.write',
    act: { sub: 'sub-of-ada' },
  })
  t.notOk('refresh_token' in json || 'id_token' in json)
  const seen = await state(String(json.access_token))
  t.match(seen, {
    active: true,
    sub: 'sub-of-alice',
    aud: ORDERS,
    client_id: 'shop',
    act: { sub: 'sub-of-ada' },
  })
  t.strictSame(Object.keys(seen.act as object), ['sub'], 'the operator is no client')
  t.ok(Number(seen.exp) - Date.now() / 1000 <= 600, 'ten minutes at most')
  const record = await storage.families.findTokenAndFamily(String(json.access_token))
  t.notMatch(JSON.stringify(record), /4711/, 'the reason is not in the token')
})

t.test('it lasts no longer than tokens of its API', async (t) => {
  const { ask, ada, storage, state } = await stage(t)
  await storage.records.put({
    kind: RESOURCE,
    id: ORDERS,
    hash: { scopes: 'orders.read', access_token_ttl: '60' },
  })
  const { json } = await ask(ada)
  const { exp } = await state(String(json.access_token))
  t.ok(Number(exp) - Date.now() / 1000 <= 60)
})

t.test('a pairwise client sees its own subject', async (t) => {
  const { ask, ada, storage } = await stage(t, { pairwise_salt: 's'.repeat(32) })
  await changeClient(storage, 'shop', {
    set: { subject_type: 'pairwise', redirect_uris: 'https://shop.example/cb' },
  })
  const { json } = await ask(ada)
  t.match(json.sub, /^[\w-]{43}$/)
})

t.test('T17: nobody acts as somebody with rights, whatever the caller has', async (t) => {
  const { ask, ada, storage } = await stage(t)
  await createAdministrator(storage, 'bob', 'redmint:read')
  t.match(await ask(ada, {}, 'bob'), { status: 409, json: { type: 'urn:redmint:problem:conflict' } })
  await createAdministrator(storage, 'carol', 'redmint:users:read')
  t.match(await ask(ada, {}, 'carol'), { status: 409 })
  t.match(await ask(ada, {}, 'ada'), { status: 409 }, 'nor as oneself')
})

t.test('T17: the right is one of its own, that no sum gives', async (t) => {
  const { ask, storage, tokenFor, tokenOf } = await stage(t)
  await createAdministrator(storage, 'root', 'redmint:read redmint:write')
  const root = await tokenFor('root', ALL)
  t.match(await ask(root), { status: 403, json: { type: 'urn:redmint:problem:missing_scope' } })
  const helper = await tokenOf('redmint:users:write', 'redmint:users:read')
  t.match(await ask(helper), { status: 403 })
  t.match(await ask(await tokenOf(ACT_AS)), { status: 409 }, 'behind a client there is nobody')
  t.match(await ask(''), { status: 401 })
})

t.test('T17: an operator with the right alone acts as people below', async (t) => {
  const { ask, storage, tokenFor } = await stage(t)
  await createAdministrator(storage, 'sam', ACT_AS)
  const sam = await tokenFor('sam', ACT_AS)
  t.match(await ask(sam), { status: 200, json: { act: { sub: 'sub-of-sam' } } })
  await createAdministrator(storage, 'bob', ACT_AS)
  t.match(await ask(sam, {}, 'bob'), { status: 409 }, 'not as equals')
})

t.test('T17: the token ends once the operator may not act, or the person gets rights', async (t) => {
  const ends: Record<string, (storage: Awaited<ReturnType<typeof stage>>['storage']) => Promise<unknown>> = {
    'the operator lost the right': (storage) =>
      changeUser(storage, 'ada', { set: { admin: 'redmint:read redmint:write' } }),
    'the operator is disabled': (storage) => changeUser(storage, 'ada', { set: { disabled: 'true' } }),
    'the name of the operator is of another one': (storage) =>
      changeUser(storage, 'ada', { set: { sub: 'another' } }),
    'the operator was signed out everywhere': (storage) =>
      changeUser(storage, 'ada', { set: { sessions_end_before: String(Date.now() + 1000) } }),
    'the grants of the operator ended': (storage) =>
      changeUser(storage, 'ada', { set: { grants_end_before: String(Date.now() + 1000) } }),
    'the person got rights': (storage) => changeUser(storage, 'alice', { set: { admin: 'redmint:read' } }),
    'the person is disabled': (storage) => changeUser(storage, 'alice', { set: { disabled: 'true' } }),
    'all of the person ended': (storage) =>
      changeUser(storage, 'alice', { set: { grants_end_before: String(Date.now() + 1000) } }),
    'the client is disabled': (storage) => changeClient(storage, 'web', { set: { disabled: 'true' } }),
  }
  for (const [why, end] of Object.entries(ends)) {
    const { acting, state, storage, ask, ada } = await stage(t)
    const is_of_client = why === 'the client is disabled'
    await changeClient(storage, 'web', { set: { allowed_scopes: 'orders.read' } })
    const token = is_of_client
      ? String((await ask(ada, { client_id: 'web' })).json.access_token)
      : await acting()
    t.match(await state(token), { active: true }, why)
    await end(storage)
    t.strictSame(await state(token), { active: false }, why)
  }
})

t.test('a token whose record lost its actor is refused', async (t) => {
  const { acting, state, storage } = await stage(t)
  const token = await acting()
  const { token: hash, family } = await storage.families.findTokenAndFamily(token)
  t.match([hash?.act, family?.acted_by, family?.operator], ['{"sub":"sub-of-ada"}', 'user', 'ada'])
  const { families } = storage
  const found = families.findTokenAndFamily.bind(families)
  families.findTokenAndFamily = async (one) => {
    const { token: record, family } = await found(one)
    const { act: _, ...without } = record ?? {}
    return { token: without, family }
  }
  t.strictSame(await state(token), { active: false })
})

t.test('it is for no API of this server, and for one alone', async (t) => {
  const { ask, ada } = await stage(t)
  for (const resource of [
    ISSUER,
    `${ISSUER}${API_PATH}`,
    ADMIN,
    `${ORDERS} ${ISSUER}`,
    'https://other.example',
    'x',
  ])
    t.match(
      await ask(ada, { resource }),
      { status: 422, json: { fields: [{ field: 'resource' }] } },
      resource,
    )
})

t.test('it opens nothing here', async (t) => {
  const { acting, get, call } = await stage(t)
  const token = await acting()
  for (const path of ['/userinfo', '/api/resource'])
    t.equal((await get(path, bearer(token))).status, 401, path)
  t.equal((await call('GET', '/users', { token })).status, 401)
})

t.test('it has no scope of a sign-in or of the admin API', async (t) => {
  const { ask, ada } = await stage(t)
  t.match((await ask(ada, { scope: 'orders.read' })).json, { scope: 'orders.read' })
  for (const scope of ['openid', 'offline_access', 'redmint:read', 'orders.read openid', 'unknown'])
    t.match(await ask(ada, { scope }), { status: 422, json: { fields: [{ field: 'scope' }] } }, scope)
})

t.test('it cannot be exchanged further, by whomever', async (t) => {
  const { acting, token, storage } = await stage(t)
  await createClient(storage, 'other', formatClient({ ...SHOP, client_id: 'other' }))
  const hash = { scopes: 'orders.read orders.write', acting_clients: 'shop other' }
  await storage.records.put({ kind: RESOURCE, id: ORDERS, hash })
  const subject = await acting()
  for (const client_id of ['shop', 'other']) {
    const refused = await exchangeAs({ token }, client_id, subject, { resource: ORDERS })
    const error_description = /an operator acts/
    t.match(refused, { status: 400, json: { error: 'invalid_request', error_description } }, client_id)
  }
  await changeClient(storage, 'shop', { set: { exchange_mode: 'narrow' } })
  t.match(await exchangeAs({ token }, 'shop', subject, { resource: ORDERS }), { status: 400 }, 'nor narrowed')
})

t.test('who may not use the client, or has to sign in strongly there, is nobody to act as', async (t) => {
  const { ask, ada, storage } = await stage(t)
  await changeClient(storage, 'shop', { set: { allowed_groups: 'staff' } })
  t.match(await ask(ada), { status: 409 })
  await changeClient(storage, 'shop', {
    set: { required_acr: 'urn:redmint:acr:2' },
    unset: ['allowed_groups'],
  })
  t.match(await ask(ada), { status: 409 })
  await changeClient(storage, 'shop', { set: { dpop_bound_access_tokens: 'true' }, unset: ['required_acr'] })
  t.match(await ask(ada), { status: 409 }, 'its tokens are bound to its keys')
  await changeClient(storage, 'shop', { set: { disabled: 'true' }, unset: ['dpop_bound_access_tokens'] })
  t.match(await ask(ada), { status: 422, json: { fields: [{ field: 'client_id' }] } })
  t.match(await ask(ada, {}, 'nobody'), { status: 404 })
})

t.test('a reason is demanded, of one line', async (t) => {
  const { ask, ada } = await stage(t)
  for (const reason of [undefined, '', ' ', 'two\nlines', 'x'.repeat(301)])
    t.match(await ask(ada, { reason }), { status: 422 }, String(reason))
})

t.test('the event has the reason, and the grant is listed with those of the person', async (t) => {
  const { ask, ada, call, log, state } = await stage(t)
  const { json } = await ask(ada)
  t.match(
    log.map((line) => JSON.parse(line)).filter(({ event }) => event === 'user_acted_as'),
    [
      {
        actor: 'user:ada',
        username: 'alice',
        client_id: 'shop',
        resource: ORDERS,
        reason: WANTED.reason,
        grant: json.grant,
      },
    ],
  )
  const listed = await call('GET', '/users/alice/grants', { token: ada })
  t.match(listed.json, { items: [{ grant: json.grant, client_id: 'shop', acted_by: 'user ada' }] })
  await call('DELETE', `/users/alice/grants/${json.grant}`, { token: ada })
  t.strictSame(await state(String(json.access_token)), { active: false }, 'ended by an operator')
})

t.test('the client can revoke it', async (t) => {
  const { acting, post, state } = await stage(t)
  const token = await acting()
  await post('/oauth2/revoke', { token }, basic('shop'))
  t.strictSame(await state(token), { active: false })
})

t.test('the client of operators has the right to ask for it', (t) => {
  t.ok(TOOL.allowed_scopes.includes(ACT_AS))
  t.end()
})
