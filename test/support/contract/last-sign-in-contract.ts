// The contract of last sign-ins.
import type { Test } from 'tap'
import type { Storage } from '../../../src/storage/storage.ts'
import { collect, type Make } from './subject.ts'

const LIMIT = { max: 5, ttl: 60 }
/** More than one command reads, all at the same time, as after an import. */
const MANY = 1300

export async function lastSignInContract(t: Test, make: Make): Promise<void> {
  const signIn = ({ counters }: Storage, username: string, at: number) =>
    counters.rememberBrowser(username, { name: 'browser', bound_to: 'password' }, LIMIT, { username, at })
  const inactive = async ({ sign_ins }: Storage, since: number) =>
    (await collect(sign_ins.inactiveSince(since))).map(({ username }) => username).sort()

  await t.test('a sign-in is noted, the last one counts, and a user can be forgotten', async (t) => {
    const { storage } = await make(t)
    const { sign_ins } = storage
    t.strictSame(await sign_ins.of(['alice']), [{ username: 'alice' }])
    await sign_ins.add(['alice', 'bob'])
    t.strictSame(await sign_ins.of(['alice']), [{ username: 'alice' }], 'known, but never signed in')
    await signIn(storage, 'alice', 1_795_000_000_123)
    await signIn(storage, 'alice', 1_795_000_000_456)
    await sign_ins.add(['alice'])
    t.strictSame(await sign_ins.of(['alice', 'bob']), [
      { username: 'alice', signed_in_at: 1_795_000_000_456 },
      { username: 'bob' },
    ])
    await sign_ins.forget(['alice'])
    t.strictSame(await sign_ins.of(['alice']), [{ username: 'alice' }])
    t.strictSame(await inactive(storage, Number.POSITIVE_INFINITY), ['bob'])
  })

  await t.test('users are inactive since a time, those who never signed in included', async (t) => {
    const { storage } = await make(t)
    await signIn(storage, 'early', 1000)
    await signIn(storage, 'late', 2001)
    t.strictSame(await inactive(storage, 2000), ['early'])
    await storage.sign_ins.add(['never'])
    t.strictSame(await inactive(storage, 2000), ['early'], 'one who was added today is not dormant')
    t.strictSame(await inactive(storage, Date.now() + 60_000), ['early', 'late', 'never'])
  })

  await t.test('each of many with the same time is found once', async (t) => {
    const { storage } = await make(t)
    const names = Array.from({ length: MANY }, (_, i) => `user-${String(i).padStart(4, '0')}`)
    await signIn(storage, 'first', 999)
    for (const username of names) await signIn(storage, username, 1000)
    await signIn(storage, 'last', 1001)
    t.strictSame(await inactive(storage, 2000), ['first', 'last', ...names])
  })
}
