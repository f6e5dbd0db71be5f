import t from 'tap'
import { endingsContext } from '../../../../../src/admin/access/context.ts'
import { SecretUses } from '../../../../../src/clients/authentication/secret-uses.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'
import { readConfig } from '../../../../../src/config/config.ts'
import { SILENT } from '../../../../../src/core/log.ts'
import { workOffEndings } from '../../../../../src/logout/endings.ts'
import { onEachStorage, operatorOn } from '../../../../support/operator.ts'
import { changeClient, createClient, issueClientToken, readClient } from '../../../../support/records.ts'

const SECRET = 'a-secret-of-more-than-32-characters-in-all'
const SHOP = { client_id: 'shop', redirect_uris: ['https://shop.example.com/cb'], allowed_scopes: ['openid'] }
const shop = { params: { client_id: 'shop' } }

onEachStorage(t, 'a client is created, its secret is shown once, and read', async (t, storage) => {
  const { run, events } = operatorOn(storage)
  const created = await run('create_client', { body: SHOP })
  const { client_secret, ...shown } = created.body
  t.match(client_secret, /^[\w-]{43}$/)
  t.match(created.body, { ...SHOP, state: 'active', secret: 'set', grant_types: ['authorization_code'] })
  t.equal((await readClient(storage, 'shop'))?.client_secret_hash, secretHash(String(client_secret)))
  const read = await run('read_client', shop)
  t.strictSame(read.body, shown, 'the same without the secret')
  t.equal(read.version, created.version)
  t.strictSame(events, [{ event: 'client_added', client_id: 'shop' }])
  await t.rejects(run('create_client', { body: SHOP }), { code: 'exists' })
  const given = await run('create_client', { body: { client_id: 'given', client_secret: SECRET } })
  t.notOk('client_secret' in given.body, 'what is given is not repeated')
  t.equal((await readClient(storage, 'given'))?.client_secret_hash, secretHash(SECRET))
  t.match((await run('create_client', { body: { ...SHOP, client_id: 'app', is_public: true } })).body, {
    secret: 'none',
    client_secret: undefined,
  })
})

onEachStorage(
  t,
  'a client that would be malformed or unsafe is refused by its fields',
  async (t, storage) => {
    const { run } = operatorOn(storage)
    const refused = (body: object, code: string, ...fields: string[]) =>
      t.rejects(run('create_client', { body: { client_id: 'x', ...body } }), {
        code,
        fields: fields.map((field) => ({ field })),
      })
    await refused({ redirect_uri: 'https://x' }, 'unknown_field', 'redirect_uri')
    await t.rejects(run('create_client', { body: { client_id: 'x', redirect_uri: '' } }), {
      message: 'redirect_uri is not a field: did you mean redirect_uris?',
    })
    await refused({ client_secret_hash: 'x' }, 'unknown_field', 'client_secret_hash')
    await refused(
      { redirect_uris: ['/cb'], logo_uri: 'http://x' },
      'invalid_field',
      'logo_uri',
      'redirect_uris',
    )
    await refused({ redirect_uris: ['http://x.example.com/cb'] }, 'invalid_field', 'redirect_uris')
    await refused({ is_public: true }, 'invalid_field', 'grant_types')
    await refused({ client_id: 'ä' }, 'invalid_field', 'client_id')
    await refused({ client_secret: 'short' }, 'invalid_field', 'client_secret')
    await refused({ demo: true }, 'invalid_field', 'demo')
    await refused({ managed_by: 'file' }, 'invalid_field', 'managed_by')
    t.equal(await readClient(storage, 'x'), undefined)
    const { version } = await run('create_client', { body: SHOP })
    const own = {
      grants_end_before: 1,
      registered_at: '2026-01-01',
      lapses_at: '2026-01-01',
      keys_refreshed_at: '',
    }
    for (const [field, value] of Object.entries(own)) {
      const body = { [field]: value }
      await t.rejects(run('change_client', { ...shop, version, body }), { code: 'invalid_field' }, field)
    }
  },
)

