import type { Finding } from '../../service/finding.ts'
import { readServers } from '../../service/running-server.ts'
import { type Disagreement, findDisagreements } from '../../service/running-servers.ts'
import type { Storage } from '../../storage/storage.ts'
import { redisFindings } from '../doctor/redis.ts'
import type { ServersUpkeep } from './upkeep-record.ts'

/** Looks at the servers and at Redis as `redmint doctor` does, and returns what is not well. @throws StorageUnavailable */
export async function lookAtServers(
  storage: Pick<Storage, 'records' | 'bounded' | 'examine' | 'fails_over'>,
  now: () => number,
): Promise<ServersUpkeep> {
  const at = new Date(now()).toISOString()
  const [processes, examined = []] = await Promise.all([readServers(storage), storage.examine?.(now)])
  const redis = examined.flatMap((server) => redisFindings(server, storage.fails_over ?? false, now()))
  return { at, findings: notWell(redis, findDisagreements(processes)) }
}

/** Returns what is not well of what was found in Redis and in the settings of the servers. */
export const notWell = (
  redis: readonly Finding[],
  disagreements: readonly Pick<Disagreement, 'setting'>[],
): ServersUpkeep['findings'] => [
  ...redis.filter(({ level }) => level !== 'ok').map(({ advice = '', ...found }) => ({ ...found, advice })),
  ...disagreements.map(({ setting }) => ({
    check: 'settings',
    level: 'problem',
    finding: `the servers disagree in ${setting}`,
    advice: 'Start all servers with the same settings.',
  })),
]
