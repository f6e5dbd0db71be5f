import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DIRECTORY = '.tap/coverage'

interface Coverage {
  'source-map-cache': Record<string, { data: { sourcesContent?: unknown } }>
}

/**
 * Prints the coverage in .tap/coverage after a run of tap.
 * The source maps of tsx have `null` for the sources, which the report treats as empty, fully covered files. Without the
 * field it reads the files.
 * @param tap the path of tap's program
 */
export function printCoverage(tap: string): void {
  for (const name of existsSync(DIRECTORY) ? readdirSync(DIRECTORY) : []) {
    const file = join(DIRECTORY, name)
    const coverage = JSON.parse(readFileSync(file, 'utf8')) as Coverage
    for (const { data } of Object.values(coverage['source-map-cache'])) delete data.sourcesContent
    writeFileSync(file, JSON.stringify(coverage))
  }
  const { stdout } = spawnSync(process.execPath, [tap, 'report', 'text'], { encoding: 'utf8' })
  // tap wraps the table in an empty test run.
  const table = stdout.split('\n').filter((line) => line.includes('|'))
  console.log(table.join('\n'))
}
