import { StorageUnavailable } from '../../src/storage/storage.ts'
import { until } from './until.ts'

/**
 * Wraps a storage so that a call is repeated while Redis does not answer in time. On a busy machine Redis may take
 * longer than the service waits; this is for tests of anything else. A repeated call is the same attempt, with the same
 * effect.
 */
export function patient<T extends object>(storage: T): T {
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member === 'object' && member !== null) return patient(member)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const call = () => member.apply(target, args) as unknown
        const answer = call()
        return answer instanceof Promise ? repeat(answer, call) : answer
      }
    },
  })
}

async function repeat(first: Promise<unknown>, call: () => unknown): Promise<unknown> {
  let attempt: () => unknown = () => first
  let answer: unknown
  await until('Redis answers', async () => {
    try {
      answer = await attempt()
      return true
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      attempt = call
      return false
    }
  })
  return answer
}
