import type { Cluster, Redis } from 'ioredis'
import type { Hash } from '../../core/record-hash.ts'
import { keyNodes } from './cluster.ts'

const KEYS_PER_STEP = 500

/** A hash, and its key without the prefix. */
export interface Found {
  name: string
  hash: Hash
}

/**
 * Yields every hash whose key begins with `prefix`. A hash may be repeated, so memory does not grow with the number of
 * keys. Scans in small steps, so that other clients of Redis do not wait.
 * @throws errors of the driver
 */
export async function* scanHashes(client: Redis | Cluster, prefix: string): AsyncGenerator<Found> {
  const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
  for (const node of await keyNodes(client)) {
    let cursor = '0'
    do {
      const [next, found] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_STEP, 'TYPE', 'hash')
      for (const { key, hash } of await readHashes(node, [...new Set(found)])) {
        yield { name: key.slice(prefix.length), hash }
      }
      cursor = next
    } while (cursor !== '0')
  }
}

async function readHashes(node: Redis, keys: string[]): Promise<{ key: string; hash: Hash }[]> {
  const pipeline = node.pipeline()
  for (const key of keys) pipeline.hgetall(key)
  const replies = (await pipeline.exec()) ?? []
  return replies.flatMap(([error, reply], index) => {
    if (error) throw error
    const hash = reply as Hash
    // Removed since the scan.
    return Object.keys(hash).length === 0 ? [] : [{ key: keys[index] ?? '', hash }]
  })
}
