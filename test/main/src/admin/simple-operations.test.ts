import t from 'tap'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { onEachStorage, operatorOn } from '../../../support/operator.ts'

const [API, ISSUER] = ['https://api.example.com', 'https://ci.example.com']

/** Kinds of records of which operators set nothing but fields. */
const NOUNS = [
  {
    noun: 'resource',
    id: 'resource',
    name: API,
    others: [`${API}/b`, `${API}/a`],
    fields: { scopes: ['orders.read'], access_token_ttl: 60 },
    wrong: { access_token_ttl: 0 },
    events: { written: 'resource_changed', removed: 'resource_removed' },
  },
  {
    noun: 'issuer',
    id: 'issuer',
    name: ISSUER,
    others: ['https://b.example.com', 'https://a.example.com'],
    fields: { conditions: ['repository_owner=acme'], max_lifetime: 60 },
    wrong: { max_lifetime: 0 },
    events: { written: 'issuer_trusted', removed: 'issuer_removed' },
  },
] as const

for (const { noun, id, name, others, fields, wrong, events: expected } of NOUNS) {
  const one = { params: { [id]: name } }
  const [list, create, read] = [`list_${noun}s`, `create_${noun}`, `read_${noun}`]
  const [replace, change, remove] = [`replace_${noun}`, `change_${noun}`, `delete_${noun}`]

  onEachStorage(t, `${noun}: created, read, changed, replaced and removed`, async (t, storage) => {
    const { run, events } = operatorOn(storage)
    await t.rejects(run(read, one), { code: 'not_found' })
    const created = await run(create, { body: { [id]: name, ...fields } })
    t.match(created.body, { [id]: name, ...fields, state: 'active' })
    for (const dry_run of [false, true])
      await t.rejects(run(create, { body: { [id]: name }, dry_run }), { code: 'exists' })
    const { version, body: described } = await run(read, one)
    t.strictSame([version, described], [created.version, created.body])
    const { state: _, ...whole } = described
    const [first, second] = Object.keys(fields)
    const patch = { [first ?? '']: null, disabled: true }
    const { difference } = await run(change, { ...one, version, body: patch, dry_run: true })
    t.match(difference, [{ field: 'disabled', to: true }, { field: first }].sort(byField))
    const changed = await run(change, { ...one, version, body: patch })
    t.match(changed.body, { state: 'disabled', [first ?? '']: undefined, [second ?? '']: 60 })
    await t.rejects(run(replace, { ...one, body: fields }), { code: 'version_required' })
    const replaced = await run(replace, { ...one, version: changed.version, body: whole })
    t.match(replaced.body, { ...fields, state: 'disabled' }, 'what an operator disabled stays so')
    const enabled = { ...one, version: replaced.version, body: { disabled: false } }
    const { version: present } = await run(replace, enabled)
    t.match((await run(read, one)).body, { state: 'active', [second ?? '']: undefined })
    t.ok((await run(remove, { ...one, version: present, dry_run: true })).difference.length > 0)
    t.match((await run(remove, { ...one, version: present })).body, { removed: true })
    await t.rejects(run(remove, { ...one, version: present }), { code: 'not_found' })
    await t.rejects(run(replace, { ...one, body: fields, version: present }), { code: 'stale' })
    await run(replace, { ...one, body: fields })
    const names = events.map(({ event }) => event)
    t.strictSame(names, [...Array(4).fill(expected.written), expected.removed, expected.written])
  })

  onEachStorage(t, `${noun}: what cannot be, and who was faster`, async (t, storage) => {
    const { run } = operatorOn(storage)
    await t.rejects(run(create, { body: { [id]: 'no address' } }), {
      code: 'invalid_field',
      fields: [{ field: id }],
    })
    const [field = ''] = Object.keys(wrong)
    for (const verb of [create, replace]) {
      const given = { ...one, body: { [id]: name, ...wrong } }
      await t.rejects(run(verb, given), { code: 'invalid_field', fields: [{ field }] }, verb)
      const typing = { ...one, body: { [id]: name, [`${field}s`]: 1 } }
      await t.rejects(run(verb, typing), { code: 'unknown_field', message: `mean ${field}` }, verb)
      const labelled = { ...one, body: { [id]: name, managed_by: verb === create ? 'x' : 'x y' } }
      await t.rejects(run(verb, labelled), { code: 'invalid_field', fields: [{ field: 'managed_by' }] }, verb)
    }
    const { version } = await run(create, { body: { [id]: name } })
    await t.rejects(run(change, { ...one, version, body: wrong }), { code: 'invalid_field' })
    await t.rejects(run(change, { ...one, version, body: { managed_by: 'x' } }), {
      code: 'invalid_field',
    })
    const bodies = [{ access_token_ttl: 1 }, { resource_name: 'A' }, { max_lifetime: 1 }, { reusable: true }]
    const mine = bodies.slice(noun === 'resource' ? 0 : 2, noun === 'resource' ? 2 : 4)
    const results = await Promise.allSettled(mine.map((body) => run(change, { ...one, version, body })))
    t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'G7: one of two')
    for (const verb of [change, replace, remove])
      await t.rejects(run(verb, { ...one, version }), { code: 'stale' }, verb)
  })

  onEachStorage(t, `${noun}: listed page by page, and searched`, async (t, storage) => {
    const { run } = operatorOn(storage)
    for (const other of others) await run(create, { body: { [id]: other } })
    const idsIn = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
      (body.items as Record<string, unknown>[]).map((item) => item[id])
    const first = await run(list, { limit: 1 })
    const second = await run(list, { limit: 1, cursor: String(first.body.next) })
    t.strictSame([...idsIn(first), ...idsIn(second)], [...others].sort())
    t.strictSame(idsIn(await run(list, { query: { q: others[0] } })), [others[0]])
    t.equal(idsIn(await run(list, { query: { q: 'https://' } })).length, 2)
  })
}

