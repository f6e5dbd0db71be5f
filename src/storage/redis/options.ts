import type { ClusterOptions, RedisOptions } from 'ioredis'
import type { RedisAccess, RedisLocation } from '../../config/redis-location.ts'

/** After this many milliseconds without an answer a command has failed: a request has a second in all. */
const COMMAND_TIMEOUT = 600
const CONNECT_TIMEOUT = 800

const backoff = (attempt: number) => Math.min(attempt * 50, 500)

/**
 * What every connection has in common. Nothing is ever sent twice or kept for later: a command that was not
 * answered may or may not have run, and the caller is told at once.
 */
export const DRIVER_OPTIONS = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT,
  // Sooner than the command: what is then sent again goes by a new connection, and not after what hangs.
  socketTimeout: COMMAND_TIMEOUT - 20,
  connectTimeout: CONNECT_TIMEOUT,
  disconnectTimeout: 300,
  // How long to wait between looks at a Redis that is still loading its data.
  maxLoadingRetryTime: 500,
  // For ever, unlike the driver's `null`; a connection that gave up would need a restart.
  retryStrategy: backoff,
  // A master that became a replica behind the same address: connect again, and send nothing again.
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  sentinelRetryStrategy: backoff,
  sentinelCommandTimeout: COMMAND_TIMEOUT,
  connectionName: 'redmint',
  disableClientInfo: true,
} satisfies RedisOptions

/** In a Cluster the driver leaves a lost node to the slot table, so its nodes have no retry strategy. */
export const CLUSTER_OPTIONS = {
  enableOfflineQueue: false,
  maxRedirections: 5,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // The node answered that it did not run the command, so this is the one case that may be sent again.
  retryDelayOnTryAgain: 50,
  clusterRetryStrategy: backoff,
  slotsRefreshTimeout: COMMAND_TIMEOUT,
  // Milliseconds; brings back nodes that were away while nobody asked for their keys.
  slotsRefreshInterval: 5000,
} satisfies ClusterOptions

/** A connection for subscriptions. Its commands are set up anew at each connection, so RESP2 and no resubscribing. */
export const SUBSCRIBER_OPTIONS = {
  ...DRIVER_OPTIONS,
  protocol: 2,
  autoResubscribe: false,
  connectionName: 'redmint-watch',
} satisfies RedisOptions

// The options of the driver that say where Redis is, and who asks.
type Endpoint = Pick<RedisOptions, 'host' | 'port' | 'path' | 'db' | 'username' | 'password' | 'tls'> &
  Pick<RedisOptions, 'sentinels' | 'name' | 'sentinelPassword' | 'sentinelTLS' | 'enableTLSForSentinelMode'>

/** Where to connect to, for a location that is no Cluster. */
export function endpoint(location: Exclude<RedisLocation, { kind: 'cluster' }>): Endpoint {
  if (location.kind === 'sentinel') {
    const { sentinels, name, sentinel_password, tls } = location
    return {
      sentinels,
      name,
      ...access(location),
      ...(sentinel_password === undefined ? {} : { sentinelPassword: sentinel_password }),
      ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    }
  }
  const { url, db, user } = parse(location.url)
  if (url.protocol === 'unix:') return { path: decodeURIComponent(url.pathname), db, ...user }
  const host = hostOf(url)
  return {
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    db,
    ...user,
    // Server Name Indication takes names only (RFC 6066 §3).
    ...(url.protocol === 'rediss:' ? { tls: /^[\d.]+$|:/.test(host) ? {} : { servername: host } } : {}),
  }
}

/** Who asks, and whether by TLS, where there is no URL to say so. */
export function access({ username, password, tls }: RedisAccess): Endpoint {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  }
}

/** A location in words, without its password. */
export function describe(location: RedisLocation): string {
  if (location.kind === 'cluster') {
    const { length } = location.nodes
    return `Redis Cluster (${length} ${length === 1 ? 'node' : 'nodes'})`
  }
  if (location.kind === 'sentinel') return `Redis Sentinel ${location.name}`
  const { url } = parse(location.url)
  return `Redis at ${url.protocol === 'unix:' ? url.pathname : `${url.hostname || 'localhost'}:${url.port || 6379}`}`
}

// The database is the path, or `?db=` where the path is a socket's. No other parameter can set a driver option.
function parse(text: string): { url: URL; db: number; user: Endpoint } {
  try {
    const url = new URL(text)
    const db = (url.protocol === 'unix:' ? url.searchParams.get('db') : url.pathname.slice(1)) || '0'
    if (!/^\d+$/.test(db)) throw new TypeError()
    const username = decodeURIComponent(url.username)
    const password = decodeURIComponent(url.password)
    return {
      url,
      db: Number(db),
      user: { ...(username ? { username } : {}), ...(password ? { password } : {}) },
    }
  } catch {
    // The error of URL holds its input, and so the password.
    throw new TypeError('the URL of Redis is malformed')
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'
}
