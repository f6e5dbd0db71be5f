// The contract of clients and users.

import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { formatClient, parseClient } from '../../../src/clients/record/client-record.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import {
  changeClient,
  changeUser,
  createClient,
  createUser,
  isWatching,
  listClients,
  listUsers,
  readClient,
  readUser,
  removeClient,
  removeUser,
  watchClients,
} from '../records.ts'
import { stopwatch } from '../stopwatch.ts'
import { until } from '../until.ts'
import { collect, type Make, watcher } from './subject.ts'

const NAMES = ['plain', '__proto__', 'constructor', 'toString', '{x}', 'a:b c', 'a,b', '*', '[a]?\\', '0']
const VALUES: Hash = Object.fromEntries([
  ['__proto__', 'polluted'],
  ['constructor', ''],
  ['empty', ''],
  ['control', 'a\0b\r\nc\td'],
  ['unicode', 'é 漢字 🗝 \u{FFFD}'],
  ['feld {x}', '"quoted" \'single\' \\'],
  ['long', 'x'.repeat(5000)],
])

export async function clientContract(t: Test, make: Make): Promise<void> {
  await t.test('a client can be created once, read and removed', async (t) => {
    const { storage } = await make(t)
    t.equal(await readClient(storage, 'app'), undefined)
    t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
    t.equal(await createClient(storage, 'app', { client_name: 'Other', is_public: 'true' }), 'exists')
    t.strictSame(await readClient(storage, 'app'), { client_name: 'App' }, 'the first record is unchanged')
    t.equal(await removeClient(storage, 'app'), 'ok')
    t.equal(await removeClient(storage, 'app'), 'missing')
    t.equal(await readClient(storage, 'app'), undefined)
    t.equal(await createClient(storage, 'app', { client_name: 'Other' }), 'ok', 'the client_id is free again')
  })

  await t.test('of concurrent creations one succeeds', async (t) => {
    const { storage } = await make(t)
    const all = Array.from({ length: 20 }, (_, i) => createClient(storage, 'app', { [`by_${i}`]: 'x' }))
    const outcomes = await Promise.all(all)
    t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
    const winner = outcomes.indexOf('ok')
    t.strictSame(
      await readClient(storage, 'app'),
      { [`by_${winner}`]: 'x' },
      'no field of the others was written',
    )
  })

  await t.test('names and values of any characters are stored unchanged', async (t) => {
    const { storage } = await make(t)
    for (const name of NAMES) t.equal(await readClient(storage, name), undefined, `${name} is unknown`)
    for (const name of NAMES) t.equal(await createClient(storage, name, { ...VALUES, name }), 'ok', name)
    for (const name of NAMES) sameHash(t, await readClient(storage, name), { ...VALUES, name })
    t.strictSame(
      (await collect(listClients(storage))).map(({ client_id }) => client_id).sort(),
      [...NAMES].sort(),
    )
    t.equal(({} as Hash).polluted, undefined)
  })

  await t.test('a record without fields is refused and writes nothing', async (t) => {
    const { storage } = await make(t)
    await t.rejects(createClient(storage, 'app', {}), TypeError)
    t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
  })

  await t.test('a change sets and removes fields atomically', async (t) => {
    const { storage } = await make(t)
    const change = { set: { a: '1' }, unset: ['b'] }
    t.equal(await changeClient(storage, 'app', change), 'missing')
    t.equal(await readClient(storage, 'app'), undefined, 'a change does not create a record')
    await createClient(storage, 'app', { a: '0', b: '0', c: '0' })
    t.equal(await changeClient(storage, 'app', change), 'ok')
    t.strictSame(await readClient(storage, 'app'), { a: '1', c: '0' })
    t.equal(await changeClient(storage, 'app', { set: {}, unset: [] }), 'ok', 'an empty change is accepted')
    t.equal(await changeClient(storage, 'app', { set: { d: '1' }, unset: [] }), 'ok')
    t.equal(await changeClient(storage, 'app', { set: {}, unset: ['a', 'never there'] }), 'ok')
    t.strictSame(await readClient(storage, 'app'), { c: '0', d: '1' })
    sameHash(t, await changed(VALUES), { c: '0', d: '1', ...VALUES })
    t.equal(
      await changeClient(storage, 'app', { set: { c: '1' }, unset: ['c', 'd', ...Object.keys(VALUES)] }),
      'ok',
    )
    t.equal(await readClient(storage, 'app'), undefined, 'removing the last field removes the record')

    async function changed(set: Hash) {
      await changeClient(storage, 'app', { set, unset: [] })
      return readClient(storage, 'app')
    }
  })

  await t.test('a conditional change applies only if the fields have the expected values', async (t) => {
    const { storage } = await make(t)
    const change = (expected: Hash, set: Hash = { a: '2' }) =>
      changeUser(storage, 'alice', { set, unset: ['c'], expected })
    t.equal(await change({}), 'missing')
    await createUser(storage, 'alice', { a: '1', b: '', c: '1' })
    for (const expected of [{ a: '0' }, { a: '' }, { d: '' }, { a: '1', b: '1' }, { toString: '1' }]) {
      t.equal(await change(expected), 'missing', JSON.stringify(expected))
    }
    t.strictSame(await readUser(storage, 'alice'), { a: '1', b: '', c: '1' })
    t.equal(await change({ a: '1', b: '' }), 'ok')
    t.strictSame(await readUser(storage, 'alice'), { a: '2', b: '' })
    const outcomes = await Promise.all(['3', '4', '5'].map((a) => change({ a: '2' }, { a })))
    t.strictSame(outcomes.sort(), ['missing', 'missing', 'ok'], 'one of three concurrent changes')
    const whole = (expected: Hash) => changeUser(storage, 'alice', { set: { d: '1' }, expected, whole: true })
    const stored = (await readUser(storage, 'alice')) ?? {}
    t.equal(await whole({ b: '' }), 'missing', 'it has another field')
    t.equal(await whole(stored), 'ok', 'these are all of its fields')
    t.equal(await whole(stored), 'missing', 'it got another one')
  })

  await t.test('concurrent changes all take effect', async (t) => {
    const { storage } = await make(t)
    await createClient(storage, 'app', { client_name: 'App' })
    const set = Array.from({ length: 20 }, (_, i) => ({ [`field_${i}`]: String(i) }))
    await Promise.all(
      set.map((fields) => changeClient(storage, 'app', { set: fields, unset: ['client_name'] })),
    )
    sameHash(t, await readClient(storage, 'app'), Object.assign({}, ...set))
  })

  await t.test('all clients are listed once, and no users', async (t) => {
    const { storage } = await make(t)
    t.strictSame(await collect(listClients(storage)), [])
    const names = Array.from({ length: 1200 }, (_, i) => `app-${i}`)
    await Promise.all(names.map((name) => createClient(storage, name, { client_name: `App of ${name}` })))
    await createUser(storage, 'alice', { sub: 'alice' })
    const listed = await collect(listClients(storage))
    t.strictSame(listed.map(({ client_id }) => client_id).sort(), [...names].sort())
    t.ok(listed.every(({ client_id, hash }) => hash.client_name === `App of ${client_id}`))
  })

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const given: Record<string, string> = { client_name: 'App' }
    await createClient(storage, 'app', given)
    given.client_name = 'changed'
    const [listed] = await collect(listClients(storage))
    for (const hash of [await readClient(storage, 'app'), listed?.hash]) {
      t.strictSame(hash, { client_name: 'App' })
      ;(hash as Record<string, string>).client_name = 'changed'
    }
    t.strictSame(await readClient(storage, 'app'), { client_name: 'App' })
  })

  await t.test('the record of a client contains only the digest of its secret', async (t) => {
    const { storage } = await make(t)
    const secret = 'correct horse battery staple'
    const client = {
      client_id: 'service',
      client_secret_hash: createHash('sha256').update(secret).digest('base64'),
      client_name: 'Service',
      redirect_uris: [],
      application_type: 'native' as const,
      allowed_scopes: ['api.read', 'api.write'],
      grant_types: ['client_credentials'] as const,
      authorization_details_types: ['payment'],
      is_public: false,
      refresh_tokens: 'offline_access' as const,
      scope_claims_in_id_token: true,
      custom_claims_in_access_token: true,
      status_list: true,
      refresh_token_rotation: false,
      asks_people: true,
      can_introspect: true,
      multiple_audiences: true,
      require_pkce: false,
      require_pushed_authorization_requests: true,
      assertion_audience: 'issuer' as const,
      require_signed_request_object: true,
      first_party: true,
      everybody: false,
      subject_type: 'public' as const,
      post_logout_redirect_uris: ['https://service.example/bye'],
      logout_ends_tokens: true,
      disabled: false,
      demo: false,
    }
    await createClient(storage, 'service', formatClient(client))
    const hash = await readClient(storage, 'service')
    t.notMatch(JSON.stringify(hash), secret)
    t.strictSame(parseClient('service', hash ?? {}), { ok: true, record: client })
  })

  await t.test('watchers are notified of every change within a second', async (t) => {
    const { storage } = await make(t)
    const one = watcher()
    const other = watcher()
    watchClients(storage, one.watch)
    watchClients(storage, other.watch)
    await until('changes are reported', () => isWatching(storage))
    const heard = async (what: string, step: () => Promise<unknown>, client_id: string) => {
      one.told.changed.length = 0
      other.told.changed.length = 0
      await step()
      const elapsed = stopwatch()
      await until(what, () => one.told.changed.includes(client_id) && other.told.changed.includes(client_id))
      t.ok(elapsed() < 1000, what)
    }
    for (const name of ['app', 'a,b', '__proto__', '{x}', 'é']) {
      await heard(`${name} created`, () => createClient(storage, name, { a: '1' }), name)
      await heard(`${name} changed`, () => changeClient(storage, name, { set: { a: '2' }, unset: [] }), name)
      await heard(`${name} removed`, () => removeClient(storage, name), name)
    }
    await createClient(storage, 'app', { a: '1' })
    await heard('other client', () => createClient(storage, 'other', { a: '1' }), 'other')
    one.told.changed.length = 0
    await createUser(storage, 'alice', { sub: 'alice' })
    await createClient(storage, 'app', { a: '3' })
    await changeClient(storage, 'nobody', { set: { a: '1' }, unset: [] })
    await heard('a last change', () => removeClient(storage, 'app'), 'app')
    t.strictSame(new Set(one.told.changed), new Set(['app']), 'a call that changed no client is not reported')
    t.ok(isWatching(storage))
  })

  await t.test('watchers are notified of changes made with redis-cli', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) {
      t.pass('no other writer exists for this storage')
      return
    }
    t.notOk(isWatching(storage), 'no watcher yet')
    const { told, watch } = watcher()
    watchClients(storage, watch)
    await until('changes are reported', () => isWatching(storage))
    const key = `${redis.prefix}client:app`
    const steps = [
      ['HSET', key, 'client_name', 'App'],
      ['HDEL', key, 'client_name'],
      ['HSET', key, 'client_name', 'App'],
      ['DEL', key],
    ]
    for (const step of steps) {
      told.changed.length = 0
      const elapsed = stopwatch()
      await redis.cli(...step)
      await until(step.join(' '), () => told.changed.includes('app'))
      t.ok(elapsed() < 1000, step.join(' '))
    }
    const before = told.all
    await redis.all('FLUSHALL')
    await until('a flush is reported', () => told.all > before)
    t.ok(isWatching(storage))
  })
}

