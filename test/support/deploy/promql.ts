// What a PromQL expression reads, and what a page of metrics has.

/** A metric that an expression reads, with the labels that it asks for. */
interface Selector {
  readonly name: string
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[]
}

interface Expression {
  readonly selectors: readonly Selector[]
  /** The labels by which it groups or matches. */
  readonly labels: readonly string[]
}

/** The labels and values of a metric, by its name. */
export type Scrape = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\b\s*(?:\(([^)]*)\))?/g
// The braces may have a brace inside of a string; what is followed by a parenthesis is a function.
const SELECTOR = /\b([a-z_:][\w:]*)\b(?!\s*\()(?:\{((?:"[^"]*"|[^}"])*)\})?/gi
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g
const OPERATORS = ['and', 'or', 'unless', 'bool']

/** Reads the metrics and labels of an expression. */
export function readExpression(text: string): Expression {
  const labels = [...text.matchAll(GROUPING)].flatMap(([, list = '']) =>
    list.split(',').map((one) => one.trim()),
  )
  const rest = text.replaceAll(GROUPING, '').replaceAll(/\[[^\]]*\]|\boffset \w+/g, '')
  const selectors = [...rest.matchAll(SELECTOR)]
    .filter(([, name = '']) => !OPERATORS.includes(name))
    .map(([, name = '', braces = '']) => ({
      name,
      matchers: [...braces.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
        label,
        operator,
        value,
      })),
    }))
  return { selectors, labels: labels.filter(Boolean) }
}

/** Reads a page of metrics in Prometheus' text format. */
export function readScrape(page: string): Scrape {
  const metrics = new Map<string, Map<string, Set<string>>>()
  // A histogram that has observed nothing has no values yet.
  for (const [, name] of page.matchAll(/^# TYPE (\w+) histogram$/gm)) {
    for (const part of ['bucket', 'sum', 'count']) metrics.set(`${name}_${part}`, new Map())
  }
  for (const line of page.split('\n')) {
    const [, name = '', braces = ''] = /^([a-z_:]\w*)(?:\{(.*)\})? \S+$/i.exec(line) ?? []
    if (name === '') continue
    const labels = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, labels)
    for (const [, label = '', , value = ''] of braces.matchAll(MATCHER)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value))
    }
  }
  return metrics
}

// Prometheus adds these to what it reads.
const TARGET_LABELS = ['job', 'instance']

/** Returns what an expression asks for and a page does not have. Values with variables of Grafana are not compared. */
export function missingFrom(scrape: Scrape, expression: string): string[] {
  const { selectors, labels } = readExpression(expression)
  const missing: string[] = []
  const known = new Set(TARGET_LABELS)
  for (const { name, matchers } of selectors) {
    const metric = name === 'up' ? new Map<string, Set<string>>() : scrape.get(name)
    if (metric === undefined) missing.push(name)
    for (const label of metric?.keys() ?? []) known.add(label)
    for (const { label, operator, value } of matchers) {
      if (TARGET_LABELS.includes(label)) continue
      const values = metric?.get(label)
      if (values === undefined) missing.push(`${name}{${label}}`)
      else if (!value.includes('$') && !isThere(values, operator, value))
        missing.push(`${name}{${label}="${value}"}`)
    }
  }
  return [...missing, ...labels.filter((label) => !known.has(label))]
}

// A test cannot cause every status.
const isStatus = (value: string) => value === '5..'

function isThere(values: ReadonlySet<string>, operator: string, value: string): boolean {
  if (isStatus(value)) return true
  const pattern = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : undefined
  return [...values].some((one) => (pattern === undefined ? one === value : pattern.test(one)))
}
