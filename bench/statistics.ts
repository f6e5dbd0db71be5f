// Arithmetic on the rounds of a measurement.
import type { CandidateResult, Sample } from './results.ts'

/** The value below which a part of the values lies, interpolated. @param part 0 to 1 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}

/**
 * What a quiet machine would have shown: other work only ever adds to a cost, so the lower quartile of the rounds is
 * nearer to it than their median.
 */
export const quietCost = (rounds: readonly number[]) => quantile(rounds, 0.25)

/** The same for a rate, which other work only ever lowers. */
export const quietRate = (rounds: readonly number[]) => quantile(rounds, 0.75)

/** A quotient, and how far noise moves it: its value is good to `noise` more or less. */
export interface Ratio {
  value: number
  noise: number
}

/**
 * What a candidate costs, divided by the cost of another. The noise is half of the range in which the middle half of the
 * quotients of the rounds lies.
 * @returns undefined where one of them was not measured
 */
export function quotient(
  own: CandidateResult | undefined,
  other: CandidateResult | undefined,
  read: (sample: Sample) => number | undefined,
): Ratio | undefined {
  const [above, below] = [cost(own, read), cost(other, read)]
  if (above === undefined || below === undefined) return undefined
  // In the same round both met the same moments of the machine.
  const rounds = (own?.samples ?? []).flatMap((sample, round) => {
    const [a, b] = [read(sample), read(other?.samples[round] ?? sample)]
    return a === undefined || b === undefined || other?.samples[round] === undefined ? [] : [a / b]
  })
  const noise = rounds.length === 0 ? 0 : (quantile(rounds, 0.75) - quantile(rounds, 0.25)) / 2
  return { value: above / below, noise }
}

/** The quiet cost of a candidate; undefined where it was not measured. */
export function cost(
  candidate: CandidateResult | undefined,
  read: (sample: Sample) => number | undefined,
): number | undefined {
  const values = (candidate?.samples ?? []).map(read).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : quietCost(values)
}