const byField = (one: { field?: string | undefined }, other: { field?: string | undefined }) =>
  String(one.field) < String(other.field) ? -1 : 1

onEachStorage(t, 'a resource is found in any spelling of its URI', async (t, storage) => {
  const { run } = operatorOn(storage)
  // As an operator may write it by hand.
  await storage.records.create({ kind: RESOURCE, id: `${API}/`, hash: { scopes: '' } })
  const spelled = { params: { resource: 'HTTPS://api.example.com:443' } }
  t.match((await run('read_resource', spelled)).body, { resource: `${API}/` })
  await t.rejects(run('create_resource', { body: { resource: API } }), { code: 'exists' })
})

onEachStorage(t, 'G2: who has an issuer trusted, or ends that, needs all rights', async (t, storage) => {
  const all = operatorOn(storage)
  const some = operatorOn(storage, { scopes: ['redmint:apis:write', 'redmint:write'] })
  const one = { params: { issuer: ISSUER } }
  const lacking = { code: 'lacks_right' }
  await t.rejects(some.run('create_issuer', { body: { issuer: ISSUER } }), lacking)
  const { version } = await all.run('create_issuer', { body: { issuer: ISSUER } })
  const jwks_uri = 'https://evil.example.com/keys'
  for (const name of ['change_issuer', 'replace_issuer'])
    await t.rejects(some.run(name, { ...one, version, body: { jwks_uri } }), lacking, name)
  await t.rejects(some.run('delete_issuer', { ...one, version }), lacking)
  await t.rejects(some.run('delete_issuer', { ...one, version, dry_run: true }), lacking)
  await all.run('delete_issuer', { ...one, version })
  await t.rejects(all.run('read_issuer', one), { code: 'not_found' })
})

onEachStorage(t, 'a provider has what all of its kind have, if that is not given', async (t, storage) => {
  const { run } = operatorOn(storage)
  const github = { kind: 'github', issuer: 'https://github.com', scope: ['read:user', 'user:email'] }
  const created = await run('create_provider', { body: { provider: 'github', client_id: 'a' } })
  t.match(created.body, github)
  const one = { params: { provider: 'github' } }
  const body = { client_id: 'b', kind: 'github' }
  const replaced = await run('replace_provider', { ...one, version: created.version, body })
  t.match(replaced.body, { ...github, client_id: 'b' }, 'also of one that is replaced')
  const own = { provider: 'work', kind: 'github', issuer: 'https://git.example.com', scope: ['read:user'] }
  t.match((await run('create_provider', { body: { ...own, client_id: 'a' } })).body, own)
  for (const kind of ['microsoft', undefined])
    await t.rejects(
      run('create_provider', { body: { provider: 'acme', client_id: 'a', ...(kind && { kind }) } }),
      { code: 'invalid_field', fields: [{ field: 'issuer' }] },
    )
  await t.rejects(run('create_provider', { body: { provider: 'x', client_id: 'a', kind: 'toString' } }), {
    code: 'invalid_field',
  })
})
