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
 * @param misfit gets the names of keys that are not hashes; they may be repeated
 * @throws errors of the driver
 */
export async function* scanHashes(
  client: Redis | Cluster,
  prefix: string,
  misfit?: (name: string) => void,
): AsyncGenerator<Found> {
  const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
  const step = (node: Redis, cursor: string) =>
    misfit === undefined
      ? node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_STEP, 'TYPE', 'hash')
      : node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_STEP)
  for (const node of await keyNodes(client)) {
    let cursor = '0'
    do {
      const [next, found] = await step(node, cursor)
      for (const { key, hash } of await readHashes(node, [...new Set(found)])) {
        const name = key.slice(prefix.length)
        if (hash === undefined) misfit?.(name)
        else yield { name, hash }
      }
      cursor = next
    } while (cursor !== '0')
  }
}

/** A key, and its hash; undefined: the key is not a hash. */
interface Read {
  readonly key: string
  readonly hash: Hash | undefined
}

async function readHashes(node: Redis, keys: string[]): Promise<Read[]> {
  const pipeline = node.pipeline()
  for (const key of keys) pipeline.hgetall(key)
  const replies = (await pipeline.exec()) ?? []
  return replies.flatMap(([error, reply], index): Read[] => {
    const key = keys[index] ?? ''
    if (error?.message.startsWith('WRONGTYPE')) return [{ key, hash: undefined }]
    if (error) throw error
    const hash = reply as Hash
    // Removed since the scan.
    return Object.keys(hash).length === 0 ? [] : [{ key, hash }]
  })
}
