import { type RECORD_CHECKS, recordFindings } from '../../src/admin/doctor/records.ts'
import { completeSettings } from '../../src/config/settings.ts'
import type { Finding } from '../../src/service/finding.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ISSUER } from './service.ts'

const SETTINGS = completeSettings({ issuer: ISSUER })

/** Returns what doctor finds in one check of records. */
export async function recordFinding(
  check: (typeof RECORD_CHECKS)[number],
  storage: Storage,
  settings = SETTINGS,
): Promise<Finding | undefined> {
  return (await recordFindings(storage, settings, Date.now())).find((finding) => finding.check === check)
}
