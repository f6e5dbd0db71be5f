import { LIST_NAMES } from '../../lists.ts'
import type { RedisKeys } from '../keys.ts'

/** A right of the user of Redis, and a command that is refused without it and changes nothing that matters. */
export type Right = readonly [right: string, command: string, ...args: string[]]

/** What decides which rights are needed. */
export interface SetUp {
  cluster: boolean
  /** Whether writes wait for replicas (REDIS_WAIT_REPLICAS). */
  waits: boolean
}

const CLUSTER_RIGHTS: readonly Right[] = [
  ['+cluster|slots', 'CLUSTER', 'SLOTS'],
  ['+cluster|info', 'CLUSTER', 'INFO'],
  ['+readonly', 'READONLY'],
  ['+readwrite', 'READWRITE'],
  ['+asking', 'ASKING'],
]
const WAIT_RIGHT: readonly Right[] = [['+wait', 'WAIT', '0', '1']]

/**
 * Returns the rights that redmint needs (docs/keyspace.md, “Who may write”), in the order in which to try them. Every
 * command finds the string that SET has written, or a missing key.
 * @param key the key that SET writes, with a lifetime
 */
export function requiredRights(key: string, keys: RedisKeys, { cluster, waits }: SetUp): Right[] {
  const kinds = [
    'client',
    'user',
    'code',
    'token',
    'grant',
    'grant-tokens',
    'derived-tokens',
    'session',
    'consent',
    'browsers',
  ]
  const others = [
    ...['sign-in-name', 'withdrawn', 'answered', 'challenge', 'failures', 'logouts', 'mails'],
    ...['mail-requests', 'sign-up-requests', 'ask-pings'],
    ...['signing-keys', 'sealing-keys', 'restore', 'secret-use', 'server', 'resource', 'issuer', 'assertion'],
    'detail-type',
    'application',
    'status-list',
    'noted-jwts',
    ...[
      'pushed',
      'proof',
      'removed-client',
      'previews',
      'removed-sub',
      'name-claim',
      'administrators',
      'admin-request',
      'memory',
      'probe',
    ],
    ...['set-stream', 'set-outbox', 'set-cursor', 'set-address', 'set-key', 'set-deliveries', 'set-turn'],
    ...['factors', 'factor-key', 'passkey', 'passkey-host', 'provider', 'provider-key'],
    ...['registrations', 'invitation', 'lockouts', 'signal', 'endings'],
    ...[
      'audit',
      'activity',
      'notices',
      'asks',
      'connection-steps',
      'names',
      'last-sign-ins',
      'indexes',
      'evidence',
      'explanations',
      'order',
      'user-invitation',
      'arrival',
      'console-session',
      'console-form',
      'day-counts',
      'party-outcomes',
      'upkeep',
      'words',
      ...LIST_NAMES,
    ],
  ]
  return [
    ['+ping', 'PING'],
    ['+info', 'INFO', 'server'],
    ['+client|id', 'CLIENT', 'ID'],
    ['+client|setname', 'CLIENT', 'SETNAME', 'redmint'],
    ['+client|tracking', 'CLIENT', 'TRACKING', 'OFF'],
    ['+time', 'TIME'],
    ['+eval', 'EVAL', 'return 1', '0'],
    ['+evalsha', 'EVALSHA', '0'.repeat(40), '0'],
    ...(cluster ? CLUSTER_RIGHTS : []),
    ...(waits ? WAIT_RIGHT : []),
    ['+scan', 'SCAN', '0', 'MATCH', key, 'COUNT', '1'],
    ['+set', 'SET', key, '1', 'PX', '10000'],
    ['+type', 'TYPE', key],
    ['+exists', 'EXISTS', key],
    ['+pttl', 'PTTL', key],
    ['+pexpire', 'PEXPIRE', key, '10000'],
    ['+hget', 'HGET', key, 'f'],
    ['+hgetall', 'HGETALL', key],
    ['+hmget', 'HMGET', key, 'f'],
    ['+hlen', 'HLEN', key],
    ['+hset', 'HSET', key, 'f', 'v'],
    ['+hdel', 'HDEL', key, 'f'],
    ['+hincrby', 'HINCRBY', key, 'f', '0'],
    ['+rename', 'RENAME', key, key],
    ['+zadd', 'ZADD', key, '1', 'm'],
    ['+zincrby', 'ZINCRBY', key, '0', 'm'],
    ['+zrange', 'ZRANGE', key, '0', '0'],
    ['+zrevrange', 'ZREVRANGE', key, '0', '0'],
    ['+zrangebyscore', 'ZRANGEBYSCORE', key, '0', '0'],
    ['+zrangebylex', 'ZRANGEBYLEX', key, '-', '+'],
    ['+zrevrangebylex', 'ZREVRANGEBYLEX', key, '+', '-'],
    ['+zlexcount', 'ZLEXCOUNT', key, '-', '+'],
    ['+zrevrangebyscore', 'ZREVRANGEBYSCORE', key, '0', '0'],
    ['+zremrangebyscore', 'ZREMRANGEBYSCORE', key, '0', '0'],
    ['+zscore', 'ZSCORE', key, 'm'],
    ['+zrem', 'ZREM', key, 'm'],
    ['+zcard', 'ZCARD', key],
    ['+xadd', 'XADD', key, 'NOMKSTREAM', '*', 'f', 'v'],
    ['+xlen', 'XLEN', key],
    ['+xrange', 'XRANGE', key, '-', '+', 'COUNT', '1'],
    ['+xrevrange', 'XREVRANGE', key, '+', '-', 'COUNT', '1'],
    ['+xdel', 'XDEL', key, '0-1'],
    ['+xtrim', 'XTRIM', key, 'MINID', '0-1'],
    ['+persist', 'PERSIST', key],
    ['+pexpireat', 'PEXPIREAT', key, String(Date.now() + 10_000)],
    ['+del', 'DEL', key],
    ...[...kinds, ...others].map(
      (kind): Right => [`~${keys.prefix}${kind}*`, 'TYPE', `${keys.prefix}${kind}:redmint-doctor`],
    ),
    // Last, because the connection takes no other command afterwards.
    ['+subscribe', 'subscribe', '__redis__:invalidate'],
  ]
}