onEachStorage(t, 'a merge patch changes what it names', async (t, storage) => {
  const { run, events } = operatorOn(storage)
  const claims = { tenant: 'acme', limits: { day: 1, hour: 2 } }
  const { version } = await run('create_client', { body: { ...SHOP, client_name: 'Shop', claims } })
  const patch = { client_name: null, access_token_ttl: 60, claims: { limits: { day: null, week: 3 } } }
  const changed = await run('change_client', { ...shop, version, body: patch })
  t.match(changed.body, {
    access_token_ttl: 60,
    client_name: undefined,
    claims: { tenant: 'acme', limits: { hour: 2, week: 3 } },
  })
  t.match(events.at(-1), { event: 'client_changed', fields: ['access_token_ttl', 'claims', 'client_name'] })
  const again = { ...shop, version: changed.version }
  t.equal((await run('change_client', { ...again, body: {} })).version, changed.version, 'nothing to change')
  await t.rejects(run('change_client', { ...again, body: { grant_types: null } }), { code: 'invalid_field' })
  await t.rejects(run('change_client', { ...again, body: { client_id: 'other' } }), {
    message: 'client_id never changes',
  })
  const { body: read } = await run('read_client', shop)
  const echoed = await run('change_client', { ...again, body: read })
  t.equal(echoed.version, changed.version, 'what was read may be sent back')
  const public_one = await run('change_client', { ...again, body: { is_public: true } })
  t.match(public_one.body, { secret: 'none', is_public: true })
  const body = { is_public: false }
  const back = await run('change_client', { ...shop, version: public_one.version, body })
  t.match(back.body, { client_secret: /^[\w-]{43}$/, secret: 'set' }, 'it needs a secret again')
})

onEachStorage(t, 'a PUT creates a client, or makes it what is given', async (t, storage) => {
  const { run } = operatorOn(storage)
  await t.rejects(run('replace_client', { ...shop, body: SHOP, version: '"other"' }), { code: 'stale' })
  const created = await run('replace_client', { ...shop, body: { ...SHOP, client_name: 'Shop' } })
  t.match(created.body, { client_secret: String, client_name: 'Shop' })
  await changeClient(storage, 'shop', {
    set: { disabled: 'true', managed_by: 'team', grants_end_before: '5' },
  })
  await t.rejects(run('replace_client', { ...shop, body: SHOP }), { code: 'version_required' })
  const { version, body: read } = await run('read_client', shop)
  const replaced = await run('replace_client', { ...shop, version, body: { ...SHOP, first_party: true } })
  t.match(replaced.body, {
    client_name: 'shop',
    first_party: true,
    state: 'disabled',
    managed_by: 'team',
    grants_end_before: 5,
  })
  t.notOk('client_secret' in replaced.body, 'the secret stays')
  t.equal(
    (await readClient(storage, 'shop'))?.client_secret_hash,
    secretHash(String(created.body.client_secret)),
  )
  const echoed = await run('replace_client', { ...shop, version: replaced.version, body: read })
  t.match(echoed.body, { client_name: 'Shop', first_party: undefined })
})

onEachStorage(t, 'a dry run says what would change, and writes nothing', async (t, storage) => {
  const { run, events } = operatorOn(storage)
  const { difference } = await run('create_client', { body: SHOP, dry_run: true })
  const fields = difference.map(({ field }) => field)
  t.strictSame(fields.slice(0, 5), [
    ...['allowed_scopes', 'client_id', 'client_name', 'client_secret_created_at', 'client_secret'],
  ])
  t.strictSame(difference[0], { field: 'allowed_scopes', to: ['openid'] })
  t.strictSame(difference[4], { field: 'client_secret' }, 'a secret has no value')
  t.equal(await readClient(storage, 'shop'), undefined)
  const { version } = await run('create_client', { body: SHOP })
  await t.rejects(run('create_client', { body: SHOP, dry_run: true }), { code: 'exists' })
  const body = { first_party: true, allowed_scopes: null }
  t.strictSame((await run('change_client', { ...shop, version, body, dry_run: true })).difference, [
    { field: 'allowed_scopes', from: ['openid'] },
    { field: 'first_party', to: true },
  ])
  await t.rejects(run('change_client', { ...shop, version, body: { logo_uri: 'x' }, dry_run: true }), {
    code: 'invalid_field',
  })
  await run('replace_client', { ...shop, version, body: { ...SHOP, client_name: 'X' }, dry_run: true })
  t.ok((await run('delete_client', { ...shop, version, dry_run: true })).difference.length > 5)
  t.equal((await run('read_client', shop)).version, version)
  t.equal(events.length, 1)
})

onEachStorage(t, 'G7: of two operators who read the same client, one is told', async (t, storage) => {
  const { run } = operatorOn(storage)
  const { version } = await run('create_client', { body: SHOP })
  // Different fields, which the record lacks.
  const bodies = [{ first_party: true }, { policy_uri: 'https://shop.example.com/p' }, { id_token_ttl: 60 }]
  const results = await Promise.allSettled(
    bodies.map((body) => run('change_client', { ...shop, version, body })),
  )
  const stale = results.filter((result) => result.status === 'rejected')
  t.equal(stale.length, 2)
  for (const { reason } of stale) t.match(reason, { code: 'stale' })
  const { body: stored } = await run('read_client', shop)
  const written = bodies.filter((body) => Object.keys(body).every((field) => field in stored))
  t.equal(written.length, 1, 'no field of the others')
  await t.rejects(run('change_client', { ...shop, version, body: {} }), { code: 'stale' })
  await t.rejects(run('delete_client', { ...shop, version }), { code: 'stale' })
  await t.rejects(run('replace_client', { ...shop, version, body: SHOP }), { code: 'stale' })
  const both = await Promise.allSettled([1, 2].map(() => run('rotate_client_secret', shop)))
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'no secret that nobody has')
})

