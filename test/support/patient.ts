import { StorageUnavailable } from '../../src/storage/errors.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { observed } from './observed.ts'
import { until } from './until.ts'

/**
 * Wraps a storage so that a call is repeated while Redis does not answer in time. On a busy machine Redis may take
 * longer than the service waits; use this in tests of anything else. A repeated call is the same attempt and has the
 * same effect.
 */
export function patient(storage: Storage): Storage {
  return observed(storage, async (_call, run) => {
    let answer: unknown
    await until('Redis answers', async () => {
      try {
        answer = await run()
        return true
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        return false
      }
    })
    return answer
  })
}
