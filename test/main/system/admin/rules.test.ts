// What the admin API must not let happen: G2 to G4, G6 to G10 and G12 of the review. The rest of section G is in
// table.test.ts.

import t from 'tap'
import { ADMIN_REQUESTS } from '../../../../src/admin/door/budget.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { ADMIN_SCOPES } from '../../../../src/core/admin-scopes.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { insertUser } from '../../../../src/users/new-user.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { userRecord } from '../../../support/accounts.ts'
import { ADMIN, type AdminService, createAdministrator, startAdmin, TOOL } from '../../../support/admin.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { createUser } from '../../../support/records.ts'
import { basic, bearer, CLIENTS, ISSUER } from '../../../support/service.ts'

const ALL = ['redmint:read', 'redmint:write'] as const
const problem = (code: string) => ({ json: { type: `urn:redmint:problem:${code}` } })

async function ifMatch({ call }: AdminService, token: string, path: string) {
  return { 'if-match': String((await call('GET', path, { token })).headers.etag) }
}

/** The usernames of a page. */
const namesIn = ({ json }: { json: Record<string, unknown> }) =>
  (json.items as { username: string }[]).map(({ username }) => username)

t.test('the scopes of the admin API come only with its tokens', async (t) => {
  const { token, tokenOf, get, post, storage, request } = await startAdmin(t)
  const client = { ...CLIENTS.web, client_id: 'mixed', can_introspect: true }
  const allowed_scopes = ['api.read', ...ADMIN_SCOPES]
  await storage.records.put({ kind: CLIENT, id: 'mixed', hash: formatClient({ ...client, allowed_scopes }) })
  const ask = (form: object) => token({ grant_type: 'client_credentials', ...form }, basic('mixed'))
  t.same((await ask({})).json.scope, 'api.read', 'without this resource')
  t.same((await ask({ resource: `${ISSUER}/api` })).json.scope, 'api.read')
  t.match(await ask({ scope: 'redmint:read' }), { json: { error: 'invalid_scope' } })
  t.same(String((await ask({ resource: ADMIN })).json.scope).split(' '), ADMIN_SCOPES)
  t.match(await ask({ resource: ADMIN, scope: 'api.read' }), { json: { error: 'invalid_scope' } })

  const own = String((await ask({ resource: ADMIN })).json.access_token)
  t.equal((await get('/userinfo', bearer(own))).status, 401)
  t.equal((await get('/api/resource', bearer(own))).status, 401)
  const other = await tokenOf('redmint:read')
  const seen = async (given: string) =>
    (await post('/oauth2/introspect', { token: given }, basic('mixed'))).json.active
  t.equal(await seen(own), true, 'its client sees what it has')
  t.equal(await seen(other), false, 'nobody else takes it for a token of theirs')
  const query = await request({ method: 'GET', url: `/admin/v1/users?access_token=${own}` })
  t.equal(query.status, 401, 'in the header only')
})

t.test('a token that is bound to a key needs its proof here, too', async (t) => {
  const { get, token, call, storage } = await startAdmin(t)
  const client = { ...CLIENTS.service, client_id: 'bound', allowed_scopes: ['redmint:users:read'] }
  await storage.records.put({ kind: CLIENT, id: 'bound', hash: formatClient(client) })
  const dpop = dpopClient({ get, token })
  const form = { grant_type: 'client_credentials', resource: ADMIN }
  const { json } = await dpop.token(form, basic('bound'))
  t.equal(json.token_type, 'DPoP')
  const own = String(json.access_token)
  const proven = dpop.withToken(own, '/admin/v1/users')
  t.equal((await get('/admin/v1/users', proven)).status, 200)
  t.match(await get('/admin/v1/users', proven), { status: 401, ...problem('unauthorized') }, 'once')
  t.match(await call('GET', '/users', { token: own }), {
    status: 401,
    headers: { 'www-authenticate': /^DPoP .*resource_metadata=/ },
  })
  const other = dpop.withToken(own, '/api/resource')
  t.equal((await get('/admin/v1/users', other)).status, 401, 'a proof for another path')
})

