import { randomUUID } from 'node:crypto'
import type { RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../storage.ts'
import type { RedisKeys } from './keys.ts'
import { RedisAccess } from './parts/access.ts'
import { RedisBoundedLists } from './parts/bounded-lists.ts'
import { RedisChanges } from './parts/changes.ts'
import { RedisCounters } from './parts/counters.ts'
import { RedisEvidence } from './parts/evidence.ts'
import { RedisFamilies } from './parts/families.ts'
import { RedisLists } from './parts/lists.ts'
import { RedisNotedJwts } from './parts/noted-jwts.ts'
import { RedisOutboxes } from './parts/outboxes.ts'
import { RedisQueue } from './parts/queue.ts'
import { RedisRecords } from './parts/records.ts'
import { RedisRegistrations } from './parts/registrations.ts'
import { RedisSharedHash } from './parts/shared-hash.ts'
import { RedisSignIns } from './parts/sign-ins.ts'
import { RedisTrail } from './parts/trail.ts'

// Lifetime of the key that probe() writes, in milliseconds.
const PROBE_TTL = 10_000

/**
 * Opens the storage in Redis, which replicas share. It connects in the background and retries for ever, so it does not
 * fail if Redis is not running yet. Almost every call is one command or one script, and so one round trip.
 * @param wait_replicas how many Redis replicas must have a write before it is answered (REDIS_WAIT_REPLICAS)
 * @throws TypeError if the URL is malformed
 */
export function openRedis(location: RedisLocation, keys: RedisKeys, log: Log, wait_replicas = 0): Storage {
  const access = new RedisAccess(location, keys, log, wait_replicas)
  const changes = new RedisChanges(access)
  const families = new RedisFamilies(access)
  const probeKey = keys.probe(randomUUID())
  return {
    description: access.connection.description,
    tokens_at_rest: keys.at_rest,
    records: new RedisRecords(access),
    changes,
    families,
    lists: new RedisLists(access),
    queue: new RedisQueue(access),
    outboxes: new RedisOutboxes(access),
    counters: new RedisCounters(access),
    registrations: new RedisRegistrations(access),
    sign_ins: new RedisSignIns(access),
    bounded: new RedisBoundedLists(access),
    evidence: new RedisEvidence(access),
    trail: new RedisTrail(access),
    noted_jwts: new RedisNotedJwts(access),
    signing_keys: new RedisSharedHash(access, keys.signingKeys),
    sealing_keys: new RedisSharedHash(access, keys.sealingKeys),
    status_lists: new RedisSharedHash(access, keys.statusLists),
    timings: access.timings,
    memory: () => access.readMemory(),
    async examine(now) {
      // Few processes need it.
      const { examineServers } = await import('./connection/examination.ts')
      return examineServers(location, keys, wait_replicas, now)
    },
    fails_over: location.kind !== 'single',
    async probe() {
      await access.command('probe', 'set', probeKey, '1', 'PX', PROBE_TTL)
    },
    async close() {
      await families.close()
      await Promise.all([changes.close(), access.close()])
    },
  }
}
