import t from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { familyOfUses, isGrantedBefore } from '../../../../src/storage/family-ids.ts'

t.test(
  'what a request is made with once decides its family, so that a Cluster sees a second use',
  async (t) => {
    const use = (kind: 'assertion' | 'proof') => ({ kind, id: newToken(newFamilyId()), ttl: 60 })
    for (const uses of [[use('proof')], [use('assertion')], [use('assertion'), use('proof')]]) {
      t.equal(familyOfUses(uses), uses[0]?.id.slice(0, 16))
    }
    t.equal(familyOfUses([]), undefined)
  },
)

t.test(
  'what was granted before a restore mark is told by the time of its sign-in or assertion',
  async (t) => {
    const of = { subject: 'sub-of-alice' }
    for (const [record, expected] of [
      [{ ...of, auth_time: '999' }, true],
      [{ ...of, auth_time: '1000' }, false],
      [{ ...of, auth_time: 'text' }, true],
      [{ ...of, asserted_at: '999' }, true],
      [{ ...of, asserted_at: '1000' }, false],
      [of, false],
      [{ subject: '' }, true],
      [{}, true],
    ] as const) {
      t.equal(isGrantedBefore(record, 1000), expected, JSON.stringify(record))
    }
  },
)
