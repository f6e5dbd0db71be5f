import type { Config } from '../../src/config/config.ts'
import { examineServers } from '../../src/storage/redis/examination.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { EXIT } from '../errors.ts'
import { count, type Report, table } from '../output.ts'
import type { CommandContext } from '../run.ts'
import type { Finding } from './finding.ts'
import { issuerFindings } from './issuer.ts'
import {
  clientFinding,
  demoFinding,
  keyFindings,
  registrationFinding,
  resourceFinding,
  tokenFinding,
  trustedIssuerFinding,
  userFindings,
} from './records.ts'
import { redisFindings } from './redis.ts'

/**
 * The command `doctor`. Its exit code is 1 if there is a problem; warnings do not change it, as with `client lint`.
 * @throws StorageUnavailable if Redis cannot be used
 */
export async function examine(context: CommandContext): Promise<Report> {
  const findings = await findingsOf(context)
  const problems = findings.filter(({ level }) => level === 'problem').length
  const warnings = findings.filter(({ level }) => level === 'warning').length
  const rows = findings.map(({ level, check, finding, advice }) => [
    level,
    check,
    advice === undefined ? finding : `${finding}. ${advice}`,
  ])
  const summary = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  return {
    text: `${table(['LEVEL', 'CHECK', 'FINDING'], rows)}\n\n${summary}`,
    json: { problems, warnings, findings },
    ...(problems === 0 ? {} : { exit: EXIT.refused }),
  }
}

async function findingsOf({ storage, config, now }: CommandContext): Promise<Finding[]> {
  // The records first: they tell best why Redis cannot be used.
  const records = [
    ...(await keyFindings(storage, config, now)),
    tokenFinding(config),
    await demoFinding(storage, config),
    await clientFinding(storage, config),
    await registrationFinding(storage, config),
    ...(await userFindings(storage)),
    await resourceFinding(storage, config),
    await trustedIssuerFinding(storage),
  ]
  return [...(await serverFindings(config, now)), ...(await issuerFindings(config.settings, now)), ...records]
}

async function serverFindings(config: Config, now: number): Promise<Finding[]> {
  const { redis, redis_key_prefix, redis_wait_replicas } = config
  if (redis === undefined) return []
  const start = performance.now()
  const clock = () => now + (performance.now() - start)
  const keys = new RedisKeys(redis_key_prefix)
  const servers = await examineServers(redis, keys, redis_wait_replicas, clock)
  return servers.flatMap((server) => redisFindings(server, redis.kind !== 'single', now))
}
