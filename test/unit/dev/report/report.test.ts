import type { Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { junitReport } from '../../../../dev/report/junit.ts'
import {
  type CheckReport,
  found,
  hasFailed,
  PASSED,
  skipped,
  verdictOf,
} from '../../../../dev/report/report.ts'
import { sarifReport } from '../../../../dev/report/sarif.ts'
import { textReport } from '../../../../dev/report/text.ts'
import { SarifLog } from '../../../support/dev/sarif.ts'

const check = { title: 'Refuses it', level: 'refuse', about: 'Because.', fix: 'Do so.' } as const
const advised = { ...check, level: 'advice' } as const

const REPORT: CheckReport = {
  command: 'check-api',
  url: 'http://localhost:1/a?b&c',
  results: [
    { check: { ...check, id: 'a' }, outcome: PASSED },
    {
      check: { ...check, id: 'b', fixes: { jose: 'Call it.' } },
      outcome: found('It answers <b>"200"\u0000.'),
    },
    { check: { ...check, id: 'c' }, outcome: found('A trifle.', 'advice') },
    { check: { ...advised, id: 'd' }, outcome: found('A hint.') },
    { check: { ...check, id: 'e' }, outcome: skipped('No scope.') },
  ],
}
const STOPPED: CheckReport = { ...REPORT, results: [], stopped: 'Nothing listens.' }

t.test('a finding has the level of its check, or one of its own', async (t) => {
  t.same(REPORT.results.map(verdictOf), ['passed', 'failed', 'advice', 'advice', 'skipped'])
  t.equal(hasFailed(REPORT), true)
  t.equal(hasFailed({ ...REPORT, results: REPORT.results.filter(({ check }) => check.id !== 'b') }), false)
  t.equal(hasFailed(STOPPED), true, 'what could not be checked has not passed')
})

t.test('text: what failed comes first, and what passed is only counted', async (t) => {
  t.equal(
    textReport(REPORT),
    `FAILED  b: Refuses it.
  It answers <b>"200"\u0000.
  Because.
  What to change: Do so.
  jose: Call it.

ADVICE  c: Refuses it.
  A trifle.
  Because.
  What to change: Do so.

ADVICE  d: Refuses it.
  A hint.
  Because.
  What to change: Do so.

SKIPPED  e: Refuses it.
  No scope.

5 checks of http://localhost:1/a?b&c: 1 passed, 1 failed, 2 advice, 1 skipped.`,
  )
  t.equal(
    textReport(STOPPED),
    'STOPPED\n  Nothing listens.\n\n0 checks of http://localhost:1/a?b&c: 0 passed, 0 failed, 0 advice, 0 skipped; the others were not run.',
  )
})

t.test('JUnit: counts, and no character that XML does not have', async (t) => {
  const xml = junitReport(REPORT)
  t.match(
    xml,
    /<testsuite name="redmint dev check-api http:\/\/localhost:1\/a\?b&amp;c" tests="5" failures="1" errors="0" skipped="1">/,
  )
  t.match(xml, /name="a: Refuses it"><\/testcase>/)
  t.match(xml, /<failure message="It answers &lt;b&gt;&quot;200&quot;\ufffd\.">FAILED {2}b/)
  t.match(xml, /name="d: Refuses it"><system-out>ADVICE/)
  t.match(xml, /<skipped message="No scope\."\/>/)
  t.notOk(xml.includes('\u0000'))
  t.match(junitReport(STOPPED), /tests="1" failures="1".*\n.*<failure message="Nothing listens\."\/>/)
})

t.test('SARIF: a rule for each check, and only what failed is an error', async (t) => {
  const { version, runs } = JSON.parse(sarifReport(REPORT))
  t.equal(version, '2.1.0')
  const [run] = runs
  t.same(
    run.tool.driver.rules.map(({ id }: { id: string }) => id),
    ['a', 'b', 'c', 'd', 'e'],
  )
  t.same(
    run.results.map(({ kind, level, ruleIndex }: Record<string, unknown>) => [ruleIndex, kind, level]),
    [
      [0, 'pass', 'none'],
      [1, 'fail', 'error'],
      [2, 'fail', 'note'],
      [3, 'fail', 'note'],
      [4, 'notApplicable', 'none'],
    ],
  )
  t.equal(run.results[0].locations[0].physicalLocation.artifactLocation.uri, REPORT.url)
  t.same(run.invocations, [{ executionSuccessful: true }])
  const [stopped] = JSON.parse(sarifReport(STOPPED)).runs
  t.match(stopped.invocations, [
    { executionSuccessful: false, toolExecutionNotifications: [{ message: { text: 'Nothing listens.' } }] },
  ])
})

t.test('SARIF: what the standard demands of each object', async (t) => {
  for (const report of [REPORT, STOPPED]) {
    const log: unknown = JSON.parse(sarifReport(report))
    t.same([...Value.Errors(SarifLog, log)], [])
    const [run] = (log as Static<typeof SarifLog>).runs
    const { rules } = run?.tool.driver ?? { rules: [] }
    for (const { kind, level, ruleId, ruleIndex, locations } of run?.results ?? []) {
      t.equal(level === 'none', kind !== 'fail', '§3.27.9: what is no failure has no level')
      t.equal(rules[ruleIndex]?.id, ruleId, '§3.27.6: the index is that of the rule')
      for (const { physicalLocation } of locations)
        t.ok(URL.canParse(physicalLocation.artifactLocation.uri), '§3.4.3: an address')
    }
  }
})
