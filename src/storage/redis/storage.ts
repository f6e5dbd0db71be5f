import { randomUUID } from 'node:crypto'
import type { RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../storage.ts'
import { RedisAccess } from './access.ts'
import { RedisChanges } from './changes.ts'
import { RedisCounters } from './counters.ts'
import { RedisFamilies } from './families.ts'
import type { RedisKeys } from './keys.ts'
import { RedisQueue } from './queue.ts'
import { RedisRecords } from './records.ts'
import { RedisSigningKeys } from './signing-keys.ts'

// Milliseconds that the key which probe() writes lives.
const PROBE_TTL = 10_000

/**
 * Opens the storage that replicas share. It connects in the background and for ever: Redis need not be there yet. Every
 * call is one command or one script, and so one round trip.
 * @param wait_replicas how many replicas must have what a client is told (REDIS_WAIT_REPLICAS)
 * @throws TypeError if the URL is malformed
 */
export function openRedis(location: RedisLocation, keys: RedisKeys, log: Log, wait_replicas = 0): Storage {
  const access = new RedisAccess(location, keys, log, wait_replicas)
  const changes = new RedisChanges(access)
  const families = new RedisFamilies(access)
  const probeKey = keys.probe(randomUUID())
  return {
    description: access.connection.description,
    records: new RedisRecords(access),
    changes,
    families,
    queue: new RedisQueue(access),
    counters: new RedisCounters(access),
    signing_keys: new RedisSigningKeys(access),
    async probe() {
      await access.ask(() => access.connection.client.set(probeKey, '1', 'PX', PROBE_TTL))
    },
    async close() {
      await families.close()
      await Promise.all([changes.close(), access.close()])
    },
  }
}
