import type { Cluster, Redis } from 'ioredis'
import type { Hash } from '../../core/record-hash.ts'
import { keyNodes } from './cluster.ts'
import { sendTo } from './driver.ts'

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
  const options = [
    'MATCH',
    pattern,
    'COUNT',
    KEYS_PER_STEP,
    ...(misfit === undefined ? ['TYPE', 'hash'] : []),
  ]
  for (const node of await keyNodes(client)) {
    let cursor = '0'
    do {
      const [next, found] = await sendTo<[string, string[]]>(node, 'scan', [cursor, ...options])
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
export interface KeyRead {
  readonly key: string
  readonly hash: Hash | undefined
}

/** Reads hashes at once, without the keys that are missing. @throws errors of the driver */
export async function readHashes(node: Redis | Cluster, keys: readonly string[]): Promise<KeyRead[]> {
  const read = (key: string) =>
    sendTo<Hash>(node, 'hgetall', [key]).then(
      (hash): KeyRead => ({ key, hash }),
      (error: Error): KeyRead => {
        if (error.message.startsWith('WRONGTYPE')) return { key, hash: undefined }
        throw error
      },
    )
  const found = await Promise.all(keys.map(read))
  // One without fields was removed since the scan.
  return found.filter(({ hash }) => hash === undefined || Object.keys(hash).length > 0)
}
