import { isIP } from 'node:net'
import type { Static } from '@sinclair/typebox'
import { isUrl } from '../core/uri.ts'
import type { REDIS_VARIABLES } from './environment.ts'

/** The location of Redis, and the credentials for it. */
export type RedisLocation =
  | { kind: 'single'; url: string }
  | ({ kind: 'cluster'; nodes: HostPort[] } & RedisCredentials)
  | ({ kind: 'sentinel'; sentinels: HostPort[]; name: string; sentinel_password?: string } & RedisCredentials)

/** The credentials and TLS of a Cluster, or of Sentinels and their master. */
export interface RedisCredentials {
  username?: string
  password?: string
  tls?: true
}

export interface HostPort {
  host: string
  port: number
}

/** The values of REDIS_VARIABLES. */
type RedisEnvironment = Static<typeof REDIS_VARIABLES>

/** Returns the location of Redis, or undefined if none is configured. Adds a line to `problems` for each mistake. */
export function readRedisLocation(env: RedisEnvironment, problems: string[]): RedisLocation | undefined {
  const { REDIS_URL, REDIS_CLUSTER_NODES, REDIS_SENTINELS, REDIS_SENTINEL_NAME } = env
  const given = [REDIS_URL, REDIS_CLUSTER_NODES, REDIS_SENTINELS].filter((value) => value !== undefined)
  if (given.length > 1)
    problems.push('REDIS_URL, REDIS_CLUSTER_NODES and REDIS_SENTINELS exclude each other: set one')
  if ((REDIS_SENTINELS === undefined) !== (REDIS_SENTINEL_NAME === undefined)) {
    problems.push('REDIS_SENTINELS and REDIS_SENTINEL_NAME need each other: set both')
  }
  const access = readAccess(env)
  if (Object.keys(access).length > 0 && REDIS_CLUSTER_NODES === undefined && REDIS_SENTINELS === undefined) {
    problems.push(
      'REDIS_USERNAME, REDIS_PASSWORD and REDIS_TLS go with REDIS_CLUSTER_NODES or REDIS_SENTINELS; a REDIS_URL contains them: rediss://user:password@host:6379',
    )
  }
  if (env.REDIS_USERNAME !== undefined && env.REDIS_PASSWORD === undefined) {
    problems.push('REDIS_PASSWORD must be set if REDIS_USERNAME is set')
  }
  if (env.REDIS_SENTINEL_PASSWORD !== undefined && REDIS_SENTINELS === undefined) {
    problems.push('REDIS_SENTINEL_PASSWORD goes with REDIS_SENTINELS')
  }
  if (REDIS_URL !== undefined) {
    const problem = redisUrlProblem(REDIS_URL)
    if (problem !== undefined) problems.push(`REDIS_URL ${problem}`)
    return { kind: 'single', url: REDIS_URL }
  }
  if (REDIS_CLUSTER_NODES !== undefined) {
    const nodes = hostPorts('REDIS_CLUSTER_NODES', REDIS_CLUSTER_NODES, problems)
    return { kind: 'cluster', nodes, ...access }
  }
  if (REDIS_SENTINELS === undefined || REDIS_SENTINEL_NAME === undefined) return undefined
  const sentinels = hostPorts('REDIS_SENTINELS', REDIS_SENTINELS, problems)
  const password = env.REDIS_SENTINEL_PASSWORD
  return {
    kind: 'sentinel',
    sentinels,
    name: REDIS_SENTINEL_NAME,
    ...(password === undefined ? {} : { sentinel_password: password }),
    ...access,
  }
}

function readAccess({ REDIS_USERNAME, REDIS_PASSWORD, REDIS_TLS }: RedisEnvironment): RedisCredentials {
  return {
    ...(REDIS_USERNAME === undefined ? {} : { username: REDIS_USERNAME }),
    ...(REDIS_PASSWORD === undefined ? {} : { password: REDIS_PASSWORD }),
    ...(REDIS_TLS ? { tls: true } : {}),
  }
}

/** Returns what is wrong with the URL of a Redis, without the value: it may contain a password. */
export function redisUrlProblem(value: string): string | undefined {
  // URL takes the host and port of localhost:6380 for a scheme and a path.
  if (!/^(?:rediss?|unix):\/\/./.test(value)) return 'must begin with redis://, rediss:// or unix://'
  if (!isUrl(value)) {
    return 'is not a valid URL: percent-encode special characters in the password; a port is 1 to 65535'
  }
  const { protocol, host, pathname, searchParams, username, password } = new URL(value)
  // What follows a "#" or a "?" in a password would be taken for another part, and the rest of it for the host.
  if (value.includes('#')) {
    return 'has a fragment, which is not used: write %23 for a "#" in the password'
  }
  if (!isPercentEncoded(username + password)) {
    return 'has a user name or password that is not percent-encoded: write %25 for a percent sign'
  }
  if (username !== '' && password === '') {
    return 'has a user name without a password: write redis://:password@host, or redis://user:password@host'
  }
  if (protocol === 'unix:') {
    if (host !== '') return 'has a host, and a socket has none: unix:///run/redis.sock'
    const is_read = [...searchParams.keys()].every((name) => name === 'db')
    if (is_read && /^\d*$/.test(searchParams.get('db') ?? '')) return undefined
    return 'can have only a database number as parameter, such as unix:///run/redis.sock?db=1'
  }
  if (/^\/?\d*$/.test(pathname) && !value.includes('?')) return undefined
  return 'must end with the port or a database number, such as redis://host:6379/0'
}

const HOST_NAME = /^[A-Za-z0-9._-]+$/

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function hostPorts(name: string, list: string, problems: string[]): HostPort[] {
  const entries = list.split(',').map((entry) => {
    const colon = entry.lastIndexOf(':')
    const host = entry.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(entry.slice(colon + 1)) }
  })
  if (!entries.every(({ host }) => HOST_NAME.test(host) || isIP(host) !== 0)) {
    problems.push(
      `${name} must be hosts with ports, such as redis-1:6379,redis-2:6379, without scheme, user name and password: REDIS_USERNAME, REDIS_PASSWORD and REDIS_TLS are for these`,
    )
  }
  for (const { port } of entries) {
    if (port < 1 || port > 65535) problems.push(`${name} has the port ${port}: ports are 1 to 65535`)
  }
  return entries
}
