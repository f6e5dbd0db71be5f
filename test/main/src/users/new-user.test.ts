// Who gets a name, and a sub: of several at once one, and nobody that of a user who was removed.
import { hash } from 'node:crypto'
import t from 'tap'
import { planUser } from '../../../../src/admin/users/create.ts'
import { forgetUser } from '../../../../src/self-service/forget-user.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { insertUser } from '../../../../src/users/new-user.ts'
import { wasRemoved } from '../../../../src/users/removed-sub.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { collect } from '../../../support/contract/subject.ts'
import { changeUser, createUser, listUsers, readUser } from '../../../support/records.ts'

const report = () => {}
const caller = { kind: 'command', id: '', scopes: new Set<string>() } as never

t.test('of six spellings of one name at once one is made', async (t) => {
  const storage = new MemoryStorage()
  const names = ['Zoë', 'zoë', 'ZOË', 'zOë', 'Zoe\u0308', 'ZoË'].map((name) => name.normalize('NFC'))
  const made = await Promise.all(
    [...new Set(names)].map((name, i) => insertUser({ storage, report }, name, { sub: `s${i}` })),
  )
  t.equal(made.filter((outcome) => outcome === 'ok').length, 1)
  t.equal((await collect(listUsers(storage))).length, 1)
  t.equal(await insertUser({ storage, report }, 'zoE\u0308'.normalize('NFC'), { sub: 'x' }), 'exists')
  t.equal(await insertUser({ storage, report }, 'bob', { sub: 'b' }), 'ok', 'another name is free')
})

t.test('of two who bring one address at once one is made; an operator may give it to several', async (t) => {
  const storage = new MemoryStorage()
  const fields = { email: 'a@example.org', email_verified: 'true' }
  const insert = (name: string, options = {}) =>
    insertUser({ storage, report }, name, { sub: `sub-${name}`, ...fields }, options)
  const made = await Promise.all(['one', 'two'].map((name) => insert(name, { is_address_own: true })))
  t.strictSame(made.sort(), ['exists', 'ok'])
  t.equal(await insert('three', { is_address_own: true }), 'exists')
  t.equal(await insert('four'), 'ok')
})

t.test('a sub is never given again, but to the same person by a file', async (t) => {
  const clock = { now: 1_800_000_000_000 }
  const storage = new MemoryStorage({ now: () => clock.now })
  const settings = { audit_days: 90 } as const
  await createUser(storage, 'alice', { sub: '4711' })
  await forgetUser({ storage, settings, report }, 'alice', (await readUser(storage, 'alice')) ?? {})
  await t.rejects(planUser({ storage, caller }, 'mallory', { sub: '4711' }), /who was removed/)
  await t.rejects(planUser({ storage, caller }, 'alice', { sub: '4711' }), /who was removed/)
  t.notOk(await wasRemoved(storage, '4711', 'alice'), 'the same person may be imported')
  t.ok(await wasRemoved(storage, '4711', 'mallory'))
  const id = hash('sha256', '4711', 'base64url')
  const kept = await storage.records.read(
    { name: 'removed-sub', parse: (record) => ({ ok: true, record }) },
    id,
  )
  t.notMatch(JSON.stringify(kept), /alice|4711/, 'nothing says who it was')
  clock.now += 367 * 86_400_000
  t.notOk(await wasRemoved(storage, '4711'), 'it ends when nothing can name it')
})

t.test('each change of a way in, a right or a group is counted, and nothing else', async (t) => {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'a' })
  const generation = async () => (await readUser(storage, 'alice'))?.generation
  const counted = ['password_hash', 'disabled', 'linked_subjects', 'email', 'email_verified', 'admin']
  let count = 0
  for (const field of [...counted, 'second_factor', 'claim:groups']) {
    await changeUser(storage, 'alice', { set: { [field]: 'x' } })
    t.equal(await generation(), `${++count}`, field)
    await changeUser(storage, 'alice', { set: {}, unset: [field] })
    t.equal(await generation(), `${++count}`, `${field}, back again`)
  }
  for (const field of ['name', 'locale', 'sessions_end_before', 'access_ended', 'ending'])
    await changeUser(storage, 'alice', { set: { [field]: '1' } })
  await storage.records.change(USER, 'alice', { set: { password_hash: 'y' }, is_counted: false })
  t.equal(await generation(), `${count}`)
})
