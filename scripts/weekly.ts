// `npm run test:weekly` runs the longest proofs and keeps in test/weekly.json when they last passed;
// `npm run test:weekly -- --last` says when that was.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = 'test/weekly.json'
const DAY = 86_400_000
/** More than the last line of a run has, in characters. */
const LAST_LINE = 100

interface LastRun {
  readonly at: string
  readonly commit: string
  readonly passed: number
}

function lastRun(): string {
  if (!existsSync(FILE)) return 'The weekly proofs never ran: npm run test:weekly'
  const { at, commit, passed } = JSON.parse(readFileSync(FILE, 'utf8')) as LastRun
  const days = Math.floor((Date.now() - Date.parse(at)) / DAY)
  const late = days > 7 ? ' Run them again: npm run test:weekly' : ''
  return `The weekly proofs last passed ${days} days ago, at commit ${commit}: ${passed} passed.${late}`
}

if (process.argv.includes('--last')) console.log(lastRun())
else {
  const run = spawn(process.execPath, ['--import=tsx', 'scripts/test.ts', 'weekly'], {
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  let end = ''
  for await (const chunk of run.stdout.setEncoding('utf8')) {
    process.stdout.write(chunk)
    end = (end + chunk).slice(-LAST_LINE)
  }
  // The last line says failures; a run that was ended has none.
  const [, passed, failed] = /(\d+) passed, (\d+) failed\n$/.exec(end) ?? []
  if (failed !== '0') process.exit(1)
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim()
  const last: LastRun = { at: new Date().toISOString().slice(0, 10), commit, passed: Number(passed) }
  writeFileSync(FILE, `${JSON.stringify(last, null, 2)}\n`)
}
