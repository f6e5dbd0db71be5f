import { type CheckReport, verdictOf } from '../../../dev/report/report.ts'

/** Returns every result that is not as it should be, with what was found. */
export const notPassed = ({ results, stopped }: CheckReport): string[] => [
  ...results
    .filter(({ outcome }) => outcome.is !== 'passed')
    .map((result) => `${result.check.id}: ${verdictOf(result)} ${JSON.stringify(result.outcome)}`),
  ...(stopped === undefined ? [] : [stopped]),
]
