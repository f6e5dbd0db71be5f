import { randomUUID } from 'node:crypto'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { observed } from './observed.ts'
import { until } from './until.ts'

/**
 * Wraps a storage so that a call is repeated while Redis does not answer in time. On a busy machine Redis may take
 * longer than the service waits; this is for tests of anything else. A redemption whose answer was lost is withdrawn, so
 * it is repeated as another operation, as a client's retry would be.
 */
export function patient(storage: Storage): Storage {
  return observed(storage, async (call, run, args) => {
    let answer: unknown
    await until('Redis answers', async () => {
      try {
        answer = await run()
        return true
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        if (call === 'redeemCode') Object.assign(args[1] as object, { operation: randomUUID() })
        return false
      }
    })
    return answer
  })
}
