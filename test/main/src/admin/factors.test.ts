// What operators see and remove of factors.
import t from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { FACTORS, NO_FACTORS, type Passkey } from '../../../../src/factors/factors-record.ts'
import { write } from '../../../../src/storage/records.ts'
import { onEachStorage, operatorOn } from '../../../support/operator.ts'
import { createUser, readUser } from '../../../support/records.ts'

const AT = 1_800_000_000_000
const PASSKEY: Passkey = {
  name: 'Ann’s phone',
  public_key: 'planted-public-key',
  counter: 7,
  created_at: AT,
  backup_eligible: true,
  backed_up: true,
  user_verified: true,
  transports: ['internal'],
  aaguid: 'planted-aaguid',
}
const PLANTED = {
  ...NO_FACTORS,
  generation: 3,
  user_handle: 'planted-handle',
  totp: { secret: 'planted-secret', created_at: AT, last_step: 60_000_000, failures: 100 },
  recovery: { digests: ['planted-one', 'planted-two'], used: ['planted-used'], created_at: AT },
  passkeys: new Map([['planted-id', PASSKEY]]),
}
const alice = { params: { username: 'alice' } }

onEachStorage(t, 'C9 operators see what there is, and nothing that could be used', async (t, storage) => {
  const { run, answers, events } = operatorOn(storage)
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  const next_step = 'Nobody can sign in as alice yet: redmint user reset-link alice'
  t.strictSame((await run('read_factors', alice)).body, { passkeys: [], next_step })
  await storage.records.put(write(FACTORS, 'alice', PLANTED))
  const created_at = new Date(AT).toISOString()
  t.strictSame((await run('read_factors', alice)).body, {
    totp: { created_at, limited: true },
    recovery_codes: { created_at, left: 2 },
    passkeys: [{ name: PASSKEY.name, created_at, synced: true }],
  })
  await run('read_user', alice)
  await run('list_users')
  await run('reset_factors', alice)
  t.notMatch(JSON.stringify([answers, events]), 'planted')
  await t.rejects(run('read_factors', { params: { username: 'nobody' } }), { code: 'not_found' })
})

onEachStorage(
  t,
  'B13 a reset removes one kind or all, ends the sessions, and is an event',
  async (t, storage) => {
    const { run, events } = operatorOn(storage)
    await createUser(storage, 'alice', { sub: 'sub-of-alice' })
    const { next_step, ...nothing } = (await run('reset_factors', alice)).body as Record<string, unknown>
    t.strictSame(nothing, { removed: [], ended: 0 })
    t.match(next_step, /^Nobody can sign in as alice yet: /, 'the account has no password either')
    t.notOk((await readUser(storage, 'alice'))?.sessions_end_before, 'nothing ended')
    t.equal(await storage.records.read(FACTORS, 'alice'), undefined, 'nor changed')
    await storage.records.put(write(FACTORS, 'alice', PLANTED))
    const generation = async () => (await findFactors({ storage }, 'alice')).factors.generation
    t.match((await run('reset_factors', { ...alice, query: { only: 'totp' } })).body, { removed: ['totp'] })
    const { factors } = await findFactors({ storage }, 'alice')
    t.match(factors, { generation: 4, totp: undefined, recovery: undefined })
    t.equal(factors.passkeys.size, 1)
    t.ok((await readUser(storage, 'alice'))?.sessions_end_before)
    t.match((await run('reset_factors', alice)).body, { removed: ['passkeys'] })
    t.equal(await generation(), 5)
    t.match(
      events.filter(({ event }) => event === 'factors_reset'),
      [{ username: 'alice', removed: ['totp'] }, { removed: ['passkeys'] }],
    )
    t.equal(events.filter(({ event }) => event === 'sessions_ended').length, 2)
  },
)

onEachStorage(
  t,
  'who lacks the rights of a user cannot reset the factors of that user',
  async (t, storage) => {
    const { run } = operatorOn(storage, { scopes: ['redmint:users:write'] })
    await createUser(storage, 'alice', { sub: 'sub-of-alice', admin: 'redmint:write' })
    await storage.records.put(write(FACTORS, 'alice', PLANTED))
    await t.rejects(run('reset_factors', alice), { code: 'lacks_right' })
    t.equal((await findFactors({ storage }, 'alice')).factors.generation, 3)
  },
)

onEachStorage(
  t,
  'a user who is removed leaves no factors to the next one of that name',
  async (t, storage) => {
    const { run } = operatorOn(storage)
    await createUser(storage, 'alice', { sub: 'sub-of-alice' })
    await storage.records.put(write(FACTORS, 'alice', PLANTED))
    const { version } = await run('read_user', alice)
    await run('delete_user', { ...alice, version })
    t.equal(await storage.records.read(FACTORS, 'alice'), undefined)
  },
)
