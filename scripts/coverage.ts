import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TAP = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')))
/** Where tap looks for the coverage that the processes of a run wrote (NODE_V8_COVERAGE). */
export const COVERAGE = '.tap/coverage'

/** Removes the coverage of an earlier run. */
export function forgetCoverage(): void {
  rmSync(COVERAGE, { recursive: true, force: true })
}

/** Prints the coverage of a run as a table. */
export function printCoverage(): void {
  const { stdout } = spawnSync(process.execPath, [TAP, 'report', 'text'], { encoding: 'utf8' })
  // tap wraps the table in an empty test run.
  console.log(
    stdout
      .split('\n')
      .filter((line) => line.includes('|'))
      .join('\n'),
  )
}
