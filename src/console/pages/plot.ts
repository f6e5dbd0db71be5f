import { type Html, html } from '../../pages/html.ts'

/** What a plot shows of one hour: the height of each of its bars, one upon the other. */
export interface PlotColumn {
  /** What it says, such as "14:00, 38 sign-ins". */
  readonly says: string
  readonly values: readonly number[]
}

interface Plot {
  readonly title: string
  /** The number that stands for all of it. */
  readonly number: string
  /** What the plot says, for those who do not see it. */
  readonly says: string
  readonly columns: readonly PlotColumn[]
  /** What is below the columns, from the first to the last. */
  readonly hours: readonly string[]
  /** What the colours stand for, or what else there is to say. */
  readonly keys: readonly (readonly [colour: 'first' | 'second' | 'third' | undefined, says: Html | string])[]
}

/** The colours of bars, from the bottom up. */
const CLASSES = ['first', 'second', 'third'] as const
const classOf = (i: number): string => CLASSES[i] ?? 'third'

const WIDTH = 300
const HEIGHT = 80
const GAP = 2

/**
 * A small plot of bars as SVG, with its number above and hours below: no script, and colours by classes, so that the style
 * sheet decides on them in light and in dark. A table has the numbers.
 */
export function plot({ title, number, says, columns, hours, keys }: Plot): Html {
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const most = Math.max(...sums)
  const width = WIDTH / Math.max(1, columns.length)
  const bars = columns.flatMap((column, i) => barsOf(column, most, i * width, width - GAP))
  const shown = keys.map(
    ([colour, words]) =>
      html`<span>${colour === undefined ? '' : html`<span class="key ${colour}"></span>`}${words}</span>\n`,
  )
  return html`<figure class="tile">
<figcaption>${title}</figcaption><b>${number}</b>
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" preserveAspectRatio="none" role="img" aria-label="${says}">
<path class="ground" d="M0 ${String(HEIGHT)}H${String(WIDTH)}"/>
${bars}</svg>
<p class="hours">${hours.map((hour) => html`<span>${hour}</span>`)}</p>
<p class="keys">${shown}</p></figure>
`
}

function barsOf({ values, says }: PlotColumn, most: number, x: number, width: number): Html[] {
  let bottom = HEIGHT
  return values.flatMap((value, i) => {
    if (value === 0 || most === 0) return []
    // What there was is to be seen.
    const height = Math.max(1, (value / most) * HEIGHT)
    bottom -= height
    return [
      html`<rect class="${classOf(i)}" x="${x.toFixed(1)}" y="${Math.max(0, bottom).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${says}</title></rect>\n`,
    ]
  })
}
