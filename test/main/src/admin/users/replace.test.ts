// A user as a whole: what is given, what stays, and what it ends.
import t from 'tap'
import { createSession } from '../../../../../src/sessions/session-store.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { indexAdministrator } from '../../../../../src/users/administrators.ts'
import { session } from '../../../../support/contract/session-contract.ts'
import { operatorOn } from '../../../../support/operator.ts'
import { createUser, readUser } from '../../../../support/records.ts'

const ONE = { params: { username: 'ada' } }

function start(scopes?: readonly string[]) {
  const storage = new MemoryStorage()
  return { storage, ...operatorOn(storage, scopes && { scopes }) }
}

t.test('what is left out is none, but for what only an operator ends', async (t) => {
  const { storage, run, events } = start()
  const whole = {
    sub: 'ada-1',
    claims: { name: 'Ada', groups: ['staff'] },
    linked_subjects: [],
    managed_by: 'a',
  }
  const planned = await run('replace_user', { ...ONE, body: whole, dry_run: true })
  t.match(
    planned.difference.map(({ field }) => field),
    ['claims.groups', 'claims.name', 'managed_by'],
  )
  t.equal(await readUser(storage, 'ada'), undefined)
  const created = await run('replace_user', { ...ONE, body: whole })
  t.strictSame(await readUser(storage, 'ada'), {
    sub: 'ada-1',
    name: 'Ada',
    'claim:groups': '["staff"]',
    managed_by: 'a',
  })
  const { version } = created
  const same = await run('replace_user', { ...ONE, body: whole, dry_run: true })
  t.strictSame(same.difference, [], 'the same is no difference, without a version')
  await run('replace_user', { ...ONE, version, body: whole })
  t.equal(events.length, 1, 'nor an event')
  const body = { claims: { name: 'Ada L.' }, admin: ['redmint:read'] }
  const less = await run('replace_user', { ...ONE, version, body })
  t.match(await readUser(storage, 'ada'), {
    sub: 'ada-1',
    name: 'Ada L.',
    'claim:groups': undefined,
    managed_by: 'a',
    admin: 'redmint:read',
  })
  await run('replace_user', { ...ONE, version: less.version, body: { claims: {} } })
  t.match(await readUser(storage, 'ada'), { name: undefined, admin: 'redmint:read', managed_by: 'a' })
})

t.test('what was read may be sent back, and what only redmint sets may not be changed', async (t) => {
  const { storage, run } = start()
  await createUser(storage, 'ada', { sub: 'ada-1', name: 'Ada', sessions_end_before: '5' })
  const { body, version } = await run('read_user', ONE)
  const given = { ...ONE, version, body }
  t.strictSame((await run('replace_user', { ...given, dry_run: true })).difference, [])
  for (const [field, value] of Object.entries({ sessions_end_before: 6, ending: true, demo: true })) {
    const wrong = { ...given, body: { ...body, [field]: value } }
    await t.rejects(run('replace_user', wrong), { code: 'invalid_field', fields: [{ field }] }, field)
  }
  await t.rejects(run('replace_user', { ...given, body: { ...body, sub: 'other' } }), {
    code: 'invalid_field',
    message: /never changes/,
  })
  await t.rejects(run('replace_user', { ...given, body: { ...body, managed_by: 'a b' } }), {
    code: 'invalid_field',
  })
})

t.test('a record without a sub gets none that another user has', async (t) => {
  const { storage, run } = start()
  await run('create_user', { body: { username: 'eve', sub: 'eve-1' } })
  await createUser(storage, 'ada', { name: 'Ada' })
  const { version } = await run('read_user', ONE)
  const taken = { ...ONE, version, body: { sub: 'eve-1' } }
  for (const dry_run of [true, false])
    await t.rejects(run('replace_user', { ...taken, dry_run }), {
      code: 'exists',
      fields: [{ field: 'sub' }],
    })
  t.equal((await readUser(storage, 'ada'))?.sub, undefined)
})

t.test('nobody overwrites what he did not read, or writes where somebody else was', async (t) => {
  const { storage, run } = start()
  const body = { claims: { name: 'Ada' } }
  await t.rejects(run('replace_user', { ...ONE, version: '"x"', body }), { code: 'stale' })
  const { version } = await run('replace_user', { ...ONE, body })
  await t.rejects(run('replace_user', { ...ONE, body }), { code: 'version_required' })
  await run('change_user', { ...ONE, version, body: { claims: { nickname: 'al' } } })
  await t.rejects(run('replace_user', { ...ONE, version, body }), { code: 'stale' })
  t.match(await readUser(storage, 'ada'), { nickname: 'al' })
})

t.test('whoever becomes disabled loses all, and the last administrator stays', async (t) => {
  const { storage, run, events } = start()
  const admin = ['redmint:read', 'redmint:write']
  const { version } = await run('replace_user', { ...ONE, body: { sub: 'ada-1', admin } })
  await indexAdministrator(storage, 'ada', true)
  for (const dry_run of [true, false])
    for (const body of [{ admin: [] }, { disabled: true }])
      await t.rejects(run('replace_user', { ...ONE, version, dry_run, body }), { code: 'last_administrator' })
  await run('replace_user', { params: { username: 'eve' }, body: { admin } })
  await createSession(storage, 'digest', session({ username: 'ada', sub: 'ada-1' }), 60)
  events.length = 0
  await run('replace_user', { ...ONE, version, body: { disabled: true } })
  const { disabled, sessions_end_before, ending } = (await readUser(storage, 'ada')) ?? {}
  t.match({ disabled, sessions_end_before, ending }, { disabled: 'true', ending: undefined })
  t.match(sessions_end_before, /^\d+$/)
  t.strictSame(
    events.map(({ event }) => event),
    ['user_disabled'],
  )
})

t.test('nobody replaces somebody whose rights he lacks, nor gives one', async (t) => {
  const { storage, run } = start(['redmint:users:write'])
  await createUser(storage, 'ada', { sub: 'ada-1', admin: 'redmint:keys:write' })
  for (const given of [
    { ...ONE, dry_run: true, body: {} },
    { params: { username: 'eve' }, body: { admin: ['redmint:keys:write'] } },
  ])
    await t.rejects(run('replace_user', given), { code: 'lacks_right' })
})
