import type { Test } from 'tap'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { openRedis } from '../../src/storage/redis/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { SILENT } from './contract/redis-subject.ts'

/**
 * Opens the storage on a Redis; it is closed with the test.
 * @param keys how keys are named, or their prefix
 */
export function redisStorage(
  t: Pick<Test, 'teardown'>,
  { url }: { readonly url: string },
  keys: RedisKeys | string = 'redmint:',
): Storage {
  const named = typeof keys === 'string' ? new RedisKeys(keys) : keys
  const storage = openRedis({ kind: 'single', url }, named, SILENT)
  // A command that is given a storage must not close it, so its test replaces close().
  t.teardown(storage.close.bind(storage))
  return storage
}
