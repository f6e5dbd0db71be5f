import { isIP } from 'node:net'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from './config-error.ts'
import { isProduction, type LowerCase, lowerCase, SERVER_VARIABLES } from './environment.ts'
import { readEnvironment } from './read-environment.ts'
import { type RedisLocation, readRedisLocation } from './redis-location.ts'
import { readSettings, type Settings } from './settings.ts'
import { findVariables } from './variable-names.ts'

const LOCATIONS = ['REDIS_URL', 'REDIS_CLUSTER_NODES', 'REDIS_SENTINELS', 'REDIS_SENTINEL_NAME']

type Variables = LowerCase<Static<typeof SERVER_VARIABLES>>

/** The configuration of the process. SERVER_VARIABLES describes the fields. */
export interface Config extends Omit<Variables, 'node_env' | 'trusted_proxies'> {
  /** Whether NODE_ENV is `production`, in any case. */
  production: boolean
  /** A line for each environment variable that looks like a misspelled one of redmint. */
  warnings: readonly string[]
  /** Addresses and CIDR blocks. */
  trusted_proxies: readonly string[]
  /** Absent: storage in memory. */
  redis?: RedisLocation
  settings: Settings
}

/**
 * Reads the configuration from environment variables, with or without the prefix `REDMINT_`; a blank variable counts as
 * absent.
 * @throws ConfigError that lists all problems
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const { values, warnings } = findVariables(environment, problems)
  const env = readEnvironment(values, problems)
  const { node_env, trusted_proxies, ...server } = lowerCase(SERVER_VARIABLES, env)
  const redis = readRedisLocation(env, problems)
  if (env.REDIS_WAIT_REPLICAS > 0 && redis === undefined) {
    problems.push(
      'REDIS_WAIT_REPLICAS needs Redis: set REDIS_URL or another location of Redis, or remove REDIS_WAIT_REPLICAS',
    )
  }
  const proxies = trusted_proxies?.split(',').map((entry) => entry.trim()) ?? []
  problems.push(...proxies.flatMap(proxyProblem))
  const settings = readSettings(env, redis === undefined, problems)
  const production = isProduction(node_env)
  if (production && LOCATIONS.every((name) => values[name] === undefined)) {
    problems.push(
      'NODE_ENV is production, which needs Redis: set REDIS_URL, REDIS_CLUSTER_NODES, or REDIS_SENTINELS and REDIS_SENTINEL_NAME',
    )
  }
  // A misspelled name is often the reason of a problem.
  if (problems.length > 0) throw new ConfigError([...problems, ...warnings])
  return {
    ...server,
    production,
    warnings,
    trusted_proxies: proxies,
    ...(redis === undefined ? {} : { redis }),
    settings,
  }
}

// A block of all addresses is refused: every sender could forge the logged address.
function proxyProblem(entry: string): string[] {
  const [, address = '', length = '1'] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? []
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (Number(length) <= bits) return []
  return [
    `TRUSTED_PROXIES has ${JSON.stringify(entry)}, which is not an address or a CIDR block such as 10.0.0.0/8`,
  ]
}
