import { count } from '../../src/core/count.ts'
import { type CheckReport, LIBRARIES, type Result, type Verdict, verdictOf } from './report.ts'

const ORDER = ['failed', 'advice', 'skipped'] as const satisfies readonly Verdict[]

/** Returns a report for people: what failed, what is advised, what was left out, and how many passed. */
export function textReport({ url, results, stopped }: CheckReport): string {
  const shown = ORDER.flatMap((verdict) => results.filter((result) => verdictOf(result) === verdict))
  const paragraphs = shown.map(paragraph)
  if (stopped !== undefined) paragraphs.push(`STOPPED\n  ${stopped}`)
  return [...paragraphs, summary(url, results, stopped !== undefined)].join('\n\n')
}

function paragraph(result: Result): string {
  const { check, outcome } = result
  const verdict = verdictOf(result)
  const head = `${verdict.toUpperCase()}  ${check.id}: ${check.title}.`
  if (outcome.is === 'skipped') return `${head}\n  ${outcome.why}`
  const what = outcome.is === 'found' ? [outcome.found] : []
  return [head, ...[...what, check.about, ...advice(result)].map((line) => `  ${line}`)].join('\n')
}

function advice({ check }: Result): string[] {
  const fixes = Object.entries(check.fixes ?? {}).map(
    ([library, fix]) => `${LIBRARIES[library as keyof typeof LIBRARIES]}: ${fix}`,
  )
  return [`What to change: ${check.fix}`, ...fixes]
}

function summary(url: string, results: readonly Result[], has_stopped: boolean): string {
  const counts = ['passed', ...ORDER].map(
    (verdict) => `${results.filter((result) => verdictOf(result) === verdict).length} ${verdict}`,
  )
  const all = `${count(results.length, 'check')} of ${url}: ${counts.join(', ')}`
  return has_stopped ? `${all}; the others were not run.` : `${all}.`
}
