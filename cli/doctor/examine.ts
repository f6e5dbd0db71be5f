import type { Finding } from '../../src/admin/doctor/finding.ts'
import { redisFindings } from '../../src/admin/doctor/redis.ts'
import type { Config } from '../../src/config/config.ts'
import { examineServers } from '../../src/storage/redis/examination.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
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
  return [...(await redisFindingsOf(config, now)), ...issuer, ...(await serverFindings(storage)), ...records]
}

/** Returns the findings about each server of Redis. */
export async function redisFindingsOf(config: Config, now: number): Promise<Finding[]> {
  const { redis, redis_key_prefix, redis_wait_replicas } = config
  if (redis === undefined) return []
  const start = performance.now()
  const clock = () => now + (performance.now() - start)
  const keys = new RedisKeys(redis_key_prefix)
  const servers = await examineServers(redis, keys, redis_wait_replicas, clock)
  return servers.flatMap((server) => redisFindings(server, redis.kind !== 'single', now))
}
