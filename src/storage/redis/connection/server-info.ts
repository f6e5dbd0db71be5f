import type { Redis } from 'ioredis'
import { sendTo } from './driver.ts'
import { heedsReplicas } from './heeds-replicas.ts'

/** The state of a Redis server. */
export interface ServerInfo {
  /** A random name of the running process. */
  run_id: string | undefined
  /** It is a Sentinel, which has no data. */
  is_sentinel: boolean
  /** It is a replica, and its data may be stale. */
  is_replica: boolean
  /** The number of its replicas. */
  replicas: number
  /** Whether it refuses writes without enough replicas (min-replicas-to-write). */
  needs_replicas: boolean
  /** Whether it then refuses writes of scripts, too. */
  refuses_scripts: boolean
  /** What it does when its memory is full; undefined if INFO does not have it. */
  maxmemory_policy: string | undefined
}

/**
 * Returns the state of a server, or undefined if INFO is not permitted.
 * @throws errors of the driver
 */
export async function readServerInfo(redis: Redis): Promise<ServerInfo | undefined> {
  // INFO is one command, and CONFIG would need more permissions; some managed servers omit lines.
  const text = await sendTo<string>(redis, 'info', []).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  const lines = new Map(text.split('\r\n').map((line) => [line.split(':')[0], line.split(':')[1]]))
  return {
    run_id: lines.get('run_id'),
    // Valkey since version 8 says server_mode.
    is_sentinel: (lines.get('redis_mode') ?? lines.get('server_mode')) === 'sentinel',
    is_replica: lines.get('role') === 'slave',
    replicas: Number(lines.get('connected_slaves') ?? 0),
    needs_replicas: lines.has('min_slaves_good_slaves'),
    refuses_scripts: heedsReplicas(lines.get('redis_version')),
    maxmemory_policy: lines.get('maxmemory_policy'),
  }
}

/**
 * Whether a script may have keys of several slots. It may not at a node of a Cluster, nor where several servers have one
 * address, as with some managed services.
 * @param prefix that of the keys that the user may use
 */
export async function spansSlots(redis: Redis, prefix: string): Promise<boolean> {
  const keys = [`${prefix}token:{1}`, `${prefix}token:{2}`]
  return sendTo(redis, 'eval', ['return 1', keys.length, ...keys]).then(
    () => true,
    (error: Error) => !error.message.startsWith('CROSSSLOT'),
  )
}

/** Returns what tells a server apart from others; its address if INFO does not have more. */
export function identityOf(redis: Redis, info: ServerInfo | undefined): string {
  const { remoteAddress, remotePort } = redis.stream
  // A copy: each look into a cache compares it, and a part of a longer text is compared slowly.
  return Buffer.from(info?.run_id ?? `${remoteAddress}:${remotePort}`).toString()
}

/**
 * Returns a sentence for each setting that can make the server lose data.
 * @param fails_over whether a failover is possible even if the server has no replica now
 */
export function adviceFor(info: ServerInfo, fails_over: boolean): string[] {
  const advice: string[] = []
  const { maxmemory_policy = 'noeviction', is_replica, replicas, needs_replicas, refuses_scripts } = info
  if (maxmemory_policy !== 'noeviction') {
    advice.push(
      `maxmemory-policy is ${maxmemory_policy}: a full memory makes Redis drop codes, revocations and even signing keys. Set it to noeviction.`,
    )
  }
  if (is_replica || (replicas === 0 && !fails_over)) return advice
  if (!needs_replicas) {
    advice.push(
      'min-replicas-to-write is 0: a master that is cut off goes on taking writes, and a failover forgets them. Set it to 1 or more, with min-replicas-max-lag.',
    )
  } else if (!refuses_scripts) {
    advice.push(
      'Redis before 7.0 does not apply min-replicas-to-write to scripts: a master that is cut off goes on taking writes, and a failover forgets them. Upgrade Redis.',
    )
  }
  return advice
}
