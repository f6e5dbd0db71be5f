// Loads one server at a fixed rate, which it could exceed by far: what counts is how long an answer takes.
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Each user repeats its operation, all of them together so many times a second.
 * @returns milliseconds of each operation; one that the server held up counts from when it was due
 * @throws what an operation throws, at once
 */
export async function steadily(
  users: readonly (() => Promise<void>)[],
  per_second: number,
  ms: number,
): Promise<number[]> {
  const latencies: number[] = []
  const interval = (users.length * 1000) / per_second
  const started = performance.now()
  const repeat = async (user: () => Promise<void>, index: number) => {
    for (let at = (index * interval) / users.length; at < ms; at += interval) {
      const due = started + at
      const early = due - performance.now()
      if (early > 0) await pause(early)
      const from = early > 0 ? performance.now() : due
      await user()
      latencies.push(performance.now() - from)
    }
  }
  await Promise.all(users.map(repeat))
  return latencies
}
