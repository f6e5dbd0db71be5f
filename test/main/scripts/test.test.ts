import { spawnSync } from 'node:child_process'
import { Readable } from 'node:stream'
import t from 'tap'
import { cpuReport } from '../../../scripts/cpu-report.ts'
import { reportFiles } from '../../../scripts/tap-report.ts'

const cpu = '# CPU: 1500 ms a.test.ts'
const runs: [
  what: string,
  lines: string[],
  exit: number | string,
  passed: number,
  failed: number,
  print: RegExp,
][] = [
  [
    'passes',
    [...fileOf('ok', 'ok 1 - sum', 'ok 2 - sign', '1..2'), '1..1', cpu],
    0,
    2,
    0,
    /^ok {3}a\.test\.ts \(2 passed, 1\.5 s of CPU\)$/m,
  ],
  [
    'fails',
    [
      'hello',
      ...fileOf('not ok', 'ok 1 - sum', 'not ok 2 - sign', '  ---', '  diff: -1 +2', '  ...', '1..2'),
      '1..1',
    ],
    1,
    1,
    1,
    /^not ok a\.test\.ts > sign\n-1 \+2\n[\s\S]*^hello\n/m,
  ],
  [
    'skips',
    [...fileOf('ok', 'ok 1 - sum # SKIP no time', 'ok 2 - sign', '1..2'), '1..1'],
    0,
    1,
    1,
    /skipped, which counts as failed/,
  ],
  [
    'leaves to do',
    [...fileOf('ok', 'ok 1 - sum # TODO', '1..1'), '1..1'],
    0,
    0,
    1,
    /to do, which counts as failed/,
  ],
  [
    'has a failing to do',
    [...fileOf('ok', 'not ok 1 - sum # TODO', '1..1'), '1..1'],
    0,
    0,
    1,
    /to do, which counts as failed/,
  ],
  [
    'crashes at the end',
    [...fileOf('ok', 'ok 1 - sum', '1..1'), '1..1'],
    1,
    1,
    1,
    /^FAIL a\.test\.ts \(1 passed/m,
  ],
  [
    'is killed',
    ['# Subtest: a.test.ts', '    ok 1 - sum'],
    'SIGKILL',
    1,
    1,
    /ends with SIGKILL after 1 assertions/,
  ],
  ['crashes at the start', [], 1, 0, 1, /^FAIL a\.test\.ts \(0 passed/m],
  ['holds no test', [...fileOf('ok', '1..0'), '1..1'], 0, 0, 1, /^FAIL/m],
  [
    'bails out',
    ['# Subtest: a.test.ts', '    ok 1 - sum', '    Bail out! no more', 'Bail out! no more'],
    1,
    1,
    1,
    /Bail out! no more/,
  ],
  ['breaks its plan', [...fileOf('not ok', 'ok 1 - sum', '1..3'), '1..1'], 0, 1, 1, /^FAIL/m],
]
for (const [what, lines, exit, passed, failed, print] of runs) {
  t.test(`how a test file that ${what} is reported`, async (t) => {
    const { reports, printed } = await reported(['a.test.ts'], lines, exit)
    t.match(reports, [{ file: 'a.test.ts', passed, failed }])
    t.match(printed, print)
  })
}

t.test('files that share a process have a report each', async (t) => {
  const { reports, printed } = await reported(
    ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'],
    [
      ...fileOf('ok', 'ok 1 - sum', '1..1'),
      ...fileOf('not ok', 'not ok 1 - sum', '1..1').map((line) => line.replace('a.test', 'b.test')),
      ...fileOf('not ok', 'ok 1 - sum', '1..2').map((line) => line.replace('a.test', 'c.test')),
    ],
    1,
  )
  t.match(reports, [
    { file: 'a.test.ts', passed: 1, failed: 0 },
    { file: 'b.test.ts', passed: 0, failed: 1 },
    { file: 'c.test.ts', passed: 1, failed: 1 },
    { file: 'd.test.ts', passed: 0, failed: 1 },
  ])
  t.match(printed, /^not ok d\.test\.ts\nends with 1 after 0 assertions$/m)
})

/** The output of a file: a test that holds its lines. */
function fileOf(result: 'ok' | 'not ok', ...lines: string[]): string[] {
  return ['# Subtest: a.test.ts', ...lines.map((line) => `    ${line}`), `${result} 1 - a.test.ts`]
}

async function reported(files: string[], lines: string[], exit: number | string) {
  let printed = ''
  const tap = Readable.from(['TAP version 14\n', ...lines.map((line) => `${line}\n`)])
  const reports = await reportFiles(files, tap, Promise.resolve(exit), (text) => {
    printed += text
  })
  return { reports, printed }
}

t.test('the report of CPU time names the total, and the files that took most first', async (t) => {
  const report = (file: string, cpu: number) => ({ file, passed: 1, failed: 0, cpu })
  t.match(
    cpuReport([report('a', 1000), report('b', 59_000)]),
    /CPU time: 1\.0 minutes in 2 files\..*\n +59\.0 b\n +1\.0 a$/,
  )
  t.match(cpuReport([report('a', 60_000)], 1), /, of a budget of 1 minutes\. /)
  t.match(cpuReport([report('a', 61_000)], 1), /, of a budget of 1 minutes, and that is too much\. /)
})

t.test('without redis-server a run fails with one line that says so', async (t) => {
  const env = { ...process.env, REDIS_SERVER: '/nowhere/redis-server' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import=tsx', 'scripts/test.ts'], {
    env,
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.equal(stdout, '\n0 passed, 1 failed\n')
  t.match(stderr, /^REDIS_SERVER is \/nowhere\/redis-server, which does not run\.\n$/)
})
