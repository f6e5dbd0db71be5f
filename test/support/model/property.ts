// The property: after any sequence of calls, the storage matches the model.
import fc from 'fast-check'
import type { Test } from 'tap'
import { commands, opening } from './commands.ts'
import { Run } from './run.ts'
import { SEEDS } from './seeds.ts'
import type { World } from './world.ts'

// Long and short runs are equally likely; fast-check's bias would favour short ones.
const OPTIONS = { unbiased: true }
const ENOUGH = 20

/**
 * Checks the kept seeds, then a number of other runs, the same each time, or as many as fit into a time in seconds.
 * `MODEL_RUNS=20000 npx tsx test/main+proofs/system/model/memory.test.ts` makes that many of a new seed, without a time limit.
 */
export async function modelHolds(
  t: Test,
  make: () => Promise<World>,
  { runs, seconds }: { runs: number; seconds: number },
): Promise<void> {
  let made = 0
  const property = fc.asyncProperty(opening, commands, async (opening, commands) => {
    made += 1
    const real = await make()
    await fc.asyncModelRun(() => ({ model: new Run(), real }), [opening, ...commands])
  })
  await t.test('runs that once failed', async (t) => {
    for (const { seed, path, found } of SEEDS) {
      const details = await fc.check(property, { ...OPTIONS, seed, path, numRuns: 1, endOnFailure: true })
      t.equal(report(details), '', `seed ${seed}, run ${path}: ${found}`)
    }
  })
  const asked = Number(process.env.MODEL_RUNS ?? 0)
  if (asked > 0) t.setTimeout(0)
  await t.test('other runs', async (t) => {
    if (asked > 0) t.setTimeout(0)
    const limited = { seed: 1, interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }
    const numRuns = asked || runs
    made = 0
    const details = await fc.check(property, { ...OPTIONS, numRuns, ...(asked > 0 ? {} : limited) })
    t.equal(report(details), '', `${made} runs of seed ${details.seed}`)
    t.ok(made >= Math.min(numRuns, ENOUGH), 'enough runs to mean something')
  })
}

/** The failure with its seed; empty if there is none. */
function report<T>(details: fc.RunDetails<T>): string {
  if (!details.failed) return ''
  const reason = details.errorInstance instanceof Error ? details.errorInstance.message : ''
  return `${fc.defaultReportMessage(details)}\n${reason}`
}
