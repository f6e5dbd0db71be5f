// Verifying reads and remembers the whole trail: those who ask at the same time share one reading.
import t from 'tap'
import { AUDIT_OPERATIONS } from '../../../../src/admin/audit.ts'
import type { AdminContext } from '../../../../src/admin/operation/operation.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { AUDIT_KEY } from '../../../support/audited.ts'

t.test('whoever asks during a verification gets its answer', async (t) => {
  const storage = new MemoryStorage()
  let collected = 0
  const { collect } = storage.trail
  storage.trail.collect = () => {
    collected += 1
    return collect.call(storage.trail)
  }
  const settings = { ...readConfig({}).settings, audit_key: AUDIT_KEY }
  const context = { storage, settings, now: Date.now, caller: { kind: 'command' } } as unknown as AdminContext
  const verify = () => AUDIT_OPERATIONS.verify_events.run(context, { params: {}, query: {}, body: undefined })
  const [first, second] = await Promise.all([verify(), verify()])
  t.same(first, second)
  t.equal(collected, 1, 'at the same time')
  await verify()
  t.equal(collected, 2, 'afterwards')
})