export async function userContract(t: Test, make: Make): Promise<void> {
  await t.test('a user can be created once, read, listed and removed', async (t) => {
    const { storage } = await make(t)
    t.equal(await readUser(storage, 'alice'), undefined)
    t.strictSame(await collect(listUsers(storage)), [])
    t.equal(await createUser(storage, 'alice', { sub: '1', name: 'Alice' }), 'ok')
    t.equal(await createUser(storage, 'alice', { sub: '2' }), 'exists')
    t.strictSame(await readUser(storage, 'alice'), { sub: '1', name: 'Alice' })
    await createClient(storage, 'alice', { client_name: 'a client of the same name' })
    t.strictSame(await collect(listUsers(storage)), [
      { username: 'alice', hash: { sub: '1', name: 'Alice' } },
    ])
    t.equal(
      await changeUser(storage, 'alice', { set: { disabled: 'true', sub: '3' }, unset: ['name'] }),
      'ok',
    )
    t.strictSame(await readUser(storage, 'alice'), { sub: '3', disabled: 'true', generation: '1' })
    t.equal(await removeUser(storage, 'alice'), 'ok')
    t.equal(await removeUser(storage, 'alice'), 'missing')
    t.equal(await changeUser(storage, 'alice', { set: { sub: '4' }, unset: [] }), 'missing')
    t.equal(await readUser(storage, 'alice'), undefined)
    t.strictSame(await readClient(storage, 'alice'), { client_name: 'a client of the same name' })
    await t.rejects(createUser(storage, 'bob', {}), TypeError)
  })

  await t.test('names and values of any characters are stored unchanged', async (t) => {
    const { storage } = await make(t)
    for (const name of NAMES) t.equal(await createUser(storage, name, { ...VALUES, name }), 'ok', name)
    for (const name of NAMES) sameHash(t, await readUser(storage, name), { ...VALUES, name })
    t.strictSame(
      (await collect(listUsers(storage))).map(({ username }) => username).sort(),
      [...NAMES].sort(),
    )
  })

  await t.test('a lone surrogate becomes U+FFFD', async (t) => {
    const { storage } = await make(t)
    await createUser(storage, 'a\uD800', { sub: 'b\uDC00' })
    t.strictSame(await readUser(storage, 'a\uFFFD'), { sub: 'b\uFFFD' })
  })
}

// Compares entries, because tap ignores __proto__.
function sameHash(t: Test, found: Hash | undefined, wanted: Hash): void {
  const entries = (hash: Hash) => Object.entries(hash).sort(([one], [other]) => (one < other ? -1 : 1))
  t.strictSame(found && entries(found), entries(wanted))
}
