// Candidates of a row beside each other, with the noise of the row.
import type { CandidateResult, RowResult, Sample } from './results.ts'
import { quotient, type Ratio } from './statistics.ts'

export const cpu = ({ cpu }: Sample) => cpu

type Candidates = Pick<RowResult, 'candidates'>

/** The candidate with the first of these labels that the row has. */
export const candidateOf = ({ candidates }: Candidates, ...labels: string[]): CandidateResult | undefined =>
  labels.flatMap((label) => candidates.find((candidate) => candidate.label === label) ?? [])[0]

/** The control: a second process of the same redmint, to the first one. It would be 1 without noise. */
export const controlOf = (row: Candidates, read: (sample: Sample) => number | undefined = cpu) =>
  quotient(candidateOf(row, 'redmint again'), candidateOf(row, 'redmint'), read)

/** A quotient with the noise of its rounds, or with that of the control of its row if it is larger. */
export function withControl(ratio: Ratio | undefined, row: Candidates, read = cpu): Ratio | undefined {
  const control = controlOf(row, read)
  if (ratio === undefined || control === undefined) return ratio
  return { ...ratio, noise: Math.max(ratio.noise, Math.abs(control.value - 1) * ratio.value) }
}

/** What a candidate of a row costs, divided by the cost of another one. */
export const compare = (row: Candidates, own: string, other: string, read = cpu): Ratio | undefined =>
  withControl(quotient(candidateOf(row, own), candidateOf(row, other), read), row, read)
