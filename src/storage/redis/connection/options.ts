import type { ClusterOptions, RedisOptions } from 'ioredis'
import type { HostPort, RedisCredentials, RedisLocation } from '../../../config/redis-location.ts'
import { TlsConnector } from './tls-connector.ts'

// All in milliseconds.
/** A command without a reply fails then at the latest: a request must be answered within a second. */
export const COMMAND_TIMEOUT = 600
const CONNECT_TIMEOUT = 800
/** A connection is gone this long after it was closed. */
const DISCONNECT_TIMEOUT = 300

/** When each client, known by its options, last left a replica. */
const left = new WeakMap<object, number>()

/**
 * Whether the driver connects again after an error: once for the replies of one connection, since for each one it would
 * close the connection again, and add a listener to it.
 */
function leaveReplica(this: object, error: Error): boolean {
  if (!error.message.includes('READONLY')) return false
  const now = performance.now()
  if (now - (left.get(this) ?? Number.NEGATIVE_INFINITY) < DISCONNECT_TIMEOUT) return false
  left.set(this, now)
  return true
}

const backoff = (attempt: number) => Math.min(attempt * 50, 500)

/**
 * The options of every connection. The driver never queues or repeats a command: one without a reply may have run, and
 * its caller gets an error at once.
 */
export const DRIVER_OPTIONS = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT,
  connectTimeout: CONNECT_TIMEOUT,
  disconnectTimeout: DISCONNECT_TIMEOUT,
  // The interval of checks while Redis is loading its data.
  maxLoadingRetryTime: 500,
  // Retries for ever; after the driver's `null` redmint would need a restart.
  retryStrategy: backoff,
  // READONLY: the master behind this address became a replica. Reconnect without repeating the command.
  reconnectOnError: leaveReplica,
  connectionName: 'redmint',
  disableClientInfo: true,
} satisfies RedisOptions

/** In a Cluster the driver leaves a lost node to the slot table, so its nodes have no retry strategy. */
export const CLUSTER_OPTIONS = {
  enableOfflineQueue: false,
  maxRedirections: 5,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // TRYAGAIN means that the node did not run the command, so it may be repeated.
  retryDelayOnTryAgain: 50,
  clusterRetryStrategy: backoff,
  slotsRefreshTimeout: COMMAND_TIMEOUT,
  // Names are not resolved here: certificates are for names, and one unknown name must not keep the other nodes out.
  dnsLookup: (name, found) => found(null, name),
} satisfies ClusterOptions

/** The options of a connection for subscriptions. TrackedNode subscribes itself at each connection, with RESP2. */
export const SUBSCRIBER_OPTIONS = {
  ...DRIVER_OPTIONS,
  // A server that does not answer a ping is left.
  socketTimeout: COMMAND_TIMEOUT,
  protocol: 2,
  autoResubscribe: false,
  connectionName: 'redmint-watch',
} satisfies RedisOptions

// The driver options for the address of Redis and the credentials.
export type RedisEndpoint = Pick<
  RedisOptions,
  'host' | 'port' | 'path' | 'db' | 'username' | 'password' | 'tls' | 'Connector'
>

/** The driver options of a connection with TLS. */
const WITH_TLS = { tls: {}, Connector: TlsConnector }

/** Returns the driver options for a single server. @throws TypeError if the URL is malformed */
export function endpoint(location: RedisLocation & { kind: 'single' }): RedisEndpoint {
  const { url, db, user } = parse(location.url)
  if (url.protocol === 'unix:') return { path: decodeURIComponent(url.pathname), db, ...user }
  return {
    host: hostOf(url),
    port: url.port === '' ? 6379 : Number(url.port),
    db,
    ...user,
    ...(url.protocol === 'rediss:' ? WITH_TLS : {}),
  }
}

/** Returns the driver options for credentials and TLS of a Cluster, or of a master behind Sentinels. */
export function access({ username, password, tls }: RedisCredentials): RedisEndpoint {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? WITH_TLS : {}),
  }
}

/** Returns the driver options for one of the Sentinels. */
export function sentinelEndpoint(
  { sentinel_password, tls }: RedisLocation & { kind: 'sentinel' },
  { host, port }: HostPort,
): RedisEndpoint {
  return {
    host,
    port,
    ...(sentinel_password === undefined ? {} : { password: sentinel_password }),
    ...(tls ? WITH_TLS : {}),
  }
}

/** Describes a location for the log, without its password. @throws TypeError if the URL is malformed */
export function describe(location: RedisLocation): string {
  if (location.kind === 'cluster') {
    const { length } = location.nodes
    return `Redis Cluster (${length} ${length === 1 ? 'node' : 'nodes'})`
  }
  if (location.kind === 'sentinel') return `Redis Sentinel ${location.name}`
  const { url } = parse(location.url)
  return `Redis at ${url.protocol === 'unix:' ? url.pathname : `${url.hostname || 'localhost'}:${url.port || 6379}`}`
}

// The database is the path, or `?db=` if the path is a socket. Other parameters are ignored.
function parse(text: string): { url: URL; db: number; user: RedisEndpoint } {
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
    // The error of URL contains its input, and so the password.
    throw new TypeError('the URL of Redis is malformed')
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'
}
