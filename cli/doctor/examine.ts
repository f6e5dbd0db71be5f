import { examineAll } from '../../src/admin/doctor/examine.ts'
import type { Calls } from '../calls.ts'
import type { CommandContext } from '../command-context.ts'
import type { Report } from '../output.ts'
import { demoFinding } from './demo.ts'
import { reportFindings } from './report.ts'

/**
 * The command `doctor`.
 * @throws StorageUnavailable if Redis cannot be used
 */
export async function examine({ call, host }: Calls): Promise<Report> {
  if (host !== undefined) return reportFindings(await findingsOn(host))
  const { findings, left_out } = await call('doctor')
  return reportFindings(findings, left_out)
}

async function findingsOn({ storage, config: { settings }, guesses_issuer, now }: CommandContext) {
  const { findings } = await examineAll({ storage, settings, guesses_issuer, now }, true)
  return [...findings, await demoFinding(storage, settings)]
}
