/** A metric in Prometheus' text format: its comments, its type, and its values by name and labels. */
interface Metric {
  readonly comments: readonly string[]
  readonly type: string
  readonly values: Map<string, number>
}

/** Gauges that are not amounts, or the same amount in every process, so that their sum would mean nothing. */
const NO_AMOUNT =
  /^(process_start_time_|nodejs_version_info|nodejs_eventloop_lag_|redmint_((logout|ending|mail|mail_request)_queue_|signing_key_|lockouts|redis_memory_|build_info))/

/** Of these the worst is the lowest. */
const LOWEST = /^redmint_ready/

/** What only grows while a process runs. */
const TOTALS = ['counter', 'histogram']

/**
 * Merges pages of metrics, in Prometheus' text format, of several processes into one: the sum of each value, and the
 * worst one of gauges that are not amounts.
 */
export function mergeMetrics(pages: readonly string[]): string {
  const merged = new Map<string, Metric>()
  for (const page of pages) {
    for (const [name, metric] of readMetrics(page)) {
      const known = merged.get(name)
      if (known === undefined) merged.set(name, metric)
      else addValues(known.values, metric.values, merging(name))
    }
  }
  return formatMetrics(merged)
}

/** Returns the part of a page that stays true of a process that has ended: its counters and histograms. */
export function totalsOf(page: string): string {
  return formatMetrics(new Map([...readMetrics(page)].filter(([, { type }]) => TOTALS.includes(type))))
}

function readMetrics(page: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>()
  let help = ''
  let values = new Map<string, number>()
  for (const line of page.split('\n')) {
    if (line.startsWith('# HELP ')) help = line
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ')
      values = new Map()
      metrics.set(name, { comments: [help, line], type, values })
    } else if (line !== '') {
      // A value has no spaces, unlike labels.
      const end = line.lastIndexOf(' ')
      values.set(line.slice(0, end), Number(line.slice(end + 1)))
    }
  }
  return metrics
}

function formatMetrics(metrics: ReadonlyMap<string, Metric>): string {
  const blocks = [...metrics.values()].map(({ comments, values }) =>
    [...comments, ...[...values].map(([series, value]) => `${series} ${value}`), ''].join('\n'),
  )
  return blocks.join('\n')
}

function addValues(
  to: Map<string, number>,
  from: ReadonlyMap<string, number>,
  add: (a: number, b: number) => number,
): void {
  for (const [series, value] of from) {
    const known = to.get(series)
    to.set(series, known === undefined ? value : add(known, value))
  }
}

function merging(name: string): (a: number, b: number) => number {
  if (LOWEST.test(name)) return Math.min
  return NO_AMOUNT.test(name) ? higher : sum
}

const sum = (a: number, b: number) => a + b

// The mean of no values is NaN.
const higher = (a: number, b: number) => (Number.isNaN(a) || b > a ? b : a)
