// Tests of alerts for promtool, with the series of a real run.
import { readExpression } from './promql.ts'

/** A value that stays, or values in the notation of promtool, by series, such as `up{job="redmint"}`. */
type Series = ReadonlyMap<string, number | string>

interface AlertTest {
  /** Names the test in what promtool prints. */
  readonly name: string
  readonly series: Series
  readonly at: string
  /** The alerts that fire, by name; the others do not. */
  readonly fires: readonly {
    readonly alert: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }[]
}

/** Returns the series of a page of metrics, with the labels that Prometheus adds. */
export function seriesOf(page: string, job: string, instance: string): Map<string, number> {
  const target = `job="${job}",instance="${instance}"`
  const series = new Map([[`up{${target}}`, 1]])
  for (const line of page.split('\n')) {
    const [, name = '', braces, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === '') continue
    series.set(`${name}{${braces === undefined ? target : `${braces},${target}`}}`, Number(value))
  }
  return series
}

/** Returns series with the values of others: each selector names those that it changes, or one that is added. */
export function changed(series: Series, values: Readonly<Record<string, number | string>>): Series {
  const result = new Map(series)
  for (const [selector, value] of Object.entries(values)) {
    const found = [...series.keys()].filter((one) => selects(selector, one))
    for (const one of found.length > 0 ? found : [selector]) result.set(one, value)
  }
  return result
}

function selects(selector: string, series: string): boolean {
  const [wanted] = readExpression(selector).selectors
  const [there] = readExpression(series).selectors
  return (
    wanted?.name === there?.name &&
    (wanted?.matchers ?? []).every(({ label, value }) =>
      there?.matchers.some((matcher) => matcher.label === label && matcher.value === value),
    )
  )
}

/** Returns a file for `promtool test rules` that looks at every alert in each test. */
export function testFile(rules: string, alerts: readonly string[], tests: readonly AlertTest[]): string {
  return JSON.stringify({
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: tests.map(({ name, series, at, fires }) => ({
      name,
      interval: '1m',
      input_series: [...series].map(([series, value]) => ({
        series,
        values: notation(value, minutesIn(at)),
      })),
      alert_rule_test: alerts.map((alertname) => ({
        alertname,
        eval_time: at,
        exp_alerts: fires
          .filter(({ alert }) => alert === alertname)
          .map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations })),
      })),
    })),
  })
}

// promtool knows no numbers such as 1e-7.
function notation(value: number | string, minutes: number): string {
  if (typeof value === 'string') return value
  return Number.isNaN(value) ? Array(minutes).fill('NaN').join(' ') : `${value.toFixed(9)}+0x${minutes}`
}

function minutesIn(duration: string): number {
  return Number.parseInt(duration, 10) * (duration.endsWith('h') ? 60 : 1)
}
