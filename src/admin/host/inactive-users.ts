import { type Static, Type } from '@sinclair/typebox'
import { inBatches } from '../../core/batches.ts'
import { compareIds } from '../../storage/compare-ids.ts'
import { USER } from '../../users/user-kind.ts'
import { describeUser, UserAnswer } from '../users/record-type.ts'
import { hostOperation } from './operation.ts'

const AT_A_TIME = 200

/** Lists the users who did not sign in since a time, and are known since then. */
export const listInactiveUsers = hostOperation({
  why: '--inactive works on Redis only: leave --server out.',
  body: Type.Object({ since: Type.String({ description: 'in ISO 8601' }) }, { additionalProperties: false }),
  answer: Type.Object({ items: Type.Array(UserAnswer) }),
  async run({ storage: { records, sign_ins } }, { body: { since } }) {
    const usernames: string[] = []
    for await (const { username } of sign_ins.inactiveSince(Date.parse(since))) usernames.push(username)
    const items: Static<typeof UserAnswer>[] = []
    await inBatches(usernames.sort(compareIds), AT_A_TIME, async (some) => {
      const [found, signed_in] = await Promise.all([
        Promise.all(some.map((username) => records.read(USER, username))),
        sign_ins.of(some),
      ])
      for (const [i, username] of some.entries()) {
        const hash = found[i]?.hash
        if (hash !== undefined) items.push(describeUser(username, hash, signed_in[i]))
      }
    })
    return { body: { items } }
  },
})
