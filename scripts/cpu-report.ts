import type { FileReport } from './tap-report.ts'

/** How many files the report names. */
const NAMED = 25

/** What `npm test` may take, in minutes. A machine can be slow, so a run that takes more does not fail: it says so. */
export const TEST_BUDGET = 12

/**
 * Returns the CPU time of a run in minutes, and that of the files that took most of it in seconds.
 * @param budget in minutes; absent: there is none
 */
export function cpuReport(reports: readonly FileReport[], budget?: number): string {
  const minutes = reports.reduce((total, { cpu }) => total + cpu, 0) / 60_000
  const most = [...reports].sort((a, b) => b.cpu - a.cpu).slice(0, NAMED)
  const verdict = minutes > (budget ?? minutes) ? ', and that is too much' : ''
  const limit = budget === undefined ? '' : `, of a budget of ${budget} minutes${verdict}`
  return [
    `\nCPU time: ${minutes.toFixed(1)} minutes in ${reports.length} files${limit}. The files that took most, in seconds:`,
    ...most.map(({ file, cpu }) => `${(cpu / 1000).toFixed(1).padStart(7)} ${file}`),
  ].join('\n')
}
