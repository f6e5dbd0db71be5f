import t from 'tap'
import { userRecord } from '../../support/accounts.ts'
import { createAdministrator, startAdmin } from '../../support/admin.ts'
import { createUser } from '../../support/records.ts'

t.test('an operator adds, finds, changes and removes a user', async (t) => {
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf('redmint:users:read', 'redmint:users:write')
  const claims = { name: 'Alice', email: 'alice@example.com', email_verified: true, groups: ['staff'] }
  const added = await call('POST', '/users', { token, body: { username: 'alice', claims } })
  t.equal(added.status, 201, added.text)
  t.match(added.json, { username: 'alice', claims, state: 'active', password: 'none' })
  t.match(await call('POST', '/users?dry_run=true', { token, body: { username: 'alice' } }), {
    status: 409,
    json: { type: 'urn:redmint:problem:exists' },
  })
  const other = { username: 'bea', claims: { email: 'bea@example.com' } }
  t.same((await call('POST', '/users?dry_run=true', { token, body: other })).json, {
    difference: [
      { field: 'claims.email', to: 'bea@example.com' },
      { field: 'password', to: 'none' },
    ],
  })
  t.equal((await call('GET', '/users/bea', { token })).status, 404)
  const { etag } = added.headers
  t.match((await call('GET', '/users/alice', { token })).headers, { etag })
  t.notOk('last_sign_in_at' in (await call('GET', '/users/alice', { token })).json)
  const signed_in = { username: 'alice', at: Date.parse('2026-11-01T08:00:00Z') }
  const browser = { name: 'browser', bound_to: 'password' }
  await storage.counters.rememberBrowser('alice', browser, { max: 5, ttl: 60 }, signed_in)
  const last_sign_in_at = '2026-11-01T08:00:00.000Z'
  t.match((await call('GET', '/users/alice', { token })).json, { last_sign_in_at })
  t.match((await call('GET', '/users', { token })).json, { items: [{ last_sign_in_at }] })

  const patch = { claims: { email: 'al@example.com', groups: null, address: { locality: 'Berlin' } } }
  const headers = { 'if-match': String(etag) }
  const dry = await call('PATCH', '/users/alice?dry_run=true', { token, body: patch, headers })
  t.same(dry.json, {
    difference: [
      { field: 'claims.address', to: { locality: 'Berlin' } },
      { field: 'claims.email', from: 'alice@example.com', to: 'al@example.com' },
      { field: 'claims.groups', from: ['staff'] },
    ],
  })
  const changed = await call('PATCH', '/users/alice', { token, body: patch, headers })
  t.equal(changed.status, 200, changed.text)
  t.same(changed.json.claims, {
    name: 'Alice',
    email: 'al@example.com',
    email_verified: true,
    address: { locality: 'Berlin' },
  })
  t.match(await call('PATCH', '/users/alice', { token, body: patch, headers }), {
    status: 412,
    json: { type: 'urn:redmint:problem:stale', request_id: String },
  })
  for (const q of ['ALICE', 'al@example.com', 'ali'])
    t.match((await call('GET', `/users?q=${encodeURIComponent(q)}`, { token })).json, {
      items: [{ username: 'alice' }],
    })
  const now = { 'if-match': String((await call('GET', '/users/alice', { token })).headers.etag) }
  t.match(await call('DELETE', '/users/alice', { token, headers: now }), { status: 200, json: { ended: {} } })
  t.match(await call('GET', '/users/alice', { token }), { status: 404, json: { title: String } })
  t.match(await call('PATCH', '/users/alice', { token, body: {} }), { status: 428 })
})

t.test('pages of users lose and repeat nothing', async (t) => {
  const { call, tokenOf, storage } = await startAdmin(t)
  const token = await tokenOf('redmint:read')
  for (let i = 10; i < 35; i += 1) await createUser(storage, `user-${i}`, await userRecord(`sub-${i}`))
  const seen: unknown[] = []
  let next: unknown
  do {
    const cursor = next === undefined ? '' : `&cursor=${next}`
    const page = await call('GET', `/users?limit=10&q=user-${cursor}`, { token })
    t.equal(page.status, 200, page.text)
    seen.push(...(page.json.items as { username: string }[]).map(({ username }) => username))
    next = page.json.next
    await storage.records.take(
      { name: 'user', format: () => ({}), parse: () => ({ ok: false, problems: [] }) },
      'user-15',
    )
  } while (next !== undefined)
  t.equal(seen.length, 25)
  t.equal(new Set(seen).size, 25)
})

t.test('a user has only the rights of the record, of the client and of the token', async (t) => {
  const { call, tokenFor, storage } = await startAdmin(t)
  await createAdministrator(storage, 'carol', 'redmint:users:read')
  const token = await tokenFor('carol', 'redmint:read redmint:write')
  t.equal((await call('GET', '/users', { token })).status, 200)
  t.match(await call('POST', '/users', { token, body: { username: 'dave' } }), {
    status: 403,
    json: { type: 'urn:redmint:problem:missing_scope' },
    headers: { 'www-authenticate': /insufficient_scope.*redmint:users:write/ },
  })
  await storage.records.change({ name: 'user' }, 'carol', { set: {}, unset: ['admin'] })
  t.equal((await call('GET', '/users', { token })).status, 403, 'the field is gone, and the right with it')
})
