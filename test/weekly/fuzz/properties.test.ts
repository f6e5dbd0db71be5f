// The property of each target, for inputs that fast-check makes: the same ones in each run. FUZZ_SEED=7 chooses others, and
// FUZZ_RUNS=100000 makes a longer run.
import fc from 'fast-check'
import t from 'tap'
import { TARGETS } from '../../support/fuzz/targets.ts'

const seed = Number(process.env.FUZZ_SEED ?? 1)
const numRuns = Number(process.env.FUZZ_RUNS ?? 1000)
if (process.env.FUZZ_RUNS) t.setTimeout(0)

for (const { name, inputs, check } of TARGETS) {
  t.test(name, async (t) => {
    if (process.env.FUZZ_RUNS) t.setTimeout(0)
    const property = fc.asyncProperty(inputs, async (input) => check(input))
    const details = await fc.check(property, { numRuns, seed })
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : ''
    t.equal(
      details.failed ? `${fc.defaultReportMessage(details)}\n${reason}` : '',
      '',
      `seed ${details.seed}`,
    )
    t.equal(details.numRuns, numRuns)
  })
}
