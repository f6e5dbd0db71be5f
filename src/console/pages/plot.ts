import { type Html, html } from '../../pages/html.ts'

/** What a plot shows of one hour: the height of each of its bars, one upon the other. */
export interface Column {
  readonly values: readonly number[]
}

interface Plot {
  readonly title: string
  /** What the plot says, for those who do not see it. */
  readonly says: string
  /** The names of the bars of a column, from the bottom up. */
  readonly names: readonly string[]
  readonly columns: readonly Column[]
  /** What the largest value is called. */
  readonly top: (value: number) => string
  /** What is below the first and the last column. */
  readonly from: string
  readonly to: string
}

/** The colours of bars, from the bottom up. */
const CLASSES = ['first', 'second', 'third'] as const
const classOf = (i: number): string => CLASSES[i] ?? 'third'

const WIDTH = 300
const HEIGHT = 80
const GAP = 2

/**
 * A small plot of bars as SVG: no script, and colours by classes, so that the style sheet decides on them in light and in
 * dark. A table has the numbers.
 */
export function plot({ title, says, names, columns, top, from, to }: Plot): Html {
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const most = Math.max(...sums)
  const width = WIDTH / Math.max(1, columns.length)
  const bars = columns.flatMap(({ values }, i) => barsOf(values, most, i * width, width - GAP))
  const key = names.map((name, i) => html`<span><span class="key ${classOf(i)}"></span>${name}</span>\n`)
  return html`<figure class="tile">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" preserveAspectRatio="none" role="img" aria-label="${says}">
${bars}<path class="ground" d="M0 ${String(HEIGHT)}H${String(WIDTH)}"/>
</svg>
<p class="hours">${from} – ${to}, ${most === 0 ? 'nothing' : `at most ${top(most)}`}</p>
${names.length > 1 ? html`<p class="keys">${key}</p>` : ''}</figure>
`
}

function barsOf(values: readonly number[], most: number, x: number, width: number): Html[] {
  let bottom = HEIGHT
  return values.flatMap((value, i) => {
    if (value === 0 || most === 0) return []
    // What there was is to be seen.
    const height = Math.max(1, (value / most) * HEIGHT)
    bottom -= height
    return [
      html`<rect class="${classOf(i)}" x="${x.toFixed(1)}" y="${Math.max(0, bottom).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"/>\n`,
    ]
  })
}
