// The plots of docs/performance.md.
import { barChart } from './plot.ts'
import type { CandidateResult, Results } from './results.ts'
import { titleOf } from './row-tables.ts'
import { cost, quietRate } from './statistics.ts'

const SERIES = ['floor+', 'peer', 'redmint']

/**
 * The name of each plot in docs/images/, and its SVG. Rows without the floor are left out, and sign-ins: one password
 * hash would leave no room for the rest.
 */
export function pictures({ rows }: Pick<Results, 'rows'>): Record<string, string> {
  const compared = rows.filter(
    ({ name, candidates }) => name !== 'sign-in' && candidates.some(({ label }) => label === 'floor+'),
  )
  const groups = (read: (candidate: CandidateResult) => number | undefined) =>
    compared.map(({ name, candidates }) => {
      const values = SERIES.map((label) => {
        const candidate = candidates.find((candidate) => candidate.label === label)
        return candidate && read(candidate)
      })
      return { title: titleOf(name), values }
    })
  const ofFloor = (read: (candidate: CandidateResult) => number | undefined) =>
    groups(read).map(({ title, values }) => {
      const [floor] = values
      return { title, values: values.map((value) => value && floor && value / floor) }
    })
  const cpu = ofFloor((candidate) => cost(candidate, ({ cpu }) => cpu))
  const rate = groups(({ samples }) => quietRate(samples.map(({ rate }) => rate)))
  return {
    'bench-cpu.svg': barChart(cpu, {
      title: 'CPU of an operation, all threads, as a multiple of the floor (less is better)',
      series: SERIES,
      unit: ' ×',
    }),
    'bench-rate.svg': barChart(rate, {
      title: 'Operations a second on one CPU (more is better)',
      series: SERIES,
      unit: '',
    }),
  }
}
