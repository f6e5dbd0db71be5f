import { spawnSync } from 'node:child_process'
import { Readable } from 'node:stream'
import t from 'tap'
import { reportTap } from '../../scripts/tap-report.ts'

/** What the runner says about one test file. */
function file(verdict: string, ...lines: string[]): string {
  const inner = lines.map((line) => `    ${line}\n`).join('')
  return `TAP version 14\n1..1\n# Subtest: test/a.test.ts\n${inner}${verdict} 1 - test/a.test.ts\n`
}

const runs: [what: string, tap: string, passed: number, failed: number, print: RegExp][] = [
  ['passes', file('ok', 'ok 1 - sum', 'ok 2 - sign', '1..2'), 2, 0, /^ok {3}test\/a\.test\.ts \(2 passed/m],
  [
    'fails',
    file('not ok', 'ok 1 - sum', 'not ok 2 - sign', '  ---', '  diff: -1 +2', '  ...', '1..2'),
    1,
    1,
    /^not ok test\/a\.test\.ts > sign\n-1 \+2/m,
  ],
  [
    'skips',
    file('ok', 'ok 1 - sum # SKIP no time', 'ok 2 - sign', '1..2'),
    1,
    1,
    /skipped, which counts as failed/,
  ],
  ['leaves to do', file('ok', 'ok 1 - sum # TODO', '1..1'), 0, 1, /to do, which counts as failed/],
  ['has a failing to do', file('ok', 'not ok 1 - sum # TODO', '1..1'), 0, 1, /to do, which counts as failed/],
  ['crashes at the end', file('not ok', 'ok 1 - sum', '1..1'), 1, 1, /^FAIL test\/a\.test\.ts \(1 passed/m],
  ['crashes at the start', file('not ok', '1..0'), 0, 1, /^FAIL test\/a\.test\.ts \(0 passed/m],
  ['holds no test', file('ok', '1..0').replace(/\n$/, ' # SKIP no tests found\n'), 0, 1, /skipped/],
  ['bails out', file('ok', 'ok 1 - sum', 'Bail out! no more'), 1, 1, /Bail out! no more/],
  ['breaks its plan', file('not ok', 'ok 1 - sum', '1..3'), 1, 1, /^FAIL/m],
  ['prints a line', file('ok', 'hello', 'ok 1 - sum', '1..1'), 1, 0, /^ *hello\n/m],
]
for (const [what, tap, passed, failed, print] of runs) {
  t.test(`a test file that ${what}`, async (t) => {
    let printed = ''
    const counted = await reportTap(Readable.from([tap]), (text) => {
      printed += text
    })
    t.same(counted, { passed, failed })
    t.match(printed, print)
  })
}

t.test('a run without any output fails', async (t) => {
  t.same(await reportTap(Readable.from(['']), () => {}), { passed: 0, failed: 1 })
})

t.test('without a redis-server it says in one line what is missing, and fails', async (t) => {
  const env = { ...process.env, REDIS_SERVER: '/nowhere/redis-server' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import=tsx', 'scripts/test.ts'], {
    env,
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.equal(stdout, '\n0 passed, 1 failed\n')
  t.match(stderr, /^REDIS_SERVER is \/nowhere\/redis-server, which does not run\.\n$/)
})
