import { CLOCK_SKEW } from '../../core/clock-skew.ts'
import { certificateFinding, type Finding, findingsOf } from '../../service/finding.ts'
import type { ExaminedServer } from '../../storage/examined-server.ts'
import { heedsReplicas } from '../../storage/redis/connection/heeds-replicas.ts'

/** The lowest version of Redis (docs/keyspace.md). */
const LOWEST_VERSION = 6
/** The part of maxmemory above which a warning says that memory becomes scarce. */
const SCARCE = 0.9
/** From how many milliseconds an answer is slow, and too slow; a command fails after 600. */
const SLOW = 20
const TOO_SLOW = 300
/** From how many milliseconds a difference between clocks is reported. */
const LATE_CLOCK = 5_000

const UNREADABLE = 'could not be read: the user of Redis, or its provider, does not permit it'

/** The names of the checks of a server with keys. */
export const REDIS_CHECKS = [
  'Redis',
  'persistence',
  'eviction',
  'memory',
  'replicas',
  'rights',
  'latency',
  'clock',
  'TLS',
] as const

/** Returns the findings about a server with keys. @param now milliseconds since 1970 */
export function redisFindings(server: ExaminedServer, fails_over: boolean, now: number): Finding[] {
  return [
    version(server),
    persistence(server),
    eviction(server),
    memory(server),
    replicas(server, fails_over),
    rights(server),
    latency(server),
    clock(server),
    encryption(server, now),
  ].map((finding) => ({ ...finding, check: `${finding.check} (${server.name})` }))
}

function version({ info }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('Redis')
  const version = info?.get('redis_version')
  if (version === undefined) return warning(UNREADABLE, 'Make sure that it is Redis 6.0 or later.')
  if (Number.parseInt(version, 10) < LOWEST_VERSION)
    return problem(`version ${version}`, 'redmint needs Redis 6.0 or later: upgrade.')
  const valkey = info?.get('valkey_version')
  return ok(
    valkey === undefined ? `version ${version}` : `Valkey ${valkey}, compatible with Redis ${version}`,
  )
}

function persistence({ info, save }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('persistence')
  if (info?.get('aof_enabled') === '1') return ok('appendonly is on')
  if (info === undefined || save === undefined)
    return warning(
      UNREADABLE,
      'Make sure that appendonly is on: a restart without it forgets clients and keys.',
    )
  if (save === '')
    return problem(
      'neither appendonly nor save is set: a restart forgets every client, user, token and signing key',
      APPEND_ONLY,
    )
  return warning(`snapshots only (save ${save}): a crash forgets the last minutes`, APPEND_ONLY)
}

const byCommand = (setting: string) => `redis-cli config set ${setting}, and config rewrite`
const APPEND_ONLY = `Set appendonly yes: ${byCommand('appendonly yes')}.`

function eviction({ info }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('eviction')
  const policy = info?.get('maxmemory_policy')
  if (policy === undefined) return warning(UNREADABLE, 'Make sure that maxmemory-policy is noeviction.')
  if (policy === 'noeviction') return ok('maxmemory-policy is noeviction')
  return problem(
    `maxmemory-policy is ${policy}: a full memory makes Redis drop codes, revocations and signing keys`,
    `Set maxmemory-policy noeviction: ${byCommand('maxmemory-policy noeviction')}.`,
  )
}

function memory({ info }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('memory')
  const limit = Number(info?.get('maxmemory') ?? Number.NaN)
  const used = usedMemory(info)
  if (Number.isNaN(limit) || Number.isNaN(used))
    return warning(UNREADABLE, 'Make sure that less than maxmemory is used.')
  if (limit === 0) return ok(`${mebibytes(used)} used, and maxmemory is not set`)
  const found = `${mebibytes(used)} of ${mebibytes(limit)} (maxmemory) used`
  const advice = 'Raise maxmemory, or remove keys that are not of redmint.'
  if (used < limit * SCARCE) return ok(found)
  if (used < limit) return warning(found, advice)
  const effect =
    info?.get('maxmemory_policy') === 'noeviction'
      ? 'Redis refuses to write codes, tokens and sessions'
      : 'Redis drops keys'
  return problem(`${found}: ${effect}`, advice)
}

