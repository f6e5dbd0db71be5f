// When a client has a secret, by its other fields; and the record by which a client of a metadata document is refused.
import t from 'tap'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { operatorOn } from '../../../../support/operator.ts'
import { createClient, readClient } from '../../../../support/records.ts'

const SECRET = 'a-secret-of-more-than-32-characters-in-all'
const shop = { params: { client_id: 'shop' } }

t.test('a client that authenticates by a certificate has no secret', async (t) => {
  const storage = new MemoryStorage()
  const { run } = operatorOn(storage)
  const method = {
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_subject_dn: 'CN=billing',
  }
  const created = await run('create_client', { body: { client_id: 'shop', ...method } })
  t.match(created.body, { secret: 'none', client_secret: undefined, grant_types: ['client_credentials'] })
  t.notOk((await readClient(storage, 'shop'))?.client_secret_hash)
  await t.rejects(run('create_client', { body: { client_id: 'both', ...method, client_secret: SECRET } }), {
    code: 'invalid_field',
    message: /client_secret_hash must be absent/,
  })
  await t.rejects(run('rotate_client_secret', shop), { code: 'conflict', message: /by tls_client_auth/ })
  const removed = Object.fromEntries(Object.keys(method).map((name) => [name, null]))
  const { version } = created
  const without = await run('change_client', { ...shop, version, body: removed })
  t.match(without.body, { client_secret: /^[\w-]{43}$/ }, 'it gets one when it needs one')
  const { body } = await run('change_client', { ...shop, version: without.version, body: method })
  t.match(body, { secret: 'none' })
})

t.test('a change repairs a malformed record, and a set secret is the only one', async (t) => {
  const storage = new MemoryStorage()
  const { run } = operatorOn(storage)
  await createClient(storage, 'shop', {
    client_id: 'shop',
    is_public: 'yes',
    grant_types: 'client_credentials',
  })
  const change = async (body: object) => {
    const { version } = await run('read_client', shop)
    return run('change_client', { ...shop, version, body: { ...body } })
  }
  await t.rejects(change({ client_name: 'Shop' }), {
    code: 'invalid_field',
    fields: [{ field: 'is_public' }],
  })
  t.match((await change({ is_public: false })).body, { state: 'active', client_secret: /^[\w-]{43}$/ })
  t.notOk('client_secret' in (await change({ is_public: false })).body, 'it has one')
  await run('rotate_client_secret', { ...shop, body: { keep_old_for: 3600 } })
  t.match((await change({ client_secret: SECRET })).body, { secret: 'set', old_secret: 'none' })
  for (const body of [
    { grant_types: [] },
    { redirect_uris: ['javascript:alert(1)'] },
    { allowed_scopes: ['a"b'] },
    { subject_type: 'pairwise' },
    { post_logout_redirect_uris: ['/bye'] },
    { backchannel_logout_uri: 'http://a.example/' },
  ])
    await t.rejects(change(body), { code: 'invalid_field' }, JSON.stringify(body))
  t.match((await change({ is_public: true, redirect_uris: ['https://a.example/'] })).body, { secret: 'none' })
  await t.rejects(change({ require_pkce: false }), { message: /require_pkce must be true/ })
  await t.rejects(change({ client_secret: SECRET }), { message: /must be absent, because is_public is true/ })
})

t.test('a client of a metadata document is disabled by a record, and enabled without one', async (t) => {
  const storage = new MemoryStorage()
  const { run } = operatorOn(storage)
  const client_id = 'https://tool.example.net/oauth/client.json'
  const tool = { params: { client_id } }
  await t.rejects(run('enable_client', tool), { code: 'not_found' })
  await run('disable_client', tool)
  t.match((await run('read_client', tool)).body, { state: 'disabled' })
  await run('disable_client', tool)
  await run('enable_client', tool)
  t.equal(await readClient(storage, client_id), undefined, 'its document counts again')
  await t.rejects(run('disable_client', { params: { client_id: 'none' } }), { code: 'not_found' })
})
