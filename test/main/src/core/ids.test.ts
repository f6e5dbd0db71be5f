// Ids of different kinds are not assignable to each other, a plain string is. The compiler checks this.
import t from 'tap'
import type { ClientId, FamilyId, Sid, Sub, TransactionId } from '../../../../src/core/ids.ts'

type Assignable<From, To> = From extends To ? true : false

t.test('ids of different kinds cannot be mixed up', async (t) => {
  const mixed: readonly [
    Assignable<ClientId, Sid>,
    Assignable<Sid, FamilyId>,
    Assignable<FamilyId, TransactionId>,
    Assignable<TransactionId, Sub>,
    Assignable<Sub, ClientId>,
  ] = [false, false, false, false, false]
  const plain: readonly [Assignable<string, ClientId>, Assignable<ClientId, string>] = [true, true]
  t.strictSame([...mixed, ...plain], [false, false, false, false, false, true, true])
})
