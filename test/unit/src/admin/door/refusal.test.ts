import t from 'tap'
import { refusalOf } from '../../../../../src/admin/door/refusal.ts'
import { problemOf } from '../../../../../src/admin/operation/problem.ts'
import { REALM } from '../../../../../src/core/challenge.ts'
import { tooLate } from '../../../../../src/core/errors.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'

t.test('a service that cannot answer says what is away, and blames storage only if it is', async (t) => {
  const crowded = refusalOf(tooLate(), REALM)
  const { type, status, title, detail } = problemOf(crowded.error)
  t.same({ type, status }, { type: 'urn:redmint:problem:unavailable', status: 503 })
  t.notMatch(`${title} ${detail}`, /storage/i)
  t.ok('retry-after' in crowded.headers)

  const away = refusalOf(new StorageUnavailable('a test'), REALM)
  t.match(problemOf(away.error), { type, status, detail: /storage/ })
  t.ok('retry-after' in away.headers)
})
