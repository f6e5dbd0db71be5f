// The contract of clients and users.

import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { formatClient, parseClient } from '../../../src/clients/client-record.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { stopwatch } from '../../support/stopwatch.ts'
import { until } from '../../support/until.ts'
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
  await t.test('a client is created once, read, and removed', async (t) => {
    const { storage } = await make(t)
    t.equal(await storage.readClient('app'), undefined)
    t.equal(await storage.createClient('app', { client_name: 'App' }), 'ok')
    t.equal(await storage.createClient('app', { client_name: 'Other', is_public: 'true' }), 'exists')
    t.strictSame(await storage.readClient('app'), { client_name: 'App' }, 'the first one stands untouched')
    t.equal(await storage.removeClient('app'), 'ok')
    t.equal(await storage.removeClient('app'), 'missing')
    t.equal(await storage.readClient('app'), undefined)
    t.equal(await storage.createClient('app', { client_name: 'Other' }), 'ok', 'the name is free again')
  })

  await t.test('of parallel creations one is right', async (t) => {
    const { storage } = await make(t)
    const all = Array.from({ length: 20 }, (_, i) => storage.createClient('app', { [`by_${i}`]: 'x' }))
    const outcomes = await Promise.all(all)
    t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
    const winner = outcomes.indexOf('ok')
    t.strictSame(await storage.readClient('app'), { [`by_${winner}`]: 'x' }, 'and no other left a field')
  })

  await t.test('every name and every value is an ordinary one', async (t) => {
    const { storage } = await make(t)
    for (const name of NAMES) t.equal(await storage.readClient(name), undefined, `${name} is unknown`)
    for (const name of NAMES) t.equal(await storage.createClient(name, { ...VALUES, name }), 'ok', name)
    for (const name of NAMES) sameHash(t, await storage.readClient(name), { ...VALUES, name })
    t.strictSame(
      (await collect(storage.listClients())).map(({ client_id }) => client_id).sort(),
      [...NAMES].sort(),
    )
    t.equal(({} as Hash).polluted, undefined)
  })

  await t.test('a record without fields is refused, and leaves nothing', async (t) => {
    const { storage } = await make(t)
    await t.rejects(storage.createClient('app', {}), TypeError)
    t.equal(await storage.createClient('app', { client_name: 'App' }), 'ok')
  })

  await t.test('changes set and remove fields in one step', async (t) => {
    const { storage } = await make(t)
    const change = { set: { a: '1' }, unset: ['b'] }
    t.equal(await storage.changeClient('app', change), 'missing')
    t.equal(await storage.readClient('app'), undefined, 'a change creates nothing')
    await storage.createClient('app', { a: '0', b: '0', c: '0' })
    t.equal(await storage.changeClient('app', change), 'ok')
    t.strictSame(await storage.readClient('app'), { a: '1', c: '0' })
    t.equal(await storage.changeClient('app', { set: {}, unset: [] }), 'ok', 'no change is fine')
    t.equal(await storage.changeClient('app', { set: { d: '1' }, unset: [] }), 'ok')
    t.equal(await storage.changeClient('app', { set: {}, unset: ['a', 'never there'] }), 'ok')
    t.strictSame(await storage.readClient('app'), { c: '0', d: '1' })
    sameHash(t, await changed(VALUES), { c: '0', d: '1', ...VALUES })
    t.equal(
      await storage.changeClient('app', { set: { c: '1' }, unset: ['c', 'd', ...Object.keys(VALUES)] }),
      'ok',
    )
    t.equal(await storage.readClient('app'), undefined, 'with its last field the record is gone')

    async function changed(set: Hash) {
      await storage.changeClient('app', { set, unset: [] })
      return storage.readClient('app')
    }
  })

  await t.test('a change of what is as expected, and of nothing else', async (t) => {
    const { storage } = await make(t)
    const change = (expected: Hash, set: Hash = { a: '2' }) =>
      storage.changeUser('alice', { set, unset: ['c'], expected })
    t.equal(await change({}), 'missing')
    await storage.createUser('alice', { a: '1', b: '', c: '1' })
    for (const expected of [{ a: '0' }, { a: '' }, { d: '' }, { a: '1', b: '1' }, { toString: '1' }]) {
      t.equal(await change(expected), 'missing', JSON.stringify(expected))
    }
    t.strictSame(await storage.readUser('alice'), { a: '1', b: '', c: '1' })
    t.equal(await change({ a: '1', b: '' }), 'ok')
    t.strictSame(await storage.readUser('alice'), { a: '2', b: '' })
    const outcomes = await Promise.all(['3', '4', '5'].map((a) => change({ a: '2' }, { a })))
    t.strictSame(outcomes.sort(), ['missing', 'missing', 'ok'], 'one of three at once')
  })

  await t.test('parallel changes all take effect', async (t) => {
    const { storage } = await make(t)
    await storage.createClient('app', { client_name: 'App' })
    const set = Array.from({ length: 20 }, (_, i) => ({ [`field_${i}`]: String(i) }))
    await Promise.all(
      set.map((fields) => storage.changeClient('app', { set: fields, unset: ['client_name'] })),
    )
    sameHash(t, await storage.readClient('app'), Object.assign({}, ...set))
  })

  await t.test('all clients are listed, once, and users are not', async (t) => {
    const { storage } = await make(t)
    t.strictSame(await collect(storage.listClients()), [])
    const names = Array.from({ length: 1200 }, (_, i) => `app-${i}`)
    await Promise.all(names.map((name) => storage.createClient(name, { client_name: `App of ${name}` })))
    await storage.createUser('alice', { sub: 'alice' })
    const listed = await collect(storage.listClients())
    t.strictSame(listed.map(({ client_id }) => client_id).sort(), [...names].sort())
    t.ok(listed.every(({ client_id, hash }) => hash.client_name === `App of ${client_id}`))
  })

  await t.test('what is read is a copy', async (t) => {
    const { storage } = await make(t)
    const given: Record<string, string> = { client_name: 'App' }
    await storage.createClient('app', given)
    given.client_name = 'changed'
    const [listed] = await collect(storage.listClients())
    for (const hash of [await storage.readClient('app'), listed?.hash]) {
      t.strictSame(hash, { client_name: 'App' })
      ;(hash as Record<string, string>).client_name = 'changed'
    }
    t.strictSame(await storage.readClient('app'), { client_name: 'App' })
  })

  await t.test('the record of a client with a secret holds a digest of it', async (t) => {
    const { storage } = await make(t)
    const secret = 'correct horse battery staple'
    const client = {
      client_id: 'service',
      client_secret_hash: createHash('sha256').update(secret).digest('base64'),
      client_name: 'Service',
      redirect_uris: [],
      allowed_scopes: ['api.read', 'api.write'],
      grant_types: ['client_credentials'] as const,
      is_public: false,
      refresh_token_rotation: false,
      can_introspect: true,
      require_pkce: false,
      first_party: true,
      subject_type: 'public' as const,
      post_logout_redirect_uris: ['https://service.example/bye'],
      logout_ends_tokens: true,
      disabled: false,
    }
    await storage.createClient('service', formatClient(client))
    const hash = await storage.readClient('service')
    t.notMatch(JSON.stringify(hash), secret)
    t.strictSame(parseClient('service', hash ?? {}), { ok: true, record: client })
  })

  await t.test('watchers hear of every change within a second', async (t) => {
    const { storage } = await make(t)
    const one = watcher()
    const other = watcher()
    storage.watchClients(one.watch)
    storage.watchClients(other.watch)
    await until('changes are reported', () => storage.watching)
    const heard = async (what: string, step: () => Promise<unknown>, client_id: string) => {
      one.told.changed.length = 0
      other.told.changed.length = 0
      await step()
      const elapsed = stopwatch()
      await until(what, () => one.told.changed.includes(client_id) && other.told.changed.includes(client_id))
      t.ok(elapsed() < 1000, what)
    }
    for (const name of ['app', 'a,b', '__proto__', '{x}', 'é']) {
      await heard(`${name} created`, () => storage.createClient(name, { a: '1' }), name)
      await heard(`${name} changed`, () => storage.changeClient(name, { set: { a: '2' }, unset: [] }), name)
      await heard(`${name} removed`, () => storage.removeClient(name), name)
    }
    await storage.createClient('app', { a: '1' })
    await heard('other client', () => storage.createClient('other', { a: '1' }), 'other')
    one.told.changed.length = 0
    await storage.createUser('alice', { sub: 'alice' })
    await storage.createClient('app', { a: '3' })
    await storage.changeClient('nobody', { set: { a: '1' }, unset: [] })
    await heard('a last change', () => storage.removeClient('app'), 'app')
    t.strictSame(new Set(one.told.changed), new Set(['app']), 'what changed no client is not reported')
    t.ok(storage.watching)
  })

  await t.test('watchers hear of what is written by hand', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) {
      t.pass('nobody else writes to this storage')
      return
    }
    t.notOk(storage.watching, 'nobody watches yet')
    const { told, watch } = watcher()
    storage.watchClients(watch)
    await until('changes are reported', () => storage.watching)
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
    t.ok(storage.watching)
  })
}

