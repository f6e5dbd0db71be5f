// The lists of lockouts: whoever has most of their lines makes room.
import t from 'tap'
import { type LockedOut, MAX_LOCKOUTS, noteLockout, readLockouts } from '../../../../src/limits/lockouts.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'

const MINUTE = 60_000

t.test('guesses at one user, client or site hide no lockout of others', async (t) => {
  const whom: Record<string, (i: number | undefined) => LockedOut> = {
    'a user': (i) => ({
      counter: 'sign_in_user_at_address',
      username: i === undefined ? 'alice' : 'vic',
      address: `10.0.${(i ?? 0) >> 8}.${(i ?? 0) & 255}`,
    }),
    'a client': (i) => ({
      counter: 'client_auth',
      client_id: i === undefined ? 'web' : 'shop',
      address: `10.0.${(i ?? 0) >> 8}.${(i ?? 0) & 255}`,
    }),
    'an address': (i) => ({
      counter: 'device',
      address: i === undefined ? '192.0.2.1' : `2001:db8:1:${i.toString(16)}::`,
    }),
    'a name that nobody has': (i) => ({
      counter: 'sign_in_user_at_address',
      address: i === undefined ? '192.0.2.1' : `2001:db8:1:${i.toString(16)}::`,
    }),
  }
  for (const [what, of] of Object.entries(whom)) {
    const storage = new MemoryStorage()
    const note = (i: number | undefined, minutes: number) =>
      noteLockout(storage, { group: 'client', name: `${i}` }, of(i), minutes * MINUTE)
    await note(undefined, 1)
    for (let i = 0; i < MAX_LOCKOUTS + 50; i++) await note(i, 10)
    const listed = await readLockouts(storage)
    t.equal(listed.length, MAX_LOCKOUTS, what)
    t.match(listed.at(-1), { ...of(undefined), place: { group: 'client', name: 'undefined' } }, what)
  }
})

t.test('a lockout keeps its id and its end, whoever refuses next', async (t) => {
  const storage = new MemoryStorage()
  const note = (minutes: number) =>
    noteLockout(
      storage,
      { group: 'account', name: 'x' },
      { counter: 'sign_in_user', username: 'vic' },
      minutes * MINUTE,
    )
  await note(1)
  const [first] = await readLockouts(storage)
  await note(10)
  const [second, ...more] = await readLockouts(storage)
  t.equal(second?.id, first?.id)
  t.ok((second?.ends_in ?? 0) <= MINUTE)
  t.same(more, [])
})
