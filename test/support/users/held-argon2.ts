import type { Argon2 } from '../../../src/users/hash-threads.ts'

/** An argon2 that computes nothing, counts its calls, and answers each one when the test says so. */
export function holdArgon2() {
  const held = {
    running: 0,
    most: 0,
    calls: 0,
    /** The hashes that were asked for and have no answer, the oldest first. */
    open: [] as (() => void)[],
  }
  const answerLater = async <T>(answer: T): Promise<T> => {
    held.calls += 1
    held.running += 1
    held.most = Math.max(held.most, held.running)
    await new Promise<void>((resolve) => held.open.push(resolve))
    held.running -= 1
    return answer
  }
  const engine: Argon2 = { hash: () => answerLater('a hash'), verify: () => answerLater(true) }
  return Object.assign(held, { engine })
}