export async function userContract(t: Test, make: Make): Promise<void> {
  await t.test('a user is created once, read, listed, and removed', async (t) => {
    const { storage } = await make(t)
    t.equal(await storage.readUser('alice'), undefined)
    t.strictSame(await collect(storage.listUsers()), [])
    t.equal(await storage.createUser('alice', { sub: '1', name: 'Alice' }), 'ok')
    t.equal(await storage.createUser('alice', { sub: '2' }), 'exists')
    t.strictSame(await storage.readUser('alice'), { sub: '1', name: 'Alice' })
    await storage.createClient('alice', { client_name: 'a client of the same name' })
    t.strictSame(await collect(storage.listUsers()), [
      { username: 'alice', hash: { sub: '1', name: 'Alice' } },
    ])
    t.equal(await storage.changeUser('alice', { set: { disabled: 'true', sub: '3' }, unset: ['name'] }), 'ok')
    t.strictSame(await storage.readUser('alice'), { sub: '3', disabled: 'true' })
    t.equal(await storage.removeUser('alice'), 'ok')
    t.equal(await storage.removeUser('alice'), 'missing')
    t.equal(await storage.changeUser('alice', { set: { sub: '4' }, unset: [] }), 'missing')
    t.equal(await storage.readUser('alice'), undefined)
    t.strictSame(await storage.readClient('alice'), { client_name: 'a client of the same name' })
    await t.rejects(storage.createUser('bob', {}), TypeError)
  })

  await t.test('every name and every value is an ordinary one', async (t) => {
    const { storage } = await make(t)
    for (const name of NAMES) t.equal(await storage.createUser(name, { ...VALUES, name }), 'ok', name)
    for (const name of NAMES) sameHash(t, await storage.readUser(name), { ...VALUES, name })
    t.strictSame(
      (await collect(storage.listUsers())).map(({ username }) => username).sort(),
      [...NAMES].sort(),
    )
  })

  await t.test('a lone surrogate is U+FFFD', async (t) => {
    const { storage } = await make(t)
    await storage.createUser('a\uD800', { sub: 'b\uDC00' })
    t.strictSame(await storage.readUser('a\uFFFD'), { sub: 'b\uFFFD' })
  })
}

// Compares entries, because tap leaves out __proto__.
function sameHash(t: Test, found: Hash | undefined, wanted: Hash): void {
  const entries = (hash: Hash) => Object.entries(hash).sort(([one], [other]) => (one < other ? -1 : 1))
  t.strictSame(found && entries(found), entries(wanted))
}