onEachStorage(t, 'clients are listed page by page, and searched', async (t, storage) => {
  const { run } = operatorOn(storage)
  for (const client_id of ['b', 'a', 'web-2', 'web', 'web-1']) {
    await createClient(storage, client_id, { client_secret_hash: '', grant_types: 'x' })
  }
  const ids = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
    (body.items as { client_id: string }[]).map(({ client_id }) => client_id)
  const first = await run('list_clients', { limit: 2 })
  t.strictSame(ids(first), ['a', 'b'])
  t.match(first.body.items, [{ state: 'malformed', problems: [{ field: 'is_public' }] }])
  await createClient(storage, 'a-new', { is_public: 'true' })
  const second = await run('list_clients', { limit: 2, cursor: String(first.body.next) })
  t.strictSame(ids(second), ['web', 'web-1'])
  const last = await run('list_clients', { limit: 2, cursor: String(second.body.next) })
  t.strictSame([ids(last), last.body.next], [['web-2'], undefined])
  const all = ['web', 'web-1', 'web-2']
  t.strictSame(
    ids(await run('list_clients', { query: { q: 'web' } })),
    all,
    'what is exactly this comes first',
  )
  t.strictSame(ids(await run('list_clients', { query: { q: 'web-2' } })), ['web-2'])
  t.strictSame(ids(await run('list_clients', { query: { q: 'WEB-' } })), all)
  t.strictSame(ids(await run('list_clients', { query: { q: 'nobody' } })), [])
})

onEachStorage(t, 'a removed client has nothing left, and a disabled one keeps it', async (t, storage) => {
  const { run, events } = operatorOn(storage)
  await run('create_client', { body: { client_id: 'shop' } })
  const token = await issueClientToken(storage, { client_id: 'shop' })
  t.strictSame((await run('disable_client', shop)).body, { client_id: 'shop', disabled: true })
  const { body: disabled, version } = await run('read_client', shop)
  t.equal(disabled.state, 'disabled')
  await run('enable_client', shop)
  await t.rejects(run('delete_client', { ...shop, version }), { code: 'stale' })
  const { version: present } = await run('read_client', shop)
  const { body } = await run('delete_client', { ...shop, version: present })
  t.strictSame(body, { ended: { grants: 0 } })
  const create = () => run('create_client', { body: { client_id: 'shop' } })
  await t.rejects(create(), { code: 'conflict' }, 'a new client would inherit its tokens')
  const names = ['client_added', 'client_disabled', 'client_enabled', 'client_disabled', 'client_removed']
  t.strictSame(
    events.map(({ event }) => event),
    names,
  )
  for (const name of [
    'read_client',
    'delete_client',
    'disable_client',
    'lint_client',
    'rotate_client_secret',
  ])
    await t.rejects(run(name, { ...shop, version: present }), { code: 'not_found' }, name)
  await workOffEndings(
    endingsContext({ storage, settings: readConfig({}).settings, report() {}, now: Date.now }),
  )
  // No list has it: the mark of a new client refuses it.
  t.equal((await storage.families.findToken(token))?.revoked, 'false')
  await create()
  t.ok(Number((await readClient(storage, 'shop'))?.tokens_end_before) > 0)
})

onEachStorage(t, 'a client has two secrets for a time, with their last uses', async (t, storage) => {
  let now = Date.parse('2026-11-22T08:00:00Z')
  const { run } = operatorOn(storage, { now: () => now })
  await run('create_client', { body: { client_id: 'shop', client_secret: SECRET } })
  const uses = new SecretUses({ storage, log: SILENT, report: () => {}, now: () => now })
  uses.note('shop', secretHash(SECRET), false)
  await uses.flush()
  now += 3_600_000
  const rotated = await run('rotate_client_secret', { ...shop, body: { keep_old_for: 600 } })
  t.match(rotated.body, { client_secret: /^[\w-]{43}$/, old_secret_ends_at: '2026-11-22T09:10:00.000Z' })
  uses.note('shop', secretHash(String(rotated.body.client_secret)), false)
  await uses.flush()
  t.match((await run('read_client', shop)).body, {
    old_secret: 'set',
    old_secret_ends_at: '2026-11-22T09:10:00.000Z',
    secret_used_at: '2026-11-22T09:00:00.000Z',
    old_secret_used_at: '2026-11-22T08:00:00.000Z',
  })
  const given = { client_secret: 'another-secret-of-more-than-32-characters' }
  t.strictSame((await run('rotate_client_secret', { ...shop, body: given })).body, { client_id: 'shop' })
  await t.rejects(run('rotate_client_secret', { ...shop, body: given }), { code: 'conflict' })
  await t.rejects(run('rotate_client_secret', { ...shop, body: { client_secret: 'x' } }), {
    code: 'invalid_field',
  })
  await run('rotate_client_secret', { ...shop, body: { keep_old_for: 600 } })
  t.match((await run('end_old_client_secret', shop)).body, { old_secret: 'none', secret: 'set' })
  await run('create_client', { body: { ...SHOP, client_id: 'app', is_public: true } })
  await t.rejects(run('rotate_client_secret', { params: { client_id: 'app' } }), { code: 'conflict' })
})