/** Returns the bytes that count against maxmemory; NaN: INFO does not say it. */
export function usedMemory(info: ExaminedServer['info']): number {
  // Redis does not hold the buffers of replicas and of its append-only file against the limit.
  return Number(info?.get('used_memory')) - Number(info?.get('mem_not_counted_for_evict') ?? 0)
}

/** "12.5 MiB" */
export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

function replicas({ info }: ExaminedServer, fails_over: boolean): Finding {
  const { ok, warning } = findingsOf('replicas')
  if (info === undefined)
    return warning(UNREADABLE, 'Make sure that min-replicas-to-write is 1 or more if there are replicas.')
  const count = Number(info.get('connected_slaves') ?? 0)
  if (count === 0 && !fails_over) return ok('none: while this server is down, redmint is down, too')
  if (count === 0) return warning('none is connected: nothing can take over', 'Add one, or repair it.')
  if (info.has('min_slaves_good_slaves') && !heedsReplicas(info.get('redis_version'))) {
    return warning(
      `${count}, and Redis before 7.0 does not apply min-replicas-to-write to scripts: a master that is cut off takes writes that a failover forgets`,
      'Upgrade Redis to 7.0 or later.',
    )
  }
  if (info.has('min_slaves_good_slaves')) return ok(`${count}, and min-replicas-to-write is set`)
  return warning(
    `${count}, and min-replicas-to-write is 0: a master that is cut off takes writes that a failover forgets`,
    'Set min-replicas-to-write 1 and min-replicas-max-lag 10.',
  )
}

function rights({ missing_rights }: ExaminedServer): Finding {
  const { ok, problem } = findingsOf('rights')
  if (missing_rights.length === 0) return ok('its user may do all that redmint needs')
  return problem(
    `its user lacks ${missing_rights.join(' ')}`,
    'Grant them with ACL SETUSER (docs/keyspace.md, “Who may write”).',
  )
}

function latency({ latency }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('latency')
  const { p50, p95 } = latency
  const found = `half of the answers take up to ${p50.toFixed(1)} ms, 95 of 100 up to ${p95.toFixed(1)} ms`
  const advice = 'Run redmint near Redis, and look at the load of both (redis-cli --latency).'
  if (p50 < SLOW && p95 < TOO_SLOW) return ok(found)
  return p50 < TOO_SLOW ? warning(found, advice) : problem(`${found}, and commands fail after 600 ms`, advice)
}

function clock({ clock_ahead }: ExaminedServer): Finding {
  const { ok, warning, problem } = findingsOf('clock')
  if (clock_ahead === undefined) return warning(UNREADABLE, 'Make sure that both machines use NTP.')
  const seconds = (Math.abs(clock_ahead) / 1000).toFixed(1)
  const found = `Redis is ${seconds} s ${clock_ahead < 0 ? 'behind' : 'ahead of'} this machine`
  if (Math.abs(clock_ahead) < LATE_CLOCK) return ok(found)
  const advice = 'Set the clocks of both (NTP).'
  if (Math.abs(clock_ahead) < CLOCK_SKEW * 1000) return warning(found, advice)
  return problem(`${found}: tokens and keys begin and end at the wrong time`, advice)
}

function encryption({ certificate_until, remote }: ExaminedServer, now: number): Finding {
  if (certificate_until !== undefined) return certificateFinding('TLS', certificate_until, now)
  const { ok, warning } = findingsOf('TLS')
  if (!remote) return ok('none, and none is needed: Redis is on this machine')
  return warning(
    'none: whoever reads the network reads tokens and the password',
    'Use rediss:// or REDIS_TLS=true, unless the network is private.',
  )
}
