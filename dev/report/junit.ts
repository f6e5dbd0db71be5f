import { type CheckReport, type Result, verdictOf } from './report.ts'
import { textReport } from './text.ts'

/** Returns a report as JUnit XML, which continuous integration shows as tests. Advice is output of a test that passed. */
export function junitReport(report: CheckReport): string {
  const { command, url, results, stopped } = report
  const cases = results.map((result) => testCase(report, result))
  if (stopped !== undefined)
    cases.push(
      `    <testcase classname="${command}" name="ordinary way"><failure message="${escaped(stopped)}"/></testcase>`,
    )
  const failures = results.filter((result) => verdictOf(result) === 'failed').length
  const skips = results.filter((result) => verdictOf(result) === 'skipped').length
  const counts = `tests="${cases.length}" failures="${failures + (stopped === undefined ? 0 : 1)}" errors="0" skipped="${skips}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escaped(`redmint dev ${command} ${url}`)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(report: CheckReport, result: Result): string {
  const { check, outcome } = result
  const open = `    <testcase classname="${report.command}" name="${escaped(`${check.id}: ${check.title}`)}">`
  const whole = () => escaped(textReport({ ...report, results: [result] }))
  const inner = {
    passed: () => '',
    failed: () =>
      `<failure message="${escaped(outcome.is === 'found' ? outcome.found : '')}">${whole()}</failure>`,
    advice: () => `<system-out>${whole()}</system-out>`,
    skipped: () => `<skipped message="${escaped(outcome.is === 'skipped' ? outcome.why : '')}"/>`,
  }[verdictOf(result)]
  return `${open}${inner()}</testcase>`
}

// Characters that XML 1.0 has no way to write (§2.2).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu

function escaped(text: string): string {
  return text
    .replace(UNWRITABLE, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