onEachStorage(t, 'lint, and settings to paste', async (t, storage) => {
  const { run } = operatorOn(storage, { settings: { issuer: 'https://id.example.com' } })
  await run('create_client', { body: { ...SHOP, assertion_issuer: 'https://ci.example.com' } })
  const short = new SecretUses({ storage, log: SILENT, report: () => {}, now: Date.now })
  await run('rotate_client_secret', { ...shop, body: { client_secret: SECRET } })
  short.note('shop', secretHash(SECRET), true)
  await short.flush()
  const { findings } = (await run('lint_client', shop)).body
  t.match(findings, [
    { level: 'warning', field: 'client_secret_hash', detail: /fewer than 16 characters/ },
    { level: 'warning', field: 'assertion_issuer', detail: /is not trusted/ },
  ])
  const query = { for: 'go', origin: 'https://shop.example.com' }
  const { settings } = (await run('client_settings', { ...shop, query })).body
  t.match(settings, [
    { file: 'a shell', language: 'sh', use: 'first, in an empty folder' },
    { file: '.env', language: 'sh', text: /https:\/\/id\.example\.com[\s\S]*<client_secret>/ },
  ])
  const other = { ...shop, query: { ...query, origin: 'https://shop.example.com/path' } }
  await t.rejects(run('client_settings', other), { code: 'invalid_field' })
  const api = { ...shop, query: { for: 'spring-api' } }
  await t.rejects(run('client_settings', api), { code: 'invalid_field', fields: [{ field: 'origin' }] })
  const with_address = { ...shop, query: { ...api.query, origin: 'https://orders.example.com' } }
  t.match(JSON.stringify((await run('client_settings', with_address)).body), 'https://orders.example.com')
})

onEachStorage(
  t,
  'G2: nobody gives a client rights that he lacks, or takes over one that has them',
  async (t, storage) => {
    const all = operatorOn(storage)
    const some = operatorOn(storage, { scopes: ['redmint:clients:write', 'redmint:users:read'] })
    const body = { client_id: 'own', allowed_scopes: ['redmint:users:read', 'api.read'] }
    const { version } = await some.run('create_client', { body })
    const lacking = { code: 'lacks_right' }
    for (const scope of ['redmint:users:write', 'redmint:read', 'redmint:other:write']) {
      const more = { ...body, client_id: 'more', allowed_scopes: [scope] }
      await t.rejects(some.run('create_client', { body: more }), lacking, scope)
      await t.rejects(some.run('create_client', { body: more, dry_run: true }), lacking, scope)
      await t.rejects(
        some.run('replace_client', { params: { client_id: 'more' }, body: more }),
        lacking,
        scope,
      )
      const change = { params: { client_id: 'own' }, version, body: { allowed_scopes: [scope] } }
      await t.rejects(some.run('change_client', change), lacking, scope)
      await t.rejects(some.run('change_client', { ...change, dry_run: true }), lacking, scope)
      await t.rejects(some.run('replace_client', change), lacking, scope)
    }
    await all.run('create_client', { body: { ...SHOP, allowed_scopes: ['redmint:write'] } })
    const { version: of_shop } = await all.run('read_client', shop)
    for (const [name, given] of Object.entries({
      rotate_client_secret: {},
      change_client: { version: of_shop, body: { redirect_uris: ['https://evil.example.com/cb'] } },
      replace_client: { version: of_shop, body: { ...SHOP, allowed_scopes: [] } },
      enable_client: {},
      disable_client: {},
      delete_client: { version: of_shop },
      end_old_client_secret: {},
    })) {
      await t.rejects(some.run(name, { ...shop, ...given }), lacking, name)
    }
    t.equal((await all.run('read_client', shop)).version, of_shop, 'nothing was written')
  },
)
