import type { Settings } from '../../src/config/settings.ts'
import { demoLeftovers } from '../../src/demo/demo-records.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { RecordStore } from '../../src/storage/storage.ts'

/** Returns the finding about records of demo mode. */
export async function demoFinding(store: RecordStore, { demo }: Pick<Settings, 'demo'>): Promise<Finding> {
  const { ok, warning } = findingsOf('demo records')
  if (demo) return ok('demo mode is on')
  const leftovers = await demoLeftovers(store)
  return leftovers.length === 0
    ? ok('there are none')
    : warning(`${leftovers.length} are left`, leftovers.join(' '))
}
