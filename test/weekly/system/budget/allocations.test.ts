// The bytes that an operation allocates, with those of the client of the test: the same on every machine.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { moduleArgs, ROOT } from '../../../support/process.ts'

/** Without optimised code an operation always allocates the same, and so much young space is never collected. */
const V8_OPTIONS = [
  '--no-opt',
  '--no-sparkplug',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--expose-gc',
]
/**
 * Bytes on Node 20 and on later versions, which allocate less. The limit is MARGIN above; runs differ by 3 % at most. T18: an
 * exchange at the largest depth with the largest details is bounded, too.
 */
const BUDGETS: Record<string, Record<string, readonly [on_20: number, later: number]>> = {
  opaque: {
    'client credentials': [70_800, 64_900],
    introspection: [63_900, 57_200],
    bearer: [56_500, 50_500],
    refresh: [101_500, 95_500],
    'token exchange': [145_400, 145_400],
    'token exchange, the deepest and largest': [421_700, 421_700],
  },
  jwt: {
    'client credentials': [60_900, 57_800],
    bearer: [44_900, 42_500],
    'token exchange': [161_700, 161_700],
    'token exchange, the deepest and largest': [650_800, 650_800],
  },
}
const MARGIN = 1.06
const IS_LATER = Number.parseInt(process.versions.node, 10) > 20

const CHILD = moduleArgs('test/support/budget/allocated-bytes.ts')

for (const [format, budgets] of Object.entries(BUDGETS)) {
  t.test(`an operation allocates no more than its budget, ${format}`, async (t) => {
    const args = [...V8_OPTIONS, ...CHILD, format, ...Object.keys(budgets)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    const found = JSON.parse(stdout) as Record<string, number>
    for (const [name, [on_20, later]] of Object.entries(budgets)) {
      const bytes = found[name] ?? Number.NaN
      const limit = Math.round((IS_LATER ? later : on_20) * MARGIN)
      t.ok(
        bytes <= limit,
        `${name}: ${bytes} bytes, the limit is ${limit}. Find what grew, or raise its budget.`,
      )
    }
  })
}
