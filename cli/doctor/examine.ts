import type { Finding } from '../../src/admin/doctor/finding.ts'
import { redisFindings } from '../../src/admin/doctor/redis.ts'
import type { ExaminedServer } from '../../src/storage/redis/examination.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { auditFinding } from './audit.ts'
import { clockFindings } from './clocks.ts'
import { directoryFinding } from './directory.ts'
import { growthFindings } from './growth.ts'
import { issuerFindings } from './issuer.ts'
import { lockoutFindings } from './lockouts.ts'
import { logoutFindings } from './logouts.ts'
import { mailFindings } from './mail.ts'
import { readable } from './readable.ts'
import {
  clientFinding,
  demoFinding,
  keyFindings,
  passkeyFindings,
  providerFinding,
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
    ...(await passkeyFindings(storage, config)),
    await resourceFinding(storage, config),
    await trustedIssuerFinding(storage),
    await providerFinding(storage),
  ]
  const { settings } = config
  const servers = await examinedServers(storage, now)
  const redis = servers.map(async (server) => [
    ...redisFindings(server, storage.fails_over ?? false, now),
    ...(await readable(`memory growth (${server.name})`, () => growthFindings(storage, server, now))),
  ])
  return [
    ...(await Promise.all(redis)).flat(),
    ...(await issuerFindings(settings, guesses_issuer, now)),
    ...(await readable('servers', () => serverFindings(storage))),
    ...(await readable('clocks of servers', () => clockFindings(storage))),
    ...records,
    auditFinding(settings, servers),
    ...(await readable('mail', () => mailFindings(storage, settings))),
    await directoryFinding(settings),
    ...(await readable('logout notices', () => logoutFindings(storage))),
    ...(await readable('lockouts', () => lockoutFindings(storage))),
  ]
}

async function examinedServers({ examine }: Storage, now: number): Promise<ExaminedServer[]> {
  const start = performance.now()
  return (await examine?.(() => now + (performance.now() - start))) ?? []
}
