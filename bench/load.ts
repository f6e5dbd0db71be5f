// Loads one server for a while: every user repeats its operation without a pause.

/** What the users did between the two ends of a measurement. */
export interface Burst {
  operations: number
  seconds: number
  /** All operations, those before and after included. */
  total: number
  /** Milliseconds of each operation that ended in it. */
  latencies: number[]
}

/** Milliseconds before the measurement begins, in which the server gets busy. */
const RAMP_MS = 150

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs all users at once, and counts what they do between `begin` and `end`.
 * @param count tells how many operations have ended so far; for readings taken meanwhile
 * @throws what an operation throws, at once
 */
export async function load(
  users: readonly (() => Promise<void>)[],
  ms: number,
  { begin, end }: { begin(count: () => number): Promise<void>; end(count: () => number): Promise<void> },
): Promise<Burst> {
  let operations = 0
  let stopping = false
  let latencies: number[] = []
  const count = () => operations
  const work = users.map(async (user) => {
    while (!stopping) {
      const started = performance.now()
      await user()
      latencies.push(performance.now() - started)
      operations += 1
    }
  })
  const failed = Promise.all(work).then(() => undefined)
  const measured = async (): Promise<Burst> => {
    await pause(Math.min(RAMP_MS, ms))
    await begin(count)
    latencies = []
    const before = operations
    const started = performance.now()
    await pause(ms)
    const seconds = (performance.now() - started) / 1000
    const burst = { operations: operations - before, seconds, latencies, total: 0 }
    latencies = []
    await end(count)
    return burst
  }
  try {
    const burst = await Promise.race([measured(), failed])
    if (!burst) throw new Error('the users stopped by themselves')
    stopping = true
    await Promise.all(work)
    return { ...burst, total: operations }
  } finally {
    stopping = true
    await Promise.allSettled(work)
  }
}
