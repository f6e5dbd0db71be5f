import type { Finding } from '../../src/admin/doctor/finding.ts'
import { redisFindings } from '../../src/admin/doctor/redis.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { issuerFindings } from './issuer.ts'
import {
  clientFinding,
  demoFinding,
  keyFindings,
  registrationFinding,
  resourceFinding,
  startFindings,
  tokenFinding,
  trustedIssuerFinding,
  userFindings,
} from './records.ts'
import { reportFindings } from './report.ts'
import { serverFindings } from './servers.ts'

/**
 * The command `doctor`.
 * @throws StorageUnavailable if Redis cannot be used
 */
export async function examine(context: CommandContext): Promise<Report> {
  return reportFindings(await findingsOf(context))
}

async function findingsOf({ storage, config, guesses_issuer, now }: CommandContext): Promise<Finding[]> {
  // The records first: they tell best why Redis cannot be used.
  const records = [
    ...(await keyFindings(storage, config, now)),
    ...(await startFindings(storage, config)),
    tokenFinding(config),
    await demoFinding(storage, config),
    await clientFinding(storage, config),
    await registrationFinding(storage, config),
    ...(await userFindings(storage)),
    await resourceFinding(storage, config),
    await trustedIssuerFinding(storage),
  ]
  const issuer = await issuerFindings(config.settings, guesses_issuer, now)
  return [...(await redisFindingsOf(storage, now)), ...issuer, ...(await serverFindings(storage)), ...records]
}

async function redisFindingsOf({ examine, fails_over = false }: Storage, now: number): Promise<Finding[]> {
  const start = performance.now()
  const servers = await examine?.(() => now + (performance.now() - start))
  return (servers ?? []).flatMap((server) => redisFindings(server, fails_over, now))
}