t.test('a token for several resources is not for the admin API', async (t) => {
  const { request, storage } = await startAdmin(t)
  const client = { ...CLIENTS.service, client_id: 'several', multiple_audiences: true }
  const allowed_scopes = ['api.read', 'redmint:read']
  await storage.records.put({
    kind: CLIENT,
    id: 'several',
    hash: formatClient({ ...client, allowed_scopes }),
  })
  const form = new URLSearchParams({ grant_type: 'client_credentials', resource: ADMIN })
  form.append('resource', `${ISSUER}/api`)
  const headers = { ...basic('several'), 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', url: '/oauth2/token', headers, payload: form.toString() } as const
  t.match((await request(sent)).json, { error: 'invalid_target' })
})

t.test('a client that registered itself never gets a scope of the admin API', async (t) => {
  const { token, tokenFor, call, storage } = await startAdmin(t)
  const registered = { ...CLIENTS.service, client_id: 'self-made', registered_at: '2026-01-01T00:00:00.000Z' }
  const hash = formatClient({ ...registered, allowed_scopes: [...ADMIN_SCOPES] })
  await storage.records.put({ kind: CLIENT, id: 'self-made', hash })
  const form = { grant_type: 'client_credentials', resource: ADMIN }
  t.match((await token(form, basic('self-made'))).json, { error: 'invalid_target' })

  await createAdministrator(storage, 'carol', ALL.join(' '))
  const own = await tokenFor('carol', ALL.join(' '))
  t.equal((await call('GET', '/users', { token: own })).status, 200)
  const set = { registered_at: '2026-01-01T00:00:00.000Z' }
  await storage.records.change(CLIENT, TOOL.client_id, { set })
  t.equal((await call('GET', '/users', { token: own })).status, 403, 'a token that it has does not pass')
})

t.test('the shortcut of demo mode gives nobody a right', async (t) => {
  const { authorize, token, tokenFor, call, storage } = await startAdmin(t, { demo: 'public' })
  await createAdministrator(storage, 'carol', ALL.join(' '))
  // Also if a code had the scope.
  const unproven = await tokenFor('carol', ALL.join(' '), '')
  t.equal((await call('GET', '/users', { token: unproven })).status, 403)
  const asked = { client_id: TOOL.client_id, subject: 'sub-of-carol', resource: ADMIN, scope: ALL.join(' ') }
  for (const subject of ['sub-of-carol', 'carol']) {
    const code = String((await authorize({ ...asked, subject })).redirect.get('code'))
    const { json } = await token({
      grant_type: 'authorization_code',
      client_id: TOOL.client_id,
      redirect_uri: 'https://app.example.com/callback',
      code,
      code_verifier: 'a-code-verifier-of-forty-three-characters-or-more',
    })
    t.equal(json.scope, '')
    t.equal((await call('GET', '/users', { token: String(json.access_token) })).status, 403)
  }
})

t.test('G2: nobody gives what he lacks, and nobody touches who has more', async (t) => {
  const service = await startAdmin(t)
  const { call, tokenOf, storage } = service
  await createAdministrator(storage, 'root', ALL.join(' '))
  await createAdministrator(storage, 'peer', 'redmint:users:write')
  await createUser(storage, 'plain', await userRecord('sub-of-plain'))
  const token = await tokenOf('redmint:users:write', 'redmint:users:read')
  const patch = async (username: string, body: object) =>
    call('PATCH', `/users/${username}`, {
      token,
      body,
      headers: await ifMatch(service, token, `/users/${username}`),
    })
  const lacks = { status: 403, ...problem('lacks_right') }
  for (const admin of [['redmint:write'], ['redmint:read'], ['redmint:keys:read', 'redmint:users:read']]) {
    t.match(await patch('plain', { admin }), lacks, `giving ${admin}`)
    t.match(await call('POST', '/users', { token, body: { username: 'new', admin } }), lacks)
    const bulk = await call('POST', '/users/bulk', { token, body: { items: [{ username: 'new', admin }] } })
    t.match(bulk.json, { results: [{ status: 403 }] })
  }
  const dry = { token, body: { username: 'new', admin: ['redmint:write'] } }
  t.match(await call('POST', '/users?dry_run=true', dry), lacks, 'a dry run says the same')
  t.match(await patch('root', { claims: { email: 'mine@example.com' } }), lacks, 'an address is a way in')
  t.match(await patch('root', { linked_subjects: ['https://idp.example.com#mine'] }), lacks)
  t.match(await patch('root', { admin: null }), lacks)
  for (const action of ['disable', 'enable', 'end'])
    t.match(await call('POST', `/users/root/${action}`, { token }), lacks, action)
  const headers = await ifMatch(service, token, '/users/root')
  t.match(await call('DELETE', '/users/root', { token, headers }), lacks)
  t.equal((await patch('plain', { admin: ['redmint:users:read'] })).status, 200, 'what he has he may give')
  t.equal((await patch('peer', { admin: null })).status, 200, 'and take')
})

t.test('G3: groups and claims lead to no right', async (t) => {
  const service = await startAdmin(t, {
    scope_claims: new Map([
      ['groups', 'groups'],
      ['admin', 'redmint:write'],
    ]),
  })
  const { call, tokenOf, tokenFor, storage } = service
  await createUser(storage, 'plain', await userRecord('sub-of-plain'))
  const token = await tokenOf(...ALL)
  const claims = { groups: ['admin', 'redmint:write'], admin: 'redmint:write', scope_of: 'redmint:write' }
  const headers = await ifMatch(service, token, '/users/plain')
  t.equal((await call('PATCH', '/users/plain', { token, body: { claims }, headers })).status, 200)
  const own = await tokenFor('plain', ALL.join(' '))
  t.equal((await call('GET', '/users', { token: own })).status, 403)
})

t.test('G4: the last administrator stays', async (t) => {
  const service = await startAdmin(t)
  const { call, tokenOf, storage } = service
  const token = await tokenOf(...ALL)
  const add = (username: string) =>
    call('POST', '/users', { token, body: { username, admin: ['redmint:read', 'redmint:write'] } })
  t.equal((await add('root')).status, 201)
  const last = { status: 409, ...problem('last_administrator') }
  const change = async (username: string, body: object) =>
    call('PATCH', `/users/${username}`, {
      token,
      body,
      headers: await ifMatch(service, token, `/users/${username}`),
    })
  const remove = async (username: string) =>
    call('DELETE', `/users/${username}`, {
      token,
      headers: await ifMatch(service, token, `/users/${username}`),
    })
  t.match(await change('root', { admin: null }), last)
  t.match(await change('root', { admin: ['redmint:read'] }), last)
  t.match(await call('POST', '/users/root/disable', { token }), last)
  t.match(await remove('root'), last)
  t.equal((await add('second')).status, 201)
  t.equal((await call('POST', '/users/second/disable', { token })).status, 200)
  t.match(await remove('root'), last, 'one who is disabled does not count')
  t.equal((await call('POST', '/users/second/enable', { token })).status, 200)
  const both = await Promise.all([remove('root'), remove('second')])
  t.same(both.map(({ status }) => status).sort(), [200, 409], 'of two at the same time one stays')
  const left = ['root', 'second'].filter((_, index) => both[index]?.status === 409)
  t.match(await storage.records.read(USER, String(left[0])), { ok: true, record: { disabled: false } })
})

t.test('G6: a list has only what its scope gives', async (t) => {
  const { call, tokenOf } = await startAdmin(t)
  const token = await tokenOf('redmint:clients:read')
  t.match(await call('GET', '/users', { token }), { status: 403, ...problem('missing_scope') })
})

t.test('G7: two writers, and a key that is used twice at once', async (t) => {
  const storage = new MemoryStorage()
  const service = await startAdmin(t, { storage })
  const replica = await startAdmin(t, { storage })
  const { call, tokenOf } = service
  const token = await tokenOf(...ALL)
  await createUser(storage, 'plain', await userRecord('sub-of-plain'))
  const headers = await ifMatch(service, token, '/users/plain')
  const patches = await Promise.all([
    call('PATCH', '/users/plain', { token, headers, body: { claims: { name: 'One' } } }),
    replica.call('PATCH', '/users/plain', { token, headers, body: { claims: { nickname: 'other' } } }),
  ])
  t.same(patches.map(({ status }) => status).sort(), [200, 412])

  const keyed = { token, body: { username: 'new' }, headers: { 'idempotency-key': 'a-key' } }
  const answers = await Promise.all([
    call('POST', '/users', keyed),
    replica.call('POST', '/users', keyed),
    replica.call('POST', '/users', keyed),
  ])
  t.same(
    answers.map(({ status }) => status),
    [201, 201, 201],
  )
  t.equal(new Set(answers.map(({ text, headers }) => text + headers.etag)).size, 1, 'one effect, one answer')
  const body = { username: 'newer' }
  t.match(await replica.call('POST', '/users', { ...keyed, body }), { status: 422, ...problem('key_reused') })
  const others = await tokenOf(...ALL)
  t.equal(
    (await call('POST', '/users', { ...keyed, body, token: others })).status,
    201,
    'a key is of its caller',
  )
  // What is refused is not kept.
  const again = { token, body: { username: 'plain' }, headers: { 'idempotency-key': 'another-key' } }
  t.match(await call('POST', '/users', again), { status: 409, ...problem('exists') })
  t.match(await call('POST', '/users', { ...again, body: { username: 'free' } }), { status: 201 })
  for await (const { hash } of storage.records.list({ name: 'admin-request' }))
    t.notOk(JSON.stringify(hash).includes('username'), 'the kept answer is sealed')
})

t.test('who gave a setting, and who has rights', async (t) => {
  for (const [reads_environment, source] of [
    [true, 'variable'],
    [false, 'option'],
  ] as const) {
    const { call, tokenOf } = await startAdmin(t, { reads_environment })
    const { json } = await call('GET', '/server/settings', { token: await tokenOf('redmint:read') })
    const items = json.items as { name: string; source: string }[]
    t.equal(items.find(({ name }) => name === 'issuer')?.source, 'default')
    t.equal(items.find(({ name }) => name === 'admin_api')?.source, source)
  }
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf('redmint:read')
  await createUser(storage, 'plain', await userRecord('s1'))
  const report = () => {}
  await insertUser({ storage, report }, 'root', { ...(await userRecord('s2')), admin: 'redmint:read' })
  t.same(namesIn(await call('GET', '/users?admin=true', { token })), ['root'])
})

t.test('G8: a cursor is of its list and its filter, and loses nothing that stays', async (t) => {
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf('redmint:read')
  for (let i = 0; i < 30; i += 1) await createUser(storage, `u${100 + i}`, await userRecord(`s${i}`))
  const first = await call('GET', '/users?limit=10', { token })
  t.match(await call('GET', `/users?q=u&cursor=${first.json.next}`, { token }), {
    status: 400,
    ...problem('invalid_cursor'),
  })
  const seen = namesIn(first)
  await storage.records.take(USER, 'u109')
  await storage.records.take(USER, 'u120')
  await createUser(storage, 'u1005', await userRecord('s1005'))
  let { next } = first.json
  while (next !== undefined) {
    const page = await call('GET', `/users?limit=10&cursor=${next}`, { token })
    seen.push(...namesIn(page))
    next = page.json.next
  }
  const expected = Array.from({ length: 30 }, (_, i) => `u${100 + i}`).filter((name) => name !== 'u120')
  t.same(seen, expected)
})

t.test('G9: in bulk each item has its own result', async (t) => {
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf(...ALL)
  const items = [
    { username: 'one', claims: { email: 'one@example.com' } },
    { username: 'one' },
    { username: 'two', nonsense: 1 },
    { username: 'three', claims: { email: 'no address' } },
    { username: 'four' },
  ]
  const { json } = await call('POST', '/users/bulk', { token, body: { items } })
  t.match(json, {
    results: [
      { status: 201, item: { username: 'one' } },
      { status: 409, problem: { type: 'urn:redmint:problem:exists' } },
      { status: 422, problem: { fields: [{ field: 'nonsense' }] } },
      { status: 422, problem: { type: 'urn:redmint:problem:invalid_field' } },
      { status: 201 },
    ],
  })
  for (const name of ['two', 'three']) t.equal(await storage.records.read(USER, name), undefined)
  const many = Array.from({ length: 101 }, (_, i) => ({ username: `many-${i}` }))
  t.match(await call('POST', '/users/bulk', { token, body: { items: many } }), { status: 422 })
  t.match(await call('POST', '/users/bulk', { token, body: { items: [] } }), { status: 422 })
})

t.test('G10: what is forgotten in a path is not "all"', async (t) => {
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf(...ALL)
  await createUser(storage, 'plain', await userRecord('sub-of-plain'))
  for (const path of ['/users', '/users/', '/users?q=', '/users/*', '/users/%2A']) {
    const { status } = await call('DELETE', path, { token, headers: { 'if-match': '"a"' } })
    t.ok([404, 405].includes(status), `${path}: ${status}`)
  }
  t.ok(await storage.records.read(USER, 'plain'))
})

t.test('G12: requests are limited, and each change is an event with who made it', async (t) => {
  const { call, tokenOf, tokenFor, storage, log } = await startAdmin(t)
  await createAdministrator(storage, 'root', ALL.join(' '))
  const own = await tokenFor('root', ALL.join(' '))
  const token = await tokenOf(...ALL)
  log.length = 0
  await call('POST', '/users', { token: own, body: { username: 'new', admin: ['redmint:users:read'] } })
  const etag = (await call('GET', '/users/new', { token })).headers.etag
  const headers = { 'if-match': String(etag) }
  const body = { admin: null, claims: { email: 'secret-address@example.com' } }
  t.equal((await call('PATCH', '/users/new', { token, body, headers })).status, 200)
  await call('POST', '/users/new/end', { token })
  const events = log.map((line) => JSON.parse(line)).filter(({ event }) => event !== undefined)
  t.match(events, [
    { event: 'user_added', username: 'new', actor: 'user:root', via: TOOL.client_id },
    { event: 'rights_changed', username: 'new', from: [], to: ['redmint:users:read'], actor: 'user:root' },
    { event: 'user_viewed', username: 'new', actor: /^client:operator-/ },
    { event: 'rights_changed', username: 'new', to: [], actor: /^client:operator-/ },
    { event: 'user_changed', username: 'new', fields: ['email'], actor: /^client:operator-/ },
    { event: 'user_ended', username: 'new', actor: /^client:operator-/, remoteAddress: '127.0.0.1' },
  ])
  t.notOk(log.join('').includes('secret-address'), 'values are not logged')

  const other = await tokenOf('redmint:server:read')
  for (let i = 0; i < ADMIN_REQUESTS.per_name; i += 1)
    if ((await call('GET', '/server', { token: other })).status !== 200) t.fail(`refused after ${i} requests`)
  const limited = await call('GET', '/server', { token: other })
  t.match(limited, { status: 429, headers: { 'retry-after': '60' }, ...problem('too_many_requests') })
  t.equal((await call('GET', '/server', { token })).status, 200, 'others are not')
})

t.test('while storage is away, the answer is 503', async (t) => {
  const storage = new MemoryStorage()
  const { call, tokenOf } = await startAdmin(t, { storage })
  const token = await tokenOf(...ALL)
  await storage.close()
  t.match(await call('GET', '/users', { token }), {
    status: 503,
    headers: { 'retry-after': /^\d+$/ },
    ...problem('unavailable'),
  })
})
