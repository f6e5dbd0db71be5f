import { adviceOf, partyOf } from '../../core/third-parties.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { readRecentFaults } from '../../service/recent-faults.ts'
import type { Storage } from '../../storage/storage.ts'

/** How many are named at most. */
const SHOWN = 5

/** Returns the finding about third parties: which failed within an hour, and not since. @throws StorageUnavailable */
export async function thirdPartyFinding(storage: Pick<Storage, 'bounded'>, now: number): Promise<Finding> {
  const { ok, warning } = findingsOf('third parties')
  const faults = await readRecentFaults(storage, now)
  if (faults.length === 0) return ok('none failed within an hour')
  const shown = faults.slice(0, SHOWN)
  const found = shown.map(({ party, name, step, code, at }) => {
    const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
    return `${[partyOf(party).is, name].filter(Boolean).join(' ')} at ${step}: ${code} (${time}Z)`
  })
  const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more` : ''
  const commands = [...new Set(shown.map(adviceOf))].join(', ')
  return warning(found.join('; ') + more, `Look with ${commands}.`)
}
