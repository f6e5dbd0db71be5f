import type { Cluster, Redis } from 'ioredis'
import type { Hash } from '../../../core/record-hash.ts'
import { keyNodes } from './cluster.ts'
import { sendTo } from './driver.ts'

// Among millions of keys, each of which is a miss of the cache of the CPU, 500 take a millisecond.
const KEYS_PER_STEP = 100

/** A hash, and its key without the prefix. */
export interface ScannedHash {
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
): AsyncGenerator<ScannedHash> {
  for await (const step of walkKeys(client, prefix, { only_hashes: misfit === undefined })) {
    for (const { key, hash } of step) {
      const name = key.slice(prefix.length)
      if (hash === undefined) misfit?.(name)
      else yield { name, hash }
    }
  }
}

interface Walk {
  /** Leaves out keys that are not hashes. */
  readonly only_hashes?: boolean
  /** Which keys to read; absent: all. */
  readonly isWanted?: (key: string) => boolean
}

/**
 * Walks through all keys that begin with `prefix`, in steps that look at few keys, and yields what each step found, which
 * may be nothing. A key may be repeated.
 * @throws errors of the driver
 */
export async function* walkKeys(
  client: Redis | Cluster,
  prefix: string,
  { only_hashes, isWanted = () => true }: Walk,
): AsyncGenerator<KeyRead[]> {
  const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
  const options = ['MATCH', pattern, 'COUNT', KEYS_PER_STEP, ...(only_hashes ? ['TYPE', 'hash'] : [])]
  for (const node of await keyNodes(client)) {
    let cursor = '0'
    do {
      const [next, found] = await sendTo<[string, string[]]>(node, 'scan', [cursor, ...options])
      yield await readHashes(node, [...new Set(found)].filter(isWanted))
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
