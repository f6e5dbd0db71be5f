import type { Static } from '@sinclair/typebox'
import { ConfigError } from './config-error.ts'
import { consoleNeedsOrigin } from './console-settings.ts'
import { demoDefaults } from './demo-defaults.ts'
import { type Environment, isProduction, type LowerCase, lowerCase, SERVER_VARIABLES } from './environment.ts'
import { readEnvironment } from './read-environment.ts'
import { type RedisLocation, readRedisLocation } from './redis-location.ts'
import { readSettings, type Settings } from './settings.ts'
import { findVariables } from './variable-names.ts'

const LOCATIONS = ['REDIS_URL', 'REDIS_CLUSTER_NODES', 'REDIS_SENTINELS', 'REDIS_SENTINEL_NAME']

/**
 * Seconds: longer than a balancer takes to notice that checks 3 times, every 2 seconds, as HAProxy does by default, and
 * shorter than the 10 seconds after which Docker kills a container.
 */
const DEFAULT_SHUTDOWN_DELAY = 7

type Variables = LowerCase<Static<typeof SERVER_VARIABLES>>

/** The configuration of the process. SERVER_VARIABLES describes the fields. */
export interface Config
  extends Omit<
    Variables,
    'node_env' | 'trusted_proxies' | 'management_host' | 'shutdown_delay' | 'max_connections_per_peer'
  > {
  /** Whether NODE_ENV is `production`, in any case. */
  production: boolean
  /** A line for each environment variable that looks like a misspelled one of redmint. */
  warnings: readonly string[]
  /** Default: `host`. */
  management_host: string
  /** Default: DEFAULT_SHUTDOWN_DELAY; 0 with storage in memory, whose process has no balancer. */
  shutdown_delay: number
  /** Addresses and CIDR blocks. */
  trusted_proxies: readonly string[]
  /** Default: a quarter of `max_connections`. */
  max_connections_per_peer: number
  /** Absent: storage in memory. */
  redis?: RedisLocation
  settings: Settings
}

/**
 * Reads the configuration from environment variables, with or without the prefix `REDMINT_`; a blank variable counts as
 * absent.
 * @param serves whether a server reads them. A command beside it may have a part of them: what one of them needs, and only a
 * server uses, is then no problem
 * @throws ConfigError that lists all problems
 */
export function readConfig(environment: Record<string, string | undefined>, serves = true): Config {
  const problems: string[] = []
  const { values, warnings } = findVariables(environment, problems)
  const env = readEnvironment(values, problems)
  const { node_env, trusted_proxies: _, ...server } = lowerCase(SERVER_VARIABLES, env)
  const redis = readRedisLocation(env, problems)
  if (env.REDIS_WAIT_REPLICAS > 0 && redis === undefined) {
    problems.push(
      'REDIS_WAIT_REPLICAS needs Redis: set REDIS_URL or another location of Redis, or remove REDIS_WAIT_REPLICAS',
    )
  }
  const located = LOCATIONS.some((name) => values[name] !== undefined)
  if (serves && env.WORKERS > 1 && !located) {
    problems.push(
      'WORKERS needs Redis, because processes share nothing else: set REDIS_URL or another location of Redis, or remove WORKERS',
    )
  }
  if (serves && env.TRUST_REQUEST_ID && env.TRUSTED_PROXIES === undefined) {
    problems.push(
      'TRUST_REQUEST_ID needs TRUSTED_PROXIES, the proxies that set X-Request-Id: set it, or remove TRUST_REQUEST_ID',
    )
  }
  if (serves) problems.push(...managementProblems(env))
  const read = readSettings(env, redis === undefined, problems, serves)
  const settings = { ...read, ...demoDefaults(read, (name) => values[name] !== undefined) }
  const production = isProduction(node_env)
  if (production && !located) {
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
    management_host: server.management_host ?? server.host,
    shutdown_delay: server.shutdown_delay ?? (redis === undefined ? 0 : DEFAULT_SHUTDOWN_DELAY),
    trusted_proxies: settings.client_certificate_proxies,
    max_connections_per_peer: server.max_connections_per_peer ?? Math.ceil(server.max_connections / 4),
    ...(redis === undefined ? {} : { redis }),
    settings,
  }
}

function managementProblems(env: Environment): string[] {
  const { PORT, MANAGEMENT_PORT, MANAGEMENT_HOST } = env
  if (MANAGEMENT_PORT === undefined)
    return MANAGEMENT_HOST === undefined
      ? []
      : ['MANAGEMENT_HOST needs MANAGEMENT_PORT: set MANAGEMENT_PORT, or remove MANAGEMENT_HOST']
  return [
    // Port 0 takes a free port, which is another one each time.
    ...(MANAGEMENT_PORT === PORT && PORT !== 0 ? ['MANAGEMENT_PORT must differ from PORT'] : []),
    ...(env.CONSOLE === 'on' && env.CONSOLE_ORIGIN === undefined
      ? [consoleNeedsOrigin('CONSOLE', 'CONSOLE_ORIGIN')]
      : []),
  ]
}
