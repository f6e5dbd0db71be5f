// Suite: unit
import t from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { familyOfUses, isFamilyId } from '../../../src/storage/family-ids.ts'

t.test(
  'what a request is made with once decides its family, so that a Cluster sees a second use',
  async (t) => {
    const use = (kind: 'assertion' | 'proof') => ({ kind, id: newToken(newFamilyId()), ttl: 60 })
    for (const uses of [[use('proof')], [use('assertion')], [use('assertion'), use('proof')]]) {
      t.equal(familyOfUses(uses), uses[0]?.id.slice(0, 16))
    }
    const [one, other] = [familyOfUses([]), familyOfUses([])]
    t.ok(isFamilyId(one) && isFamilyId(other))
    t.not(one, other)
  },
)
