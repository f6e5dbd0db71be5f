import { examineAll } from '../../src/admin/doctor/examine.ts'
import type { Calls } from '../calls.ts'
import type { CommandContext } from '../command-context.ts'
import type { Report } from '../output.ts'
import { demoFinding } from './demo.ts'
import { reportFindings } from './report.ts'

/** The command `doctor` at a server, which leaves checks out. @throws as Calls.call */
export async function examineServer({ call }: Calls): Promise<Report> {
  const { findings, left_out } = await call('doctor')
  return reportFindings(findings, left_out)
}

/** The command `doctor` on the host. @throws StorageUnavailable if Redis cannot be used */
export async function examineHost(context: CommandContext): Promise<Report> {
  const { storage, config, guesses_issuer, now } = context
  const { settings } = config
  const { findings } = await examineAll({ storage, settings, guesses_issuer, now }, true)
  return reportFindings([...findings, await demoFinding(storage, settings)])
}
