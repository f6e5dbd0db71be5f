import { randomUUID } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import { Redis } from 'ioredis'
import type { RedisLocation } from '../../../config/redis-location.ts'
import { SILENT } from '../../../core/log.ts'
import { StorageUnavailable } from '../../errors.ts'
import type { ExaminedServer, Latency } from '../../examined-server.ts'
import type { RedisKeys } from '../keys.ts'
import { RedisConnection } from './connect.ts'
import { quiet } from './driver.ts'
import { cleanError } from './errors.ts'
import { access, DRIVER_OPTIONS, endpoint, type RedisEndpoint } from './options.ts'
import { type Right, requiredRights } from './rights.ts'

const PINGS = 100
const MAKES_KEY = /^(HSET|HINCRBY|ZADD|ZINCRBY)$/

/**
 * Examines every server with keys: that of a URL, the master behind Sentinels, or the masters of a Cluster. It writes one
 * key, which expires.
 * @param now the clock, in milliseconds since 1970
 * @throws StorageUnavailable if a server cannot be used
 */
export async function examineServers(
  location: RedisLocation,
  keys: RedisKeys,
  wait_replicas: number,
  now: () => number,
): Promise<ExaminedServer[]> {
  const rights = requiredRights(keys.probe(randomUUID()), keys, {
    cluster: location.kind === 'cluster',
    waits: wait_replicas > 0,
  })
  return Promise.all((await endpointsOf(location, keys)).map((server) => examine(server, rights, now)))
}

async function endpointsOf(location: RedisLocation, { prefix }: RedisKeys): Promise<RedisEndpoint[]> {
  if (location.kind === 'single') return [endpoint(location)]
  const connection = new RedisConnection(location, SILENT, prefix)
  try {
    await connection.use()
    const places = await connection.keyPlaces()
    return places.map((place) => ({ ...place, ...access(location) }))
  } catch (error) {
    throw cleanError(error, connection.trouble)
  } finally {
    await connection.close()
  }
}

async function examine(
  server: RedisEndpoint,
  rights: readonly Right[],
  now: () => number,
): Promise<ExaminedServer> {
  const redis = quiet(
    new Redis({ ...DRIVER_OPTIONS, ...server, lazyConnect: true, retryStrategy: () => null }),
  )
  let failure: unknown
  redis.on('error', (error) => {
    failure ??= error
  })
  try {
    await redis.connect()
    const info = await permitted(() => redis.info())
    const config = await permitted(() => redis.call('CONFIG', 'GET', 'save'))
    return {
      name: server.path ?? `${server.host}:${server.port}`,
      remote: !/^127\.|^::1$|^::ffff:127\./.test(redis.stream.remoteAddress ?? '127.0.0.1'),
      info: info === undefined ? undefined : linesOf(info),
      save: settingIn(config),
      latency: await latencyOf(redis),
      clock_ahead: await clockAhead(redis, now),
      certificate_until: certificateEnd(redis),
      missing_rights: await missingRights(redis, rights),
    }
  } catch (error) {
    const clean = cleanError(failure ?? error)
    throw clean instanceof StorageUnavailable ? clean : new StorageUnavailable(clean.message)
  } finally {
    redis.disconnect()
  }
}

/** Returns the answer; undefined if the server refuses the command, as managed ones do. */
async function permitted<T>(command: () => Promise<T>): Promise<T | undefined> {
  return command().catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ReplyError') return undefined
    throw error
  })
}

function linesOf(info: string): Map<string, string> {
  const lines = info.split('\r\n').filter((line) => line.includes(':'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}

/** The value in a reply of CONFIG GET: a list, or a map in RESP3. */
function settingIn(reply: unknown): string | undefined {
  if (Array.isArray(reply)) return reply[1] === undefined ? undefined : String(reply[1])
  if (reply === null || typeof reply !== 'object') return undefined
  const entries = reply instanceof Map ? [...reply.values()] : Object.values(reply)
  return entries[0] === undefined ? undefined : String(entries[0])
}

async function latencyOf(redis: Redis): Promise<Latency> {
  const times: number[] = []
  for (let ping = 0; ping < PINGS; ping += 1) {
    const start = performance.now()
    await permitted(() => redis.ping())
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const below = (part: number) => times[Math.ceil(PINGS * part) - 1] ?? 0
  return { p50: below(0.5), p95: below(0.95) }
}

async function clockAhead(redis: Redis, now: () => number): Promise<number | undefined> {
  const before = now()
  const time = await permitted(() => redis.time())
  if (time === undefined) return undefined
  const [seconds, microseconds] = time.map(Number)
  return (seconds ?? 0) * 1000 + (microseconds ?? 0) / 1000 - (before + now()) / 2
}

function certificateEnd({ stream }: Redis): Date | undefined {
  return stream instanceof TLSSocket ? new Date(stream.getPeerCertificate().valid_to) : undefined
}

async function missingRights(redis: Redis, rights: readonly Right[]): Promise<string[]> {
  const missing: string[] = []
  for (const [right, command, ...args] of rights) {
    // Without the string that SET writes, these would make a key that stays.
    if (MAKES_KEY.test(command) && missing.includes('+set')) continue
    const refusal: unknown = await redis.call(command, ...args).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (!(refusal instanceof Error)) continue
    if (refusal.name !== 'ReplyError') throw refusal
    if (/^NOPERM.*channel/i.test(refusal.message)) missing.push(`&${args[0]}`)
    else if (/^NOPERM|^ERR unknown (sub)?command/i.test(refusal.message)) missing.push(right)
  }
  return missing
}
