// The property of each target, for inputs that fast-check makes. `FUZZ_SEED=7 npx tsx test/fuzz/properties.test.ts` repeats a
// run, `FUZZ_RUNS=100000` makes it longer.
import fc from 'fast-check'
import t from 'tap'
import { TARGETS } from './targets.ts'

const seed = Number(process.env.FUZZ_SEED ?? 0)
const numRuns = Number(process.env.FUZZ_RUNS ?? 1000)
if (process.env.FUZZ_RUNS) t.setTimeout(0)

for (const { name, inputs, check } of TARGETS) {
  t.test(name, async (t) => {
    if (process.env.FUZZ_RUNS) t.setTimeout(0)
    const property = fc.asyncProperty(inputs, async (input) => check(input))
    const details = await fc.check(property, { numRuns, ...(seed === 0 ? {} : { seed }) })
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : ''
    t.equal(
      details.failed ? `${fc.defaultReportMessage(details)}\n${reason}` : '',
      '',
      `seed ${details.seed}`,
    )
    t.equal(details.numRuns, numRuns)
  })
}
