import type { Redis } from 'ioredis'

/** What a server says of itself that matters here. */
export interface ServerInfo {
  /** It follows a master, and may be behind. */
  is_replica: boolean
  /** How many replicas follow it. */
  replicas: number
  /** Whether it refuses writes where too few replicas follow (min-replicas-to-write). */
  needs_replicas: boolean
  /** What it does when its memory is full; undefined where it does not say. */
  maxmemory_policy: string | undefined
}

/**
 * Asks a server about itself, or answers undefined where that is not permitted.
 * @throws errors of the driver
 */
export async function readServerInfo(redis: Redis): Promise<ServerInfo | undefined> {
  // One command has it all, CONFIG would need more rights; not all managed servers have every line.
  const text = await redis.info().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  const lines = new Map(text.split('\r\n').map((line) => [line.split(':')[0], line.split(':')[1]]))
  return {
    is_replica: lines.get('role') === 'slave',
    replicas: Number(lines.get('connected_slaves') ?? 0),
    needs_replicas: lines.has('min_slaves_good_slaves'),
    maxmemory_policy: lines.get('maxmemory_policy'),
  }
}

/**
 * What to change in the settings of a server so that it loses nothing by itself, a sentence for each.
 * @param fails_over whether a replica may take its place even where none follows it now
 */
export function adviceFor(info: ServerInfo, fails_over: boolean): string[] {
  const advice: string[] = []
  const { maxmemory_policy = 'noeviction', is_replica, replicas, needs_replicas } = info
  if (maxmemory_policy !== 'noeviction') {
    advice.push(
      `maxmemory-policy is ${maxmemory_policy}: a full memory makes Redis drop codes, revocations and even signing keys. Set it to noeviction.`,
    )
  }
  if (!is_replica && !needs_replicas && (replicas > 0 || fails_over)) {
    advice.push(
      'min-replicas-to-write is 0: a master that is cut off goes on taking writes, and a failover forgets them. Set it to 1 or more, with min-replicas-max-lag.',
    )
  }
  return advice
}
