// Loads one server for a while: every user repeats its operation without a pause.

/** What the users did between two readings of a measurement. */
export interface Slice<Reading> {
  before: Reading
  after: Reading
  operations: number
  seconds: number
  /** Milliseconds of each operation that ended in it. */
  latencies: number[]
}

/** Milliseconds before the measurement begins, in which the server gets busy. */
const RAMP_MS = 100

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs all users at once, and counts what they do between readings.
 * @param read is called at the beginning and after each slice; `count` tells how many operations have ended so far
 * @param slices into which the time is cut
 * @returns the slices, and the number of all operations, those before and after them included
 * @throws what an operation throws, at once
 */
export async function load<Reading>(
  users: readonly (() => Promise<void>)[],
  ms: number,
  read: (count: () => number) => Promise<Reading>,
  slices = 1,
): Promise<{ slices: Slice<Reading>[]; total: number }> {
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
  const measured = async (): Promise<Slice<Reading>[]> => {
    await pause(Math.min(RAMP_MS, ms))
    const found: Slice<Reading>[] = []
    let before = await read(count)
    for (let left = slices; left > 0; left -= 1) {
      latencies = []
      const so_far = operations
      const started = performance.now()
      await pause(ms / slices)
      const slice = {
        operations: operations - so_far,
        seconds: (performance.now() - started) / 1000,
        latencies,
      }
      latencies = []
      const after = await read(count)
      found.push({ ...slice, before, after })
      before = after
    }
    return found
  }
  try {
    const found = await Promise.race([measured(), failed])
    if (!found) throw new Error('the users stopped by themselves')
    stopping = true
    await Promise.all(work)
    return { slices: found, total: operations }
  } finally {
    stopping = true
    await Promise.allSettled(work)
  }
}
