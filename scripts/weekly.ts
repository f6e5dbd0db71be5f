// `npm run test:weekly` runs the longest proofs and keeps in test/weekly.json when they last passed;
// `npm run test:weekly -- --last` says when that was.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = 'test/weekly.json'
const DAY = 86_400_000

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
  const run = spawnSync(process.execPath, ['--import=tsx', 'scripts/test.ts', 'weekly'], {
    stdio: ['inherit', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  process.stdout.write(run.stdout)
  const [, passed, failed] = /(\d+) passed, (\d+) failed\n$/.exec(run.stdout) ?? []
  if (run.status !== 0 || failed !== '0') process.exit(1)
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim()
  const last: LastRun = { at: new Date().toISOString().slice(0, 10), commit, passed: Number(passed) }
  writeFileSync(FILE, `${JSON.stringify(last, null, 2)}\n`)
}
