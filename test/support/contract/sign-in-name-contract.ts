// The contract of the index of sign-in names.

import type { Test } from 'tap'
import { recordOf } from '../../../src/storage/records.ts'
import { addSignInName, removeSignInName, SIGN_IN_NAME } from '../../../src/users/sign-in-names.ts'
import { keysOf } from './redis-subject.ts'
import type { Make } from './subject.ts'

const NAME = 'office@example.com'

export async function signInNameContract(t: Test, make: Make): Promise<void> {
  await t.test(
    'users are added to a name and removed from it at the same time, and none is lost',
    async (t) => {
      const { storage, redis } = await make(t)
      const usernames = async () => recordOf(await storage.records.read(SIGN_IN_NAME, NAME))?.toSorted()
      const users = Array.from({ length: 20 }, (_, index) => `user-${index}`).sort()
      await Promise.all([...users, ...users].map((user) => addSignInName(storage, NAME, user)))
      t.strictSame(await usernames(), users)
      const [first = '', ...others] = users
      await Promise.all([
        ...others.map((user) => removeSignInName(storage, NAME, user)),
        addSignInName(storage, NAME, '__proto__'),
      ])
      t.strictSame(await usernames(), ['__proto__', first])
      // Between the removal of the last user and an addition the record vanishes.
      for (let round = 0; round < 10; round++) {
        await Promise.all([
          removeSignInName(storage, NAME, first),
          removeSignInName(storage, NAME, '__proto__'),
          addSignInName(storage, NAME, 'bob'),
        ])
        t.strictSame(await usernames(), ['bob'])
        await Promise.all([removeSignInName(storage, NAME, 'bob'), addSignInName(storage, NAME, first)])
        t.strictSame(await usernames(), [first])
      }
      await removeSignInName(storage, NAME, first)
      t.equal(await usernames(), undefined)
      if (redis) {
        const left = (await keysOf(redis)).filter((key) => key.startsWith(SIGN_IN_NAME.name))
        t.strictSame(left, [], 'a name without users leaves no key')
      }
    },
  )

  await t.test('a user is added to a name whose last user is removed at that moment', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    await addSignInName(storage, NAME, 'alice')
    const create = records.create.bind(records)
    records.create = async (...writes) => {
      const created = await create(...writes)
      if (created === 'exists') await removeSignInName(storage, NAME, 'alice')
      return created
    }
    await addSignInName(storage, NAME, 'bob')
    t.strictSame(recordOf(await records.read(SIGN_IN_NAME, NAME)), ['bob'])
  })
}
